"""The start of a server: imports in a thread, `/ready`, and garbage that is not walked again.

PyTorch's import decides when the first picture is drawn. It begins once Streamlit's server can
answer: a browser then loads Streamlit, and draws the frame, meanwhile. The other pages' imports
begin when a browser has fetched the script of that picture, or after 4 s. A full collection of
garbage walks every object while it holds the GIL: with PyTorch loaded 70 to 110 ms, during which no
session is served. Frozen objects are not walked.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from embviz.server import assets
from embviz.server.addresses import under_base

OTHER_PAGES_AFTER_S = 4.0  # at the latest
_LOGGER = logging.getLogger("embviz")


class Progress:
    """How far the start has come.

    Attributes:
        is_warm: whether everything is imported.
        failure: why it will never be; empty while all goes well.
        ends: whether the server stops; Python then refuses new threads, which is no failure.
    """

    is_warm = False
    failure = ""
    ends = False


progress = Progress()


def begin(first_page: Callable[[], None], then: Callable[[], None]) -> threading.Thread:
    """Start the thread, which calls `first_page`, then `then`, which imports all else."""
    gc.disable()  # collections take a fifth of the time of an import
    thread = threading.Thread(target=_prepare, args=(first_page, then), daemon=True)
    thread.start()
    return thread


def _prepare(first_page: Callable[[], None], then: Callable[[], None]) -> None:
    try:
        first_page()
        assets.first_sent.wait(OTHER_PAGES_AFTER_S)
        then()
    except Exception as error:
        if progress.ends:
            return
        _LOGGER.exception("The server's start failed")
        progress.failure = f"{type(error).__name__}: {error}"
    finally:
        gc.collect()
        gc.freeze()
        # Python postpones a full collection until the new objects are a quarter of those that the
        # last one left. The frozen ones count unless another collection follows.
        gc.collect()
        gc.enable()
    progress.is_warm = not progress.failure


async def ready(_request: Request) -> JSONResponse:
    """200 after all imports, 503 before, and for ever with a reason if one has failed."""
    content = {"ready": progress.is_warm} | (
        {"reason": progress.failure} if progress.failure else {}
    )
    headers = {"Cache-Control": "no-store", "Retry-After": "2"}
    return JSONResponse(content, 200 if progress.is_warm else 503, headers)


def routes() -> list[Route]:
    """The route of `/ready`."""
    return [Route(under_base("ready"), ready)]
