"""The route `class/start`: makes a class, and gives the browser the cookie of its teacher.

`POST` with `{"lab": "row"}` answers `{"code": "tidy-otter-42"}`, or `{"refusal": sentence}`. The
cookie is the right to the board, so that the board's address can be projected. A browser has one
for all its classes, and no script can read it. The route shows nothing about a class.
"""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from secrets import token_urlsafe
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from embviz.classes.record import ClassError, StoreError
from embviz.core.bounds import classes_on
from embviz.core.wording import quote
from embviz.server.addresses import under_base
from embviz.server.incoming import body, from_here

COOKIE = "embviz_teacher"
DAYS = 60  # that a browser keeps the cookie; a class is deleted earlier
MOST_BYTES = 1_000  # of a request
MOST_OPEN = 16  # requests that arrive, wait or write
SECRET_BYTES = 32
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def is_secret(text: object) -> bool:
    """Whether a text can be a cookie that this route has set."""
    return isinstance(text, str) and _SECRET.fullmatch(text) is not None


class Starter:
    """The endpoint of the route.

    Attributes:
        open: requests that arrive, wait or write.
    """

    def __init__(self) -> None:
        self.open = 0
        self._pool = ThreadPoolExecutor(1, "embviz-class-start")

    async def answer(self, request: Request) -> Response:
        """The answer to one request."""
        if not classes_on():
            return Response("Not Found", 404, _HEADERS)
        self.open += 1
        try:
            if not from_here(request):
                raise HTTPException(403, "Only the pages of this server may start a class.")
            if self.open > MOST_OPEN:
                raise HTTPException(429, "The server is busy. Press again in a moment.")
            return await self._start(request, _lab(await body(request, MOST_BYTES)))
        except HTTPException as error:
            return _refused(error.detail, error.status_code, error.headers)
        except ValueError as error:  # no such lab, or too many classes; it says so
            return _refused(str(error), 422)
        except StoreError as error:
            return _refused(f"The class cannot be started now: {error}", 503)
        except ClientDisconnect:
            return Response(status_code=400)  # the client has gone
        finally:
            self.open -= 1

    async def _start(self, request: Request, chosen: str) -> Response:
        given = request.cookies.get(COOKIE, "")
        secret = given if is_secret(given) else token_urlsafe(SECRET_BYTES)

        def make() -> str:
            # Here, because both import PyTorch, and the server answers before it has.
            from embviz.classes.here import here
            from embviz.labs.exercises import lab

            classes = here()
            if classes is None:
                raise ClassError("Classes are switched off on this server.")
            return classes.store.start(lab(chosen).code, secret).code

        code = await asyncio.get_running_loop().run_in_executor(self._pool, make)
        answer = JSONResponse({"code": code}, headers=_HEADERS)
        answer.set_cookie(
            COOKIE,
            secret,
            max_age=DAYS * 24 * 3600,
            path=under_base(""),
            secure=_is_https(request),
            httponly=True,
            samesite="lax",
        )
        return answer


def _lab(content: bytes) -> str:
    """The lab that a request names.

    Raises:
        HTTPException: the request is not `{"lab": code}`.
    """
    try:
        given: Any = json.loads(content)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not isinstance(given.get("lab"), str):
        shown = quote(content[:80].decode("utf-8", "backslashreplace"))
        raise HTTPException(422, f'{shown} is not a request such as {{"lab": "row"}}.')
    chosen: str = given["lab"]
    return chosen


def _is_https(request: Request) -> bool:
    """Whether the browser uses TLS; a proxy in between says so in a header."""
    passed_on = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    return "https" in (request.url.scheme, passed_on)


def _refused(sentence: str, status: int, headers: Any = None) -> Response:
    return JSONResponse({"refusal": sentence}, status, _HEADERS | dict(headers or {}))


def routes() -> list[Route]:
    """The route, under the server's base path."""
    return [Route(under_base("class/start"), Starter().answer, methods=["POST"])]
