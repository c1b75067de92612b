"""The imports of a server's start, in a thread: what the first page needs, then all else.

PyTorch's import decides when the first picture is drawn. So it begins before Streamlit's server
does, and before everything that this picture does not need. A script that needs a module earlier
waits for its import. The other pages' imports begin when a browser fetches the script that draws
the first picture. Without such a request, as from a browser that has kept the script, they begin
after 4 s.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from embviz.core.bounds import hosted
from embviz.server import assets, health, memory

OTHER_PAGES_AFTER_S = 4  # at the latest


def begin(first_page: Callable[[], None], other_pages: Callable[[], None]) -> None:
    """Start the thread, which imports by these two functions; return at once."""
    memory.postpone()
    work = (first_page, other_pages)
    threading.Thread(target=_warm_up, args=work, name="embviz-warm-up", daemon=True).start()


def _warm_up(first_page: Callable[[], None], other_pages: Callable[[], None]) -> None:
    try:
        first_page()
        assets.asked.wait(OTHER_PAGES_AFTER_S)
        other_pages()
    finally:
        memory.freeze()
    health.warm.set()
    if hosted():
        from embviz.limits import isolated

        isolated.begin()  # before a sweep runs, because a small host has no memory for both
