"""The routes of classes: what sets a cookie, and the small one that students' pages ask.

- `POST class/start` starts a class; its answer leads to the board.
- `GET class?code=CODE` and `GET class/CODE` make the browser one student and lead to the lab. No
  row is made: a preview of the link asks too.
- `GET class/CODE/version` is a number that changes with each press of the teacher.
- `GET class/CODE/board/SECRET` gives another device the board, for a minute after a press there.

A wrong code or word costs its sender a second. No other request waits for it.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
from collections.abc import Awaitable, Callable
from html import escape
from secrets import token_urlsafe
from urllib.parse import parse_qsl, quote

from cachetools import TTLCache
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from embviz.classes.here import here
from embviz.classes.room import NoClassError
from embviz.core.bounds import class_word, classes_on
from embviz.core.refused import Refused
from embviz.core.wording import quote as quoted
from embviz.server.addresses import under_base
from embviz.server.incoming import body, from_here

STUDENT, TEACHER = "embviz_student", "embviz_teacher"  # cookies
DAYS = 60  # that a browser keeps them; a class is deleted earlier
MOST_BYTES = 1_000  # of a request
WRONG_S = 1.0  # that a wrong code or word costs
PRESENT_S = 10.0  # after its last question a page counts as closed
# A proxy adds one of them. Then the peer is the proxy, and not who asks.
FORWARDED = ("forwarded", "via", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip")
NO_WORD = (
    "Start a class at http://localhost on the machine that runs embviz; or whoever runs it sets a "
    "word for it, EMBVIZ_CLASS_WORD."
)
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_REFUSAL = """<!doctype html><html lang="en"><meta charset="utf-8"><title>embviz</title>
<meta name="viewport" content="width=device-width"><style>:root {{ color-scheme: light dark;
font: 1.1rem/1.5 system-ui; padding: 18vh 1rem }}</style><p>{}</p>"""
_tickets: TTLCache[str, str] = TTLCache(1_000, 60.0)  # the code that each opens
_present: TTLCache[tuple[str, str], None] = TTLCache(5_000, PRESENT_S)

Endpoint = Callable[[Request], Awaitable[Response]]


def ticket(code: str) -> str:
    """A secret that opens the board of a class on another device, for a minute."""
    secret = token_urlsafe(16)
    _tickets[secret] = code
    return secret


def present(code: str) -> int:
    """How many students have their page open: it asks for the version every 3 s."""
    return sum(one == code for one, _ in list(_present))


def read_cookie(given: object) -> str:
    """A cookie that these routes can have set, else `""`."""
    return given if isinstance(given, str) and re.fullmatch(r"[\w-]{43}", given, re.A) else ""


async def join(request: Request) -> Response:
    """A student's cookie, and the way to the lab; the page there says if the code is wrong."""
    code = request.path_params.get("code") or request.query_params.get("code", "")
    page = f"labs?class={quote(code.strip()[:40], safe='')}"
    return _leads(request, page, STUDENT, _secret(request, STUDENT))


async def version(request: Request) -> Response:
    """The class's version; notes that this student's page is open."""
    room = await asyncio.to_thread(here().room, code := request.path_params["code"])
    if student := read_cookie(request.cookies.get(STUDENT)):
        _present[code, student] = None
    return PlainTextResponse(str(room.version), headers=_HEADERS)


async def board(request: Request) -> Response:
    """A teacher's cookie for another device, and the way to an address without the secret."""
    code, secret = request.path_params["code"], _secret(request, TEACHER)
    if _tickets.get(request.path_params["secret"]) != code:
        raise HTTPException(403, "This address is over. On the board, make a new one.")
    await asyncio.to_thread(here().add_teacher, code, secret)
    return _leads(request, f"labs?board={code}", TEACHER, secret)


async def start(request: Request) -> Response:
    """A new class from the fields `lab`, `pace`, `word` of a form, and the way to its board."""
    if not from_here(request):
        raise HTTPException(403, "Only the pages of this server may start a class.")
    content = await body(request, MOST_BYTES)
    given = dict(parse_qsl(content.decode("utf-8", "replace")))
    if not is_at_server(request):
        word, typed = class_word(), given.get("word", "")
        if not word:
            raise HTTPException(403, NO_WORD)
        if not hmac.compare_digest(typed.encode(), word.encode()):
            raise HTTPException(403, f"{quoted(typed)} is not the word: ask who runs this server.")

    from embviz.labs.catalogue import LABS  # imports PyTorch; the server answers before it has

    if (lab := given.get("lab", "")) not in LABS:
        raise HTTPException(422, f"{quoted(lab)} is not one of the labs: {', '.join(LABS)}.")
    secret, own_pace = _secret(request, TEACHER), given.get("pace") == "own"
    code = await asyncio.to_thread(here().start, lab, own_pace, secret)
    return _leads(request, f"labs?board={code}", TEACHER, secret)


def is_at_server(request: Request) -> bool:
    """Whether somebody at this very machine asks, without a proxy between."""
    if any(name in FORWARDED or name.startswith("x-forwarded") for name in request.headers):
        return False
    return request.client is not None and is_loopback(request.client.host)


def is_loopback(host: str) -> bool:
    """Whether a host is the machine that asks.

    >>> is_loopback("::ffff:127.0.0.1"), is_loopback("192.168.1.5"), is_loopback("localhost")
    (True, False, True)
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    # A socket for both kinds of addresses names one as ::ffff:127.0.0.1.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _secret(request: Request, name: str) -> str:
    return read_cookie(request.cookies.get(name)) or token_urlsafe(32)


def _leads(request: Request, page: str, name: str, secret: str) -> Response:
    """The way to a page, relative because a proxy may show another path; with a cookie."""
    depth = request.url.path.removeprefix(under_base("class")).count("/")
    answer = RedirectResponse("../" * depth + page, 303, _HEADERS)
    passed_on = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    answer.set_cookie(
        name,
        secret,
        max_age=DAYS * 24 * 3600,
        path=under_base(""),
        secure="https" in (request.url.scheme, passed_on),
        httponly=True,
        samesite="lax",
    )
    return answer


def _refusing(endpoint: Endpoint) -> Endpoint:
    """The endpoint; its refusals are a sentence each, and a second for a wrong code or word."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ClientDisconnect:
            return Response(status_code=400)
        except HTTPException as error:
            status, sentence = error.status_code, error.detail
        except Refused as error:
            status, sentence = (404 if isinstance(error, NoClassError) else 503), str(error)
        if status in (403, 404):
            await asyncio.sleep(WRONG_S)
        return HTMLResponse(_REFUSAL.format(escape(sentence, quote=False)), status, _HEADERS)

    return answer


def routes() -> list[Route]:
    """The routes, under the server's base path; none where classes are off."""
    paths = {
        "class/start": start,
        "class": join,
        "class/{code}": join,
        "class/{code}/version": version,
        "class/{code}/board/{secret}": board,
    }
    return [
        Route(under_base(path), _refusing(one), methods=["POST" if one is start else "GET"])
        for path, one in paths.items()
        if classes_on()
    ]
