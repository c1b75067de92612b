"""The imports of a server's start, in a thread: what the first page needs, then all else.

PyTorch's import decides when the first picture is drawn. So it begins before Streamlit's server
does, and before everything that this picture does not need. Its compiled library takes a third of
a second to load; that does not need the GIL, so other imports go on meanwhile. A script that needs
a module earlier waits for its import. The other pages' imports begin when a browser fetches the
script that draws the first picture. Without such a request, as from a browser that has kept the
script, they begin after 4 s.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib.util
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from embviz.core.bounds import hosted
from embviz.server import assets, health, memory

OTHER_PAGES_AFTER_S = 4  # at the latest
_loaded = threading.Event()


def begin(first_page: Callable[[], None], other_pages: Callable[[], None]) -> None:
    """Start the thread, which imports by these two functions; return at once."""
    memory.postpone()
    atexit.register(_loaded.wait)  # a process that ends while the library loads would abort
    work = (first_page, other_pages)
    threading.Thread(target=_warm_up, args=work, name="embviz-warm-up", daemon=True).start()


def _warm_up(first_page: Callable[[], None], other_pages: Callable[[], None]) -> None:
    try:
        try:
            load_library()
        finally:
            _loaded.set()
        first_page()
        assets.asked.wait(OTHER_PAGES_AFTER_S)
        other_pages()
    finally:
        memory.freeze()
    health.warm.set()
    if hosted():
        from embviz.limits import isolated

        isolated.begin()  # before a sweep runs, because a small host has no memory for both


def load_library() -> None:
    """Load PyTorch's compiled library as its import does, in the same order, without the GIL.

    Python holds the GIL while it loads a module's library; a C function that ctypes calls runs
    without it. A library that does not load is left to the import, which raises the error.
    """
    found = importlib.util.find_spec("torch")
    if sys.platform != "linux" or found is None or found.origin is None:
        return
    folder = Path(found.origin).parent / "lib"
    load = ctypes.CDLL(None).dlopen
    load.argtypes, load.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
    for name, mode in (
        ("libtorch_global_deps.so", os.RTLD_GLOBAL),
        ("libtorch_cpu.so", os.RTLD_LOCAL),
    ):
        load(os.fsencode(folder / name), os.RTLD_NOW | mode)
