"""The route `class/state`: whether the teacher has paused, revealed or ended; for members.

A student's page asks every two seconds, in a large class less often, and starts a rerun only where
`version` differs from what it shows. A member is answered from memory, as long as that is new. Else
a thread of its own asks the database, and the event loop does not wait for it.
There are no cookies here: the code and the member's token are all that is needed.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from embviz.classes.record import ClassError, Member, StoreError
from embviz.core.bounds import SESSIONS, classes_on
from embviz.server.addresses import under_base
from embviz.server.incoming import from_here

if TYPE_CHECKING:
    from embviz.classes.outbox import Outbox
    from embviz.classes.room import Room
    from embviz.classes.store import Store

PATH = "class/state"
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
THREADS = 2
AGAIN_S = 2.0  # until a page asks again
MOST_PER_S = 25  # questions of one class
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
    return f"{room.classroom.version}{' hand' * member.hand}" if member else ""


def state(code: str, token: str) -> dict[str, Any]:
    """What a member's page asks for, from the database where that is due.

    Raises:
        ClassError: there is no such class; the sentence says so.
        StoreError: the database cannot be read, and the class is not in memory.
    """
    from embviz.classes.here import here  # imports PyTorch, which the server's start does not

    found = here()
    if found is None:
        raise ClassError("This server has no classes.")
    found.known(code, token)
    room = _rooms[code] = found.rooms.get(code)
    room.refresh()
    return _told(room, code, token)


def from_memory(code: str, token: str) -> dict[str, Any] | None:
    """The same for a member of a class that was just asked for; else None."""
    from embviz.classes.room import POLL_S

    room = _rooms.get(code)
    if room is None or room.gone or room.member(token) is None:
        return None
    return _told(room, code, token) if time.time() - room.asked < POLL_S else None


def _told(room: Room, code: str, token: str) -> dict[str, Any]:
    box = _outboxes.get((code, token))
    classroom = room.classroom
    return {
        "version": version(room, token),
        "paused": classroom.paused,
        "revealed": sorted(classroom.revealed),
        "ended": classroom.ended,
        "waiting": 0 if box is None else box.waiting,
        "since": room.silent_since if box is None or box.since is None else box.since,
        "answered": room.has_answers(token),
        "refused": None if box is None else box.refused,
        "again_s": max(AGAIN_S, len(room.members) / MOST_PER_S),
    }


class State:
    """The endpoint of the route.

    Attributes:
        open: requests that wait or are answered; at most `EMBVIZ_MAX_SESSIONS`.
    """

    def __init__(self) -> None:
        self.open = 0
        self._pool = ThreadPoolExecutor(THREADS, "embviz-class-state")

    async def answer(self, request: Request) -> Response:
        """The answer to one request."""
        if not from_here(request):
            return _refused("Only the pages of this server may ask it.", 403)
        if self.open >= SESSIONS.value():
            return _refused("The server is busy.", 429)
        code, token = (request.query_params.get(name, "") for name in ("code", "member"))
        self.open += 1
        try:
            told = from_memory(code, token) or await asyncio.get_running_loop().run_in_executor(
                self._pool, state, code, token
            )
            return JSONResponse(told, headers=HEADERS)
        except ClassError as error:
            return _refused(str(error), 404)
        except StoreError as error:
            return _refused(str(error), 503)
        finally:
            self.open -= 1


def _refused(sentence: str, status: int) -> Response:
    return JSONResponse({"refusal": sentence}, status, HEADERS)


def routes() -> list[Route]:
    """The route, under the server's base path; none where classes are off."""
    return [Route(under_base(PATH), State().answer, methods=["GET"])] if classes_on() else []
