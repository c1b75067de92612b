"""Garbage: what lives long is kept out of the collector's sight, at the start and ever after.

Streamlit collects everything after every rerun, with the GIL held. What is
frozen is not walked, so all that was imported is frozen at the start. Then
sessions come, and what they hold is walked too, by every rerun of every other:
at 100 sessions 20 ms each time. So `keep_freezing` freezes again every few
seconds, and now and then lets everything thaw for one thorough collection,
or what closed sessions leave in cycles would stay for good.
"""

from __future__ import annotations

import gc
import sys
import time

FREEZE_S = 5.0  # between two freezes
THAW_AFTER = 24  # freezes; a thorough collection takes some 0.15 s, during which nobody is served

_frozen: set[str] = set()


def freeze_after(module: str) -> None:
    """Freeze once after `module` was imported late; else every rerun would walk all of it."""
    if module in sys.modules and module not in _frozen:
        _frozen.add(module)
        freeze()


def freeze() -> None:
    """Collect what is new, and keep what survives out of sight."""
    gc.collect()
    gc.freeze()


def thaw() -> None:
    """Collect everything there is, once."""
    gc.unfreeze()
    freeze()


def keep_freezing() -> None:
    """Freeze again as long as the process lives, while somebody uses it."""
    seen, rounds = -1, 0
    while True:
        time.sleep(FREEZE_S)
        runs = gc.get_stats()[2]["collections"]
        if runs == seen:
            continue  # no rerun since
        rounds += 1
        thaw() if rounds % THAW_AFTER == 0 else freeze()
        seen = gc.get_stats()[2]["collections"]
