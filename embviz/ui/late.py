"""Heavy imports after the start, kept out of the garbage collector's sight like those before."""

from __future__ import annotations

import gc
import sys

_frozen: set[str] = set()


def freeze_after(module: str) -> None:
    """Freeze once after `module` was imported late; else every rerun would walk all of it."""
    if module in sys.modules and module not in _frozen:
        _frozen.add(module)
        gc.collect()
        gc.freeze()
