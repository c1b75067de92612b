"""The routes of classes: what sets a cookie, and the small one that students' pages ask.

- `POST class/start` starts a class; its answer leads to the board.
- `GET class?code=CODE` and `GET class/CODE` make the browser one student and lead to the lab. No
  row is made: a preview of the link asks too.
- `GET class/CODE/version` changes with each press of the teacher and each answer of this browser.
- `GET class/CODE/csv` is a file of all answers, for the teacher; with `?table=students` it has a
  line for each student.
- `GET class/CODE/board/SECRET` gives another device the board, for a minute after a press there.

Who tries words or codes waits for its turn (`pace.py`); a browser of the class does not.
"""

import asyncio
import hmac
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from secrets import token_urlsafe
from urllib.parse import parse_qsl, quote

from cachetools import TTLCache
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from embviz.classes import visits
from embviz.classes.here import here
from embviz.classes.pace import BusyError, Tries, codes, words
from embviz.classes.room import ClassError, StoreError
from embviz.classes.visits import OURS, is_visitor
from embviz.server.addresses import under_base
from embviz.server.incoming import (
    from_here,
    host_of,
    is_allowed,
    is_at_server,
    received,
    refused_host,
)
from embviz.server.threads import LateError, Threads
from embviz.system.bounds import class_word, classes_on, hosted
from embviz.text.refused import Refused
from embviz.text.wording import quote as quoted

STUDENT, TEACHER = "embviz_student", "embviz_teacher"  # cookies
LOCKED_S = 1.0  # seconds after which a locked file is told
WRONG_WORD = "This is not the class word. Whoever runs embviz has set it: EMBVIZ_CLASS_WORD."
NO_WORD = (
    "From here a class needs a word, and this server has none. Start it at http://localhost on the "
    "machine that runs embviz, or have EMBVIZ_CLASS_WORD set there."
)
NO_WORD_HOSTED = (
    "A class needs a word here, and this server has none. Whoever runs it must set "
    "EMBVIZ_CLASS_WORD; then that word starts a class."
)
# Sentences that the page *Labs* says, beside the form, by the name that its address then has.
REFUSED = "refused"  # the parameter of the address
REFUSALS = {"word": WRONG_WORD, "no_word": NO_WORD, "no_word_hosted": NO_WORD_HOSTED}
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_REFUSAL = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>embviz</title><meta name=viewport "
    "content='width=device-width'><style>:root {{ color-scheme: light dark; font: 1.1rem/1.5 "
    "system-ui; padding: 18vh 1rem; max-width: 40rem; margin: auto }}</style><p>{}</p>"
    "<p><a href='{}'>Labs</a></p>"
)
TICKET_S = 60.0  # Seconds in which a ticket opens a board.
tickets: TTLCache[str, str] = TTLCache(1_000, TICKET_S)  # the code that each opens
# Seconds for which a version is kept. The pages of a class of 100 ask for it 33 times a second, and
# most answers need no thread and no file.
VERSION_S = 0.5
_versions: TTLCache[str, int] = TTLCache(1_000, VERSION_S)  # by the code of the class
_threads = Threads("embviz-class", count=4, most=100)
lock = threading.Lock()  # Both are used by the event loop and by threads of pages.


class NoStartError(ClassError):
    """The reason why no class is started, by its name in `REFUSALS`."""

    def __init__(self, name: str) -> None:
        super().__init__(REFUSALS[name])
        self.name = name


@dataclass(frozen=True)
class Asked:
    """A request to one of the routes.

    Attributes:
        request: for its address and its headers.
        given: parameters of its path, its query and its form.
        secret: the browser's cookie, or a new one that the answer sets.
    """

    request: Request
    given: dict[str, str]
    secret: str

    @property
    def address(self) -> str:
        """The address that the request comes from."""
        return self.request.client.host if self.request.client else ""

    async def wait_for_turn(self, tries: Tries) -> None:
        """Wait until a word or a code may be compared.

        Raises:
            BusyError: too many wait.
        """
        for wait_s in tries.waits(self.address):
            await asyncio.sleep(wait_s)


# The page that a request leads to, or another answer.
Endpoint = Callable[[Asked], Awaitable[str | Response]]


async def join(asked: Asked) -> str:
    """The way to the lab; the page there says if the code is wrong."""
    return f"labs?class={quote(asked.given.get('code', '').strip()[:40], safe='')}"


async def start(asked: Asked) -> str:
    """A new class from the field `lab` of a form, and the way to its board."""
    await _admit(asked)
    return await _threads.run(_start, asked.given.get("lab", ""), asked.secret)


def _start(lab: str, secret: str) -> str:
    from embviz.labs.catalogue import LABS  # imports PyTorch; the server answers before it has

    if lab not in LABS:
        raise ClassError(f"{quoted(lab)} is not one of the labs: {', '.join(LABS)}.")
    return f"labs?board={here().start(lab, secret)}"


async def _admit(asked: Asked) -> None:
    """Let a request start a class: with the word that is set, else at this machine alone.

    Raises:
        ClassError: it may not.
        BusyError: too many wait.
    """
    if not from_here(asked.request):
        raise ClassError("Only the pages of this server may start a class.")
    if word := class_word():
        await asked.wait_for_turn(words)
        if not hmac.compare_digest(asked.given.get("word", "").encode(), word.encode()):
            raise NoStartError("word")
        words.right(asked.address)
    elif hosted():
        raise NoStartError("no_word_hosted")
    elif not is_at_server(asked.address, asked.request.headers):
        raise NoStartError("no_word")


def paced(endpoint: Endpoint) -> Endpoint:
    """An endpoint for which a browser that is not of the class waits: it may be trying codes."""

    async def in_turn(asked: Asked) -> str | Response:
        if is_visitor(asked.given["code"], asked.secret):
            return await endpoint(asked)
        await asked.wait_for_turn(codes)
        answer = await endpoint(asked)
        codes.right(asked.address)
        return answer

    return in_turn


async def version(asked: Asked) -> Response:
    """The class's version."""
    code = asked.given["code"]
    with lock:
        found = _versions.get(code)
    if found is None:
        found = await _threads.run(_version, code)
    text = visits.version_asked(code, found, asked.secret)
    return PlainTextResponse(text, headers=_HEADERS)


def _version(code: str) -> int:
    found = here().room(code).version
    with lock:
        _versions[code] = found
    return found


async def csv(asked: Asked) -> Response:
    """All answers, or a line for each student, as a file.

    The file of a download button would be gone: Streamlit deletes it after two runs of any session.
    """
    return await _threads.run(_csv, asked.given, asked.secret)


def _csv(given: Mapping[str, str], secret: str) -> Response:
    from embviz.classes import board

    code, store = given["code"], here()
    if not store.is_teacher(code, secret):
        raise ClassError("Only the teacher of this class, in the browser that began it.")
    table, made = "", board.csv
    if given.get("table") == "students":
        table, made = "_students", board.csv_students
    name = {"Content-Disposition": f'attachment; filename="embviz_{code}{table}.csv"'}
    file = made(store.snapshot(code))
    return Response(file, media_type="text/csv", headers=_HEADERS | name)


def ticket(code: str) -> str:
    """A secret that opens the board of a class on another device, for a minute."""
    secret = token_urlsafe(16)
    with lock:
        tickets[secret] = code
    return secret


async def board(asked: Asked) -> str:
    """Make another device a teacher's; the way to an address without the ticket."""
    code = asked.given["code"]
    with lock:
        opens = tickets.get(asked.given["ticket"])
    if opens != code:
        raise ClassError("This address is over. On the board, make a new one.")
    await _threads.run(lambda: here().add_teacher(code, asked.secret))
    return f"labs?board={code}"


async def _refusal(error: Exception, labs: str, is_visit: bool) -> Response:
    """The sentence of a refusal and a link to the labs; a visitor's wrong word leads there."""
    if is_visit and isinstance(error, NoStartError):
        return RedirectResponse(f"{labs}?{REFUSED}={error.name}", 303, _HEADERS)
    status = 403
    if isinstance(error, StoreError | LateError):
        status = 503
        await asyncio.sleep(LOCKED_S)
    elif isinstance(error, BusyError):
        status = 429
    said = escape(getattr(error, "detail", str(error)))
    return HTMLResponse(_REFUSAL.format(said, labs), status, _HEADERS)


async def _answer(endpoint: Endpoint, cookie: str, request: Request) -> Response:
    """Lead to the endpoint's page, with the cookie of this name; a refusal is a sentence."""
    # Relative, because a proxy may show another path.
    up = "../" * request.url.path.removeprefix(under_base("class")).count("/")
    if not is_allowed(host := host_of(request)):
        said = escape(refused_host(host))
        return HTMLResponse(_REFUSAL.format(said, f"{up}labs"), 403, _HEADERS)
    secret = request.cookies.get(cookie, "")
    if not OURS.fullmatch(secret):
        secret = token_urlsafe(32)
    try:
        form = parse_qsl((await received(request, 1_000)).decode("utf-8", "replace"))
        given = {**request.query_params, **dict(form), **request.path_params}
        found = await endpoint(Asked(request, given, secret))
    except (ClientDisconnect, HTTPException, Refused) as error:
        is_visit = "text/html" in request.headers.get("accept", "")
        return await _refusal(error, f"{up}labs", is_visit)
    if isinstance(found, Response):
        return found
    led = RedirectResponse(up + found, 303, _HEADERS)
    led.set_cookie(
        cookie,
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
    if not classes_on():
        return []
    ways: list[tuple[str, Endpoint, str, str]] = [
        ("class/start", start, TEACHER, "POST"),
        ("class", join, STUDENT, "GET"),
        ("class/{code}", join, STUDENT, "GET"),
        ("class/{code}/version", paced(version), STUDENT, "GET"),
        ("class/{code}/csv", paced(csv), TEACHER, "GET"),
        ("class/{code}/board/{ticket}", paced(board), TEACHER, "GET"),
    ]
    return [
        Route(under_base(path), partial(_answer, endpoint, cookie), methods=[method])
        for path, endpoint, cookie, method in ways
    ]
