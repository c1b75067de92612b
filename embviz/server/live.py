"""The route `live`: one answer to typed text, without a session and without a rerun.

`POST` takes JSON and gives the stage's bytes. `GET` takes the parameters of an address and gives
the same, or JSON. Two threads of its own compute: one is for large tables and long texts, so that
short requests do not wait for them. The route answers programs on allowed hosts and the pages of
this server. It knows no sessions, and writes no text to a log. A few answers about parts of pages
are kept in memory, because a rerun needs them 0.25 s later.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from embviz.core.bounds import LIVE, SESSIONS
from embviz.core.config import OverLimitError
from embviz.server import health
from embviz.server.addresses import under_base
from embviz.server.incoming import CLOSE, body, from_here

if TYPE_CHECKING:
    from embviz.request.live import Asked

KB = 1000
WAIT_S = 3.0  # its computation must begin within this time; a browser gives up 1 s later
RETRY_S = 1
HEADERS = {"Cache-Control": "no-store", "Vary": "Accept", "X-Content-Type-Options": "nosniff"}
SHORT = 16 * KB  # bytes of a request that are read within a millisecond
SMALL = 2**20  # numbers of a table that is built, or multiplied by one id, within milliseconds
WORK = 2**27  # numbers of the table times bytes of the request; the bytes bound its distinct ids
_LOGGER = logging.getLogger("embviz")


class Live:
    """The endpoint of the route.

    Attributes:
        open: requests that arrive, wait or are computed; at most `EMBVIZ_MAX_SESSIONS`.
    """

    def __init__(self) -> None:
        self.open = 0
        self._quick = ThreadPoolExecutor(1, "embviz-live")
        self._slow = ThreadPoolExecutor(1, "embviz-live-slow")
        self._imported = False

    async def answer(self, request: Request) -> Response:
        """The answer to one request."""
        self.open += 1
        try:
            if not from_here(request):
                raise HTTPException(403, "Only the pages of this server may ask it.")
            if self.open > SESSIONS.value():
                raise _busy()
            return await self._answer(request, await body(request, _check_length))
        except HTTPException as error:
            return _refused(error.detail, error.status_code, error.headers)
        except ClientDisconnect:
            return Response(status_code=400)  # the client has gone
        finally:
            self.open -= 1

    async def _answer(self, request: Request, body: bytes) -> Response:
        if not self._imported:  # the first request waits until the server has imported PyTorch
            await self._in(self._slow, _import)
            self._imported = True
        from embviz.request import live
        from embviz.server.tables import run_both_cached

        def read() -> Asked:
            if request.method == "POST":
                return live.from_body(body)
            return live.from_query(request.query_params.multi_items())

        wants_json = "application/json" in request.headers.get("accept", "")
        as_json = request.method != "POST" and wants_json
        make = live.answer_json if as_json else live.answer
        try:
            size = len(body) + len(request.scope["query_string"])
            if size > SHORT:
                made = await self._in(self._slow, lambda: make(read(), run_both_cached))
            else:
                asked = read()
                # A part of a page computes longer than the stage.
                is_small = asked.numbers < SMALL and not asked.part
                is_quick = is_small and asked.numbers * size < WORK
                pool = self._quick if is_quick else self._slow
                made = await self._in(pool, lambda: make(asked, run_both_cached))
        except live.RefusedError as error:
            if isinstance(error, live.UnknownPartError) and not health.warm.is_set():
                raise _busy() from None  # not imported yet: the page's rerun answers
            status = 413 if isinstance(error, OverLimitError) else 422
            return _refused(str(error), status, fixes=error.fixes)
        except HTTPException:
            raise
        except Exception as error:
            # Without the error's message, which may quote the text.
            lines = "".join(traceback.format_tb(error.__traceback__))
            _LOGGER.error("%s in the route live\n%s", type(error).__name__, lines)
            return _refused("The server failed, and its log says where.", 500)
        if as_json:
            return Response(made, headers=HEADERS, media_type="application/json")
        # Streamlit would compress it: of 7 KB that saves 2, and costs 0.5 ms.
        raw = HEADERS | {"Content-Encoding": "identity"}
        return Response(made, headers=raw, media_type="application/octet-stream")

    async def _in(self, pool: ThreadPoolExecutor, make: Callable[[], Any]) -> Any:
        """The result of `make()` in the pool.

        Raises:
            HTTPException: it did not begin within `WAIT_S`.
        """
        since = time.monotonic()

        def begin() -> Any:
            if time.monotonic() - since > WAIT_S:
                raise _busy()
            return make()

        return await asyncio.get_running_loop().run_in_executor(pool, begin)


def _check_length(length: int) -> None:
    if length > (most := LIVE.value()) * KB:
        raise HTTPException(413, f"The request is longer than {most:,} {LIVE.unit}.", CLOSE)


def _import() -> None:
    import embviz.request.live
    import embviz.server.tables  # noqa: F401


def _busy() -> HTTPException:
    return HTTPException(429, "The server is busy.", {"Retry-After": str(RETRY_S)})


def _refused(
    sentence: str, status: int, headers: Mapping[str, str] | None = None, fixes: Any = None
) -> Response:
    content = json.dumps({"refusal": sentence, "fixes": fixes or {}})
    return Response(content, status, HEADERS | dict(headers or {}), "application/json")


def routes() -> list[Route]:
    """The route, under the server's base path."""
    return [Route(under_base("live"), Live().answer, methods=["GET", "POST"])]
