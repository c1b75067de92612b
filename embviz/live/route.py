"""The route `live`: one answer to typed text, without a session and without a rerun.

`POST` takes JSON and gives what the stage draws. `GET` takes the parameters of an address and gives
what `python -m embviz compare --json` prints. The route answers programs on allowed hosts and the
pages of this server. It keeps nothing of a request, and writes no text to a log.

The event loop itself computes small answers, a millisecond each, and one in each of its rounds, so
that it serves all others in between. A thread would wait several times for all reruns that
compute: with 100 who type, a key took five times as long.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from embviz.server import start
from embviz.server.addresses import under_base
from embviz.server.incoming import claimed_bytes, from_here, received
from embviz.server.threads import LateError, Threads
from embviz.system.bounds import KB, LIVE, SESSIONS
from embviz.text.refused import Refused

UNCOUNTED_BYTES = 5_000  # Bytes of a request that is read however many others arrive slowly.
ARRIVING_BYTES = 32_000_000  # Bytes that larger requests under way may have together.
RETRY = {"Retry-After": "1"}
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_LOGGER = logging.getLogger("embviz")


class Live:
    """The endpoint of the route.

    Attributes:
        arriving: bytes of the larger requests that arrive, as they say.
    """

    def __init__(self) -> None:
        self.arriving = 0
        # Two, so that a short one passes a large table.
        self._threads = Threads("embviz-live", 2, SESSIONS.value())

    async def answer(self, request: Request) -> Response:
        """The answer to one request."""
        try:
            if not from_here(request):
                raise HTTPException(403, "Only the pages of this server may ask it.")
            return await self._answer(request, await self._read(request))
        except HTTPException as error:
            return _refused(Refused(error.detail), error.status_code, error.headers)
        except LateError as late:
            return _refused(late, 429, RETRY)
        except ClientDisconnect:
            return Response(status_code=400)  # the client has gone
        except Exception as error:
            # Without the error's message, which may quote the text.
            lines = "".join(traceback.format_tb(error.__traceback__))
            _LOGGER.error("%s in the route live\n%s", type(error).__name__, lines)
            return _refused(Refused("The server failed, and its log says where."), 500)

    async def _read(self, request: Request) -> bytes:
        """The bytes of a request. Large ones that come slowly keep no small one out.

        Raises:
            HTTPException: it is too long.
            LateError: too many large ones arrive.
        """
        most = LIVE.value() * KB
        size = claimed_bytes(request.headers, most)
        if size <= UNCOUNTED_BYTES:
            return await received(request, min(UNCOUNTED_BYTES, most))
        if self.arriving + size > ARRIVING_BYTES:
            raise LateError
        self.arriving += size
        try:
            return await received(request, most)
        finally:
            self.arriving -= size

    async def _answer(self, request: Request, content: bytes) -> Response:
        is_short = False
        if start.progress.is_warm:
            from embviz.live.answer import is_small

            is_short = is_small(content)
        return await self._threads.run(_computed, request, content, on_loop=is_short)


def _computed(request: Request, content: bytes) -> Response:
    # Here, because both import PyTorch, and the server answers before it has.
    from embviz.live import answer as live
    from embviz.system.bounds import OverLimitError

    try:
        if request.method == "POST":
            made = live.answer(content)
            # Streamlit would compress it: of 7 KB that saves 2, and costs 0.5 ms.
            raw = {"Content-Encoding": "identity"}
            return Response(made, 200, _HEADERS | raw, "application/json")
        printed = live.answer_json(request.query_params)
        return Response(printed, 200, _HEADERS, "application/json")
    except Refused as error:
        status = 413 if isinstance(error, OverLimitError) else 422
        return _refused(error, status)


def _refused(refused: Refused, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(refused.to_json(), status, _HEADERS | dict(headers or {}), "application/json")


def routes() -> list[Route]:
    """The route, under the server's base path."""
    return [Route(under_base("live"), Live().answer, methods=["GET", "POST"])]
