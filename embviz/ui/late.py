"""Garbage: what lives long is kept out of the collector's sight, at the start and ever after.

Streamlit collects everything after every rerun, with the GIL held. What is
frozen is not walked, so all that was imported is frozen at the start. Then
sessions come, and what they hold is walked too, by every rerun of every other:
at 100 sessions 20 ms each time. So `keep_freezing` freezes again every few
seconds. What closed sessions leave in cycles would then stay for good; so
everything thaws for one thorough collection now and then, at once when memory
has grown much, and when nobody is there.
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
    seen, rounds, after, rests = -1, 0, resident(), True
    while True:
        time.sleep(FREEZE_S)
        runs = gc.get_stats()[2]["collections"]
        if runs == seen and rests:
            continue  # no rerun since
        rests = runs == seen
        rounds += 1
        if rests or rounds % THAW_AFTER == 0 or resident() - after > GROWN_BYTES:
            thaw()
            give_back()
            after = resident()
        else:
            freeze()
        seen = gc.get_stats()[2]["collections"]


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
