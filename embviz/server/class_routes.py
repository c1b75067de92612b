"""The routes of classes: what sets a cookie, and the small one that students' pages ask.

- `POST class/start` starts a class; its answer leads to the board.
- `GET class?code=CODE` and `GET class/CODE` make the browser one student and lead to the lab. No
  row is made: a preview of the link asks too.
- `GET class/CODE/version` is a number that changes with each press of the teacher.
- `GET class/CODE/csv` is a file of all answers, for the teacher.
- `GET class/CODE/board/SECRET` gives another device the board, for a minute after a press there.

A refusal costs its sender a second. No other request waits for it.
"""

import asyncio
import hmac
import re
import threading
from collections.abc import Callable
from functools import partial
from html import escape
from secrets import token_urlsafe
from urllib.parse import parse_qsl, quote

from cachetools import TTLCache
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from embviz.classes.here import here
from embviz.classes.room import ClassError, StoreError
from embviz.core.bounds import class_word, classes_on
from embviz.core.refused import Refused
from embviz.core.wording import quote as quoted
from embviz.server.addresses import under_base
from embviz.server.incoming import body, from_here
from embviz.server.threads import BusyError, Threads

STUDENT, TEACHER = "embviz_student", "embviz_teacher"  # cookies
WRONG_S = 1.0  # that a wrong code or word costs
PRESENT_S = 10.0  # after its last question a page counts as closed
# A proxy adds one of them. Then the peer is the proxy, and not who asks.
FORWARDED = ("forwarded", "via", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip")
NO_WORD = (
    "{} is not the word. Start a class at http://localhost on the machine that runs embviz, or "
    "with the word that whoever runs it has set: EMBVIZ_CLASS_WORD."
)
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_REFUSAL = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>embviz</title><meta name=viewport "
    "content='width=device-width'><style>:root {{ color-scheme: light dark; font: 1.1rem/1.5 "
    "system-ui; padding: 18vh 1rem }}</style><p>{}</p>"
)
_tickets: TTLCache[str, str] = TTLCache(1_000, 60.0)  # the code that each opens
_present: TTLCache[tuple[str, str], None] = TTLCache(5_000, PRESENT_S)
_threads = Threads("embviz-class", count=4, most=100)
_lock = threading.Lock()  # for both: the event loop and threads of pages use them

Fields = dict[str, str]  # of a request: its path's, its query's and its form's
# The page that a request leads to, or another answer; from its fields and the browser's cookie.
Endpoint = Callable[[Request, Fields, str], str | Response]


def ticket(code: str) -> str:
    """A secret that opens the board of a class on another device, for a minute."""
    secret = token_urlsafe(16)
    with _lock:
        _tickets[secret] = code
    return secret


def present(code: str) -> int:
    """How many students have their page open: it asks for the version every 3 s."""
    with _lock:
        return sum(one == code for one, _ in _present)


def join(_request: Request, given: Fields, _secret: str) -> str:
    """The way to the lab; the page there says if the code is wrong."""
    return f"labs?class={quote(given.get('code', '').strip()[:40], safe='')}"


def version(_request: Request, given: Fields, _secret: str) -> Response:
    """The class's version."""
    return PlainTextResponse(str(here().room(given["code"]).version), headers=_HEADERS)


def csv(_request: Request, given: Fields, secret: str) -> Response:
    """All answers, as a file.

    The file of a download button would be gone: Streamlit deletes it after two runs of any session.
    """
    from embviz.classes import board

    code, store = given["code"], here()
    if not store.is_teacher(code, secret):
        raise ClassError("Only the teacher of this class, in the browser that began it.")
    name = {"Content-Disposition": f'attachment; filename="embviz_{code}.csv"'}
    return Response(board.csv(store.answers(code)), media_type="text/csv", headers=_HEADERS | name)


def board(_request: Request, given: Fields, secret: str) -> str:
    """Make another device a teacher's; the way to an address without the ticket."""
    with _lock:
        opens = _tickets.get(given["ticket"])
    if opens != given["code"]:
        raise ClassError("This address is over. On the board, make a new one.")
    here().add_teacher(given["code"], secret)
    return f"labs?board={given['code']}"


def start(request: Request, given: Fields, secret: str) -> str:
    """A new class from the fields `lab`, `pace`, `word` of a form, and the way to its board."""
    if not from_here(request):
        raise ClassError("Only the pages of this server may start a class.")
    word, typed = class_word(), given.get("word", "")
    is_right = word and hmac.compare_digest(typed.encode(), word.encode())
    if not (is_right or is_at_server(request)):
        raise ClassError(NO_WORD.format(quoted(typed)))

    from embviz.labs.catalogue import LABS  # imports PyTorch; the server answers before it has

    if (lab := given.get("lab", "")) not in LABS:
        raise ClassError(f"{quoted(lab)} is not one of the labs: {', '.join(LABS)}.")
    return f"labs?board={here().start(lab, given.get('pace') == 'own', secret)}"


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
    # A socket for both kinds of addresses names one as ::ffff:127.0.0.1.
    return host in ("localhost", "::1") or host.removeprefix("::ffff:").startswith("127.")


async def _answer(endpoint: Endpoint, name: str, request: Request) -> Response:
    """Lead to the endpoint's page, with the cookie of this name; a refusal is a sentence."""
    secret = request.cookies.get(name, "")
    if not re.fullmatch(r"[\w-]{43}", secret, re.A):  # not one of ours
        secret = token_urlsafe(32)
    try:
        form = parse_qsl((await body(request, 1_000)).decode("utf-8", "replace"))
        given = {**request.query_params, **dict(form), **request.path_params}
        found = await _threads.run(endpoint, request, given, secret)
    except (ClientDisconnect, HTTPException, Refused) as error:
        await asyncio.sleep(WRONG_S)
        sentence = escape(getattr(error, "detail", str(error)))
        status = 503 if isinstance(error, StoreError | BusyError) else 403
        return HTMLResponse(_REFUSAL.format(sentence), status, _HEADERS)
    if isinstance(found, Response):
        if name == STUDENT:  # it asks for the version
            with _lock:
                _present[given["code"], secret] = None
        return found
    # Relative, because a proxy may show another path.
    depth = request.url.path.removeprefix(under_base("class")).count("/")
    led = RedirectResponse("../" * depth + found, 303, _HEADERS)
    led.set_cookie(
        name,
        secret,
        max_age=60 * 86_400,  # seconds; a class is deleted earlier
        path=under_base(""),
        secure="https" in f"{request.url.scheme} {request.headers.get('x-forwarded-proto')}",
        httponly=True,
        samesite="lax",
    )
    return led


def routes() -> list[Route]:
    """The routes, under the server's base path; none where classes are off."""
    ways: list[tuple[str, Endpoint, str, str]] = [
        ("class/start", start, TEACHER, "POST"),
        ("class", join, STUDENT, "GET"),
        ("class/{code}", join, STUDENT, "GET"),
        ("class/{code}/version", version, STUDENT, "GET"),
        ("class/{code}/csv", csv, TEACHER, "GET"),
        ("class/{code}/board/{ticket}", board, TEACHER, "GET"),
    ]
    return [
        Route(under_base(path), partial(_answer, endpoint, cookie), methods=[method])
        for path, endpoint, cookie, method in ways
        if classes_on()
    ]
