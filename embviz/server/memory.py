"""Garbage: what lives long is kept out of the collector's sight, at the start and ever after.

Collecting holds the GIL: with PyTorch loaded for 70 to 110 ms, during which no
session is served. What is frozen is not walked, so all that was imported is
frozen at the start. Streamlit would still collect after every rerun and walk
what all sessions hold (20 ms at 100 of them, a quarter of the server's time):
`runner.postScriptGC` is off in `config.toml`, and `keep_freezing` collects and
freezes every few seconds instead. What closed sessions leave in cycles would
then stay for good; so everything thaws for one thorough collection now and
then, at once when memory has grown much, and when nobody is there.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
import time
from pathlib import Path

FREEZE_S = 5.0  # between two freezes
THAW_AFTER = 24  # freezes; a thorough collection takes some 0.15 s, during which nobody is served
A_RERUN = 3  # collections of new objects; one takes 10 or more, resting for 5 s at most 1
GROWN_BYTES = 32_000_000  # since the last one: then the next one comes at once
LARGE_BLOCK = 2**20  # bytes

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
    """Freeze again as long as the process lives, while somebody uses it; then thaw, and rest."""
    seen, rounds, after, rests = _work(), 0, resident(), True
    while True:
        time.sleep(FREEZE_S)
        idle = _work() - seen < A_RERUN
        if idle and rests:
            continue
        rests = idle
        rounds += 1
        if rests or rounds % THAW_AFTER == 0 or resident() - after > GROWN_BYTES:
            thaw()
            give_back()
            after = resident()
        else:
            freeze()
        seen = _work()


def _work() -> int:
    """How often new objects were collected: the measure of what the process has done."""
    return int(gc.get_stats()[0]["collections"])


def resident() -> int:
    """Bytes of memory that this process takes; 0 where the system does not say."""
    with contextlib.suppress(OSError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0


def waste_less() -> None:
    """Have all threads share two arenas, and large blocks go back at once; before all else.

    Each visitor's thread would otherwise get an arena, which grows to the largest that it was
    asked for and is then full of holes: 100 MB after a crowd of large tables and texts.
    """
    arena_max, mmap_threshold = -8, -3
    with contextlib.suppress(OSError, AttributeError, TypeError):  # elsewhere than on Linux
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(arena_max, 2)
        mallopt(mmap_threshold, LARGE_BLOCK)


def give_back() -> None:
    """Let the system have what was freed; glibc keeps it, in pieces, for each thread anew."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # elsewhere than on Linux
        ctypes.CDLL(None).malloc_trim(0)
