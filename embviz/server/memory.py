"""Freed memory goes back to the system.

glibc keeps what threads have freed, for each thread its own part, and a server would stay as large
as its largest moment. So a thread looks from time to time, and has glibc give back what is free.
Elsewhere nothing is done. glibc's own variables do the same at each call, but then each tensor of
over a megabyte is mapped anew: a training takes twice as long or more.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count

import psutil

LOOK_S = 2.0  # seconds between two looks
SELDOM = 10  # looks after which a size that stays is looked through again: some of it is free now
GROWN_BYTES = 32 << 20  # bytes of growth from which on memory is given back


def trimmer() -> Callable[[], object] | None:
    """The function of glibc that gives back what is free, in 10 to 50 ms; None without one."""
    with suppress(OSError, AttributeError, TypeError):  # another system, or another C library
        trim = ctypes.CDLL(None).malloc_trim
        return lambda: trim(0)
    return None


def watch() -> None:
    """Start the thread, once everything is imported; a second call would start another."""
    if trim := trimmer():
        threading.Thread(target=watch_size, args=(trim,), name="embviz-memory", daemon=True).start()


def watch_size(trim: Callable[[], object]) -> None:
    """Trim at the start, and whenever the process has grown; it never ends."""
    process = psutil.Process()
    trim()  # The imports have freed some.
    least = before = process.memory_info().rss
    for look in count(1):
        time.sleep(LOOK_S)
        with suppress(OSError):  # As many files are open as may be.
            now = process.memory_info().rss
            least = min(least, now)
            if now > (before if look % SELDOM else least) + GROWN_BYTES:
                trim()
                before = process.memory_info().rss
