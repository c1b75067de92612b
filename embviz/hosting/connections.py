"""What each connection may make the server do, before any page or route is asked.

Bytes cost the event loop, which serves everybody: a chunk of one byte costs as much as one of 4 KB,
and half a megabyte of them stops all others for seconds. So between the system's connection and the
server that reads it (uvicorn) stands a `Guard`, which

- hands on few bytes at a time, and measures what reading them costs. Whoever has used up a share
  waits in a line of all such connections, which gets a fixed part of the loop's time: a flood waits
  behind itself;
- reads nothing from those who do not read their answers;
- ends a connection that asks nothing for 10 s, also one whose request cannot be read, and one whose
  answer nobody takes.

It needs no inner name of the server: both sides are asyncio's own protocols and transports, and
`asking` says which connection a request came by.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from embviz.hosting import messages
from embviz.hosting.capacity import most_connections
from embviz.system.spent import Spent

PIECE = 1_024  # bytes that are handed on at once
# Processor seconds of reading, at once and in each second from then on. A usual request takes
# 0.0003. What is over FRESH waits if all connections together have used up theirs.
AT_ONCE_S, EACH_SECOND_S = 0.01, 0.03
ALL_AT_ONCE_S, ALL_EACH_SECOND_S = 0.03, 0.2
FRESH_S = 0.001
# The line's turns: processor seconds of one, and the seconds of rest after it.
TURN_S, REST_S = 0.002, 0.008
MOST_UNREAD = 1 << 20  # bytes that wait to be sent, above which nothing more is read
LOOK_S = 1.0  # seconds between two looks at all connections
SILENT_S = 10.0  # seconds in which a connection must have asked
ANSWER_S = 300.0  # seconds that a request and its answer may take: a large upload, a slow phone
STUCK_S = 60.0  # seconds in which some of what waits to be sent must have been taken

_came_by: ContextVar[Guard | None] = ContextVar("embviz_came_by", default=None)


class Line:
    """The connections whose share is used up: each hands on one piece, and stands behind again."""

    def __init__(self) -> None:
        self._waiting = OrderedDict[Guard, None]()
        self.spent = Spent(ALL_EACH_SECOND_S)  # by those that do not wait

    def __contains__(self, guard: Guard) -> bool:
        return guard in self._waiting

    def add(self, guard: Guard) -> None:
        """Wait for a turn; the first one begins after a rest."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(REST_S, self._turn)
        self._waiting[guard] = None

    def _turn(self) -> None:
        begun = time.thread_time()
        while self._waiting and time.thread_time() - begun < TURN_S:
            guard, _ = self._waiting.popitem(last=False)
            guard.hand_on()
            if guard.has_more:
                self._waiting[guard] = None
        if self._waiting:
            asyncio.get_running_loop().call_later(REST_S, self._turn)


class Guard(asyncio.Protocol):
    """One connection: the protocol of the system's transport, and the transport of the server's.

    Attributes:
        transport: of the system.
        protocol: of the server; another one once a websocket has begun.
        requests: those that a page or route works at; a websocket is one, as long as it lasts.
        since: seconds on the loop's clock since which it asks nothing, or works at a request.
        is_websocket: whether a websocket has begun.
    """

    transport: Any = None

    def __init__(self, protocol: Any, every: set[Guard], line: Line) -> None:
        self.protocol = protocol
        self.requests, self.since, self.is_websocket = 0, 0.0, False
        self._every, self._line, self._spent = every, line, Spent(EACH_SECOND_S)
        self._read = bytearray()  # bytes that are not handed on yet
        self._wants_none = False  # the protocol wants to read nothing
        self._unsent, self._taken_at = 0, 0.0  # bytes at the last look, and when they became fewer

    def connection_made(self, transport: Any) -> None:
        """Begin; the protocol gets this guard as its transport."""
        self.transport = transport
        self.since = self._taken_at = asyncio.get_running_loop().time()
        self._every.add(self)
        self.protocol.connection_made(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End; what was not handed on is dropped."""
        self._every.discard(self)
        self.protocol.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Hand on what the share allows; the rest waits, and nothing more is read."""
        self._read += data
        self.go_on()

    def eof_received(self) -> Any:
        """The other side sends nothing more."""
        return self.protocol.eof_received()

    def pause_writing(self) -> None:
        """The other side takes its answers slowly."""
        self.protocol.pause_writing()

    def resume_writing(self) -> None:
        """It has taken them."""
        self.protocol.resume_writing()
        self.go_on()

    def __getattr__(self, name: str) -> Any:
        """Anything else that the protocol asks of its transport."""
        return getattr(self.transport, name)

    def set_protocol(self, protocol: Any) -> None:
        """Another protocol reads from now on: a websocket begins."""
        self.protocol = protocol

    def pause_reading(self) -> None:
        """The protocol wants to read nothing."""
        self._wants_none = True
        self._let_read()

    def resume_reading(self) -> None:
        """The protocol reads on, a little later: it may be in the middle of a piece."""
        self._wants_none = False
        asyncio.get_running_loop().call_soon(self.go_on)

    @property
    def has_more(self) -> bool:
        """Whether a piece can be handed on now."""
        is_held = self._wants_none or self.transport.get_write_buffer_size() > MOST_UNREAD
        return bool(self._read) and not is_held and not self.transport.is_closing()

    def go_on(self) -> None:
        """Hand on what there is, now or in the line; then read on."""
        while self.has_more and self not in self._line:
            mine = self._spent.amount
            is_crowded = self._line.spent.amount > ALL_AT_ONCE_S
            if mine > (FRESH_S if is_crowded else AT_ONCE_S):
                self._line.add(self)
            else:
                self._line.spent.add(self.hand_on())
        self._let_read()

    def hand_on(self) -> float:
        """Let the protocol read one piece; the processor seconds that this took."""
        if not self.has_more:
            return 0.0
        piece = bytes(self._read[:PIECE])
        del self._read[:PIECE]
        begun, earlier = time.thread_time(), _came_by.set(self)
        try:
            self.protocol.data_received(piece)
        finally:
            _came_by.reset(earlier)
            taken = time.thread_time() - begun
            self._spent.add(taken)
        self._let_read()
        return taken

    def _let_read(self) -> None:
        """Read from the system only while all before is handed on."""
        if self.transport.is_closing():
            return
        if self._read or self._wants_none:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def is_over(self, now: float) -> bool:
        """Whether it asked nothing, got no answer, or took nothing, for too long."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent < self._unsent:
            self._taken_at = now
        self._unsent = unsent
        if now - self._taken_at > STUCK_S:
            return True
        if self.is_websocket:  # it lasts
            return False
        return now - self.since > (ANSWER_S if self.requests else SILENT_S)


@contextmanager
def asking(is_websocket: bool) -> Iterator[None]:
    """A request works until the block ends: its connection asks something."""
    guard, loop = _came_by.get(), asyncio.get_running_loop()
    if guard is None:  # a test that asks the app itself
        yield
        return
    guard.requests, guard.since, guard.is_websocket = guard.requests + 1, loop.time(), is_websocket
    try:
        yield
    finally:
        guard.requests, guard.since, guard.is_websocket = guard.requests - 1, loop.time(), False


def guard_all() -> set[Guard]:
    """Guard what connects to the servers that this event loop makes from now on.

    Returns:
        The connections that are open.
    """
    loop: Any = asyncio.get_running_loop()
    every, line = set[Guard](), Line()

    def guarded(create: Any, factory: Callable[[], Any], *given: Any, **more: Any) -> Any:
        def guard() -> Guard:
            protocol = factory()
            protocol.config.ws_max_size = messages.most_bytes()  # what one message may collect
            return Guard(protocol, every, line)

        return create(guard, *given, **more)

    loop.create_server = partial(guarded, loop.create_server)
    loop.create_unix_server = partial(guarded, loop.create_unix_server)
    return every


async def watch(every: set[Guard]) -> None:
    """End what asks nothing, again and again, until the task is cancelled."""
    while True:
        await asyncio.sleep(LOOK_S)
        for guard in over(every, asyncio.get_running_loop().time(), most_connections()):
            guard.transport.abort()


def over(every: set[Guard], now: float, most: int) -> list[Guard]:
    """Connections whose time is over, and silent ones above the number of `most`, latest first."""
    ends = [guard for guard in every if guard.is_over(now)]
    silent = [guard for guard in every if not guard.requests and guard not in ends]
    silent.sort(key=lambda guard: guard.since, reverse=True)
    return ends + silent[: max(0, len(every) - len(ends) - most)]
