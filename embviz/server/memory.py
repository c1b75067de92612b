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

import psutil

LOOK_S = 10.0  # seconds between two looks
GROWN_BYTES = 32 << 20  # bytes over the least so far from which on memory is given back


def trimmer() -> Callable[[], object] | None:
    """The function of glibc that gives back what is free, in 10 to 50 ms; None without one."""
    with suppress(OSError, AttributeError, TypeError):  # another system, or another C library
        trim = ctypes.CDLL(None).malloc_trim
        return lambda: trim(0)
    return None


def watch() -> None:
    """Start the thread, once everything is imported; a second call would start another."""
    if trim := trimmer():
        threading.Thread(target=_look, args=(trim,), name="embviz-memory", daemon=True).start()


def _look(trim: Callable[[], object]) -> None:
    process = psutil.Process()
    trim()  # what the imports have freed
    least = process.memory_info().rss
    while True:
        time.sleep(LOOK_S)
        now = process.memory_info().rss
        if now > least + GROWN_BYTES:
            trim()
        least = min(least, now)
