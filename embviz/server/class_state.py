"""The routes `class/state` and `class/board`: what the pages of a class ask again and again.

A student's page asks `class/state` whether the teacher has paused, revealed or ended, and starts a
rerun where `version` differs from what it shows. A page that names the version that it shows waits
for its answer until something changes (see `class_wait`). The code and the member's token are all
that is needed.
A board asks `class/board` again and again, and gets all that it shows if that has changed. Its
right is the cookie of the class's teacher.
Both are answered from memory as long as that is new. Else a thread of their own asks the database,
and the event loop does not wait for it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from embviz.classes.record import ClassError, Member, StoreError
from embviz.core.bounds import SESSIONS, classes_on
from embviz.server.addresses import under_base
from embviz.server.class_start import COOKIE, is_secret
from embviz.server.class_wait import Waiting
from embviz.server.incoming import from_here

if TYPE_CHECKING:
    from embviz.classes.here import Here
    from embviz.classes.outbox import Outbox
    from embviz.classes.room import Room
    from embviz.classes.store import Store

T = TypeVar("T")
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
THREADS = 2
RERUNS_PER_S = 25  # of one class, after the teacher has pressed something
_outboxes: WeakValueDictionary[tuple[str, str], Outbox] = WeakValueDictionary()
_rooms: WeakValueDictionary[str, Room] = WeakValueDictionary()
_lock = threading.Lock()


def outbox_of(store: Store, code: str, token: str) -> Outbox:
    """The answers of a member that wait; all tabs of the member share it."""
    from embviz.classes.outbox import Outbox

    with _lock:
        found = _outboxes.get((code, token))
        if found is None:
            found = _outboxes[code, token] = Outbox(store, code, token)
        return found


def version(room: Room, token: str, joined: Member | None = None) -> str:
    """Changes with all that a member's page shows of the class, but not with each answer.

    Empty before the member has joined; `joined` is the member where the room may not know yet.
    """
    member = room.member(token) or joined
    return str(room.classroom.version) if member else ""


def state(code: str, token: str) -> dict[str, Any]:
    """What a member's page asks for, from the database where that is due.

    Raises:
        ClassError: there is no such class; the sentence says so.
        StoreError: the database cannot be read, and the class is not in memory.
    """
    _here().known(code, token)
    return _told(_refreshed(code), code, token)


def _here() -> Here:
    from embviz.classes.here import here  # imports PyTorch, which the server's start does not

    found = here()
    if found is None:
        raise ClassError("This server has no classes.")
    return found


def _refreshed(code: str) -> Room:
    room = _rooms[code] = _here().rooms.get(code)
    room.refresh()
    return room


def from_memory(code: str, token: str, fresh: bool = False) -> dict[str, Any] | None:
    """The same for a member of a class in memory, with `fresh` one that is new enough; or None."""
    room = _rooms.get(code)
    if room is None or room.gone or room.member(token) is None:
        return None
    from embviz.classes.room import FRESH, POLL_S  # imported before, since there is a room

    is_old = fresh and time.time() - room.asked >= FRESH * POLL_S
    return None if is_old else _told(room, code, token)


def _told(room: Room, code: str, token: str) -> dict[str, Any]:
    box = _outboxes.get((code, token))
    return {
        "version": version(room, token),
        "waiting": 0 if box is None else box.waiting,
        "since": room.silent_since if box is None or box.since is None else box.since,
        "answered": bool(room.answers(token)),
        "refused": None if box is None else box.refused,
    }


def board(code: str, secret: str, question: int, seen: str) -> dict[str, Any] | None:
    """What a board shows; None where that is `seen`.

    Raises:
        PermissionError: this browser has not started the class.
        ClassError: there is no such class.
        StoreError: the database cannot be read, and the class is not in memory.
    """
    from embviz.classes import shown

    if not (is_secret(secret) and _here().is_teacher(code, secret)):
        raise PermissionError("Only the browser that started the class sees its board.")
    room = _refreshed(code)
    return None if shown.version(room) == seen else shown.shown(room, question)


class Asked:
    """The endpoints of both routes.

    Attributes:
        open: requests that wait or are answered; at most twice `EMBVIZ_MAX_SESSIONS`.
    """

    def __init__(self) -> None:
        self.open = 0
        self._pool = ThreadPoolExecutor(THREADS, "embviz-class-state")
        self._waiting = Waiting(self._refresh, from_memory)

    async def state(self, request: Request) -> Response:
        """The answer to a student's page."""
        return await self._answered(request, self._state)

    async def board(self, request: Request) -> Response:
        """The answer to a board."""
        return await self._answered(request, self._board)

    async def _answered(
        self, request: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        if not from_here(request):
            return _refused("Only the pages of this server may ask it.", 403)
        if self.open >= 2 * SESSIONS.value():
            return _refused("The server is busy.", 429)
        self.open += 1
        try:
            return await answer(request)
        except PermissionError as error:
            return _refused(str(error), 403)
        except ClassError as error:
            return _refused(str(error), 404)
        except StoreError as error:
            return _refused(str(error), 503)
        finally:
            self.open -= 1

    async def _state(self, request: Request) -> Response:
        code, token = (request.query_params.get(name, "") for name in ("code", "member"))
        told = await self._look(code, token)
        seen = request.query_params.get("seen")
        # A page that is not in yet has no version: each look for it would ask the database.
        is_known = told["version"] and told["version"] == seen and not told["waiting"]
        # Beyond one request for each visitor nobody waits: such requests are of pages that left.
        if is_known and self.open <= SESSIONS.value():
            await self._waiting.news(request, code, token, told)
            told = await self._look(code, token)
        room = _rooms.get(code)
        spread_s = len(room.members) / RERUNS_PER_S if room else 0.0
        return JSONResponse({**told, "spread_s": spread_s}, headers=HEADERS)

    async def _look(self, code: str, token: str) -> dict[str, Any]:
        told = from_memory(code, token, fresh=True)
        return await self._in_thread(state, code, token) if told is None else told

    async def _refresh(self, code: str) -> None:
        await self._in_thread(_refreshed, code)

    async def _board(self, request: Request) -> Response:
        given = request.query_params
        question = given.get("question", "")
        shown = await self._in_thread(
            board,
            given.get("code", ""),
            request.cookies.get(COOKIE, ""),
            int(question) if question.isdecimal() and len(question) < 3 else 0,
            given.get("version", ""),
        )
        return JSONResponse(shown, headers=HEADERS) if shown else Response(None, 204, HEADERS)

    async def _in_thread(self, ask: Callable[..., T], *given: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, ask, *given)


def _refused(sentence: str, status: int) -> Response:
    return JSONResponse({"refusal": sentence}, status, HEADERS)


def routes() -> list[Route]:
    """The routes, under the server's base path; none where classes are off."""
    asked = Asked()
    paths = {"class/state": asked.state, "class/board": asked.board}
    return [
        Route(under_base(path), answer, methods=["GET"])
        for path, answer in (paths.items() if classes_on() else ())
    ]
