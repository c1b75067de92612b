"""One browser tab: a websocket, the times of runs, and the request that each run answers.

Streamlit's messages do not name the request that a run answers, so the order decides. A request is
answered by the first run of the same kind (whole script or fragment) that *starts* after it was
sent and does not end early for another run. A callback may rerun a fragment alone: then the run of
the whole script ends early, and the fragment's run is the answer. Several requests may be under
way; one run answers all that were sent before it started. The browser asks for a fragment with
`run_every` again at each interval, until the whole script runs again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from protocol import EARLY, Screen, Value
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

LIMIT_S = 30.0  # for a run to finish


class NoAnswerError(Exception):
    """A run did not finish in time."""


class EndedError(NoAnswerError):
    """The connection could not be made, or has ended, with the reason."""


@dataclass
class _Awaited:
    fragment: str
    done: asyncio.Future[float]
    started: bool = False


@dataclass
class Session:
    """One student's connection.

    Attributes:
        address: `http://localhost:8501`.
        on_fragment: called with the seconds of each automatic run of a fragment.
        limit_s: for a run to finish.
        cookie: as the browser sends it, or `""`.
    """

    address: str
    on_fragment: Callable[[float], None]
    limit_s: float = LIMIT_S
    cookie: str = ""
    screen: Screen = field(default_factory=Screen)
    received: int = 0  # bytes
    _socket: ClientConnection | None = None
    _awaited: list[_Awaited] = field(default_factory=list)
    _auto_sent: float | None = None
    _follows: bool = False
    _timers: dict[str, tuple[float, asyncio.Task[None]]] = field(default_factory=dict)
    _reader: asyncio.Task[None] | None = None

    async def open(self, place: str = "") -> float:
        """Connect and run the page with this path; return the seconds until it has run."""
        begun = time.perf_counter()
        try:
            self._socket = await connect(
                self.address.replace("http", "ws", 1) + "/_stcore/stream",
                # A browser without a cookie sends this.
                subprotocols=["streamlit", "PLACEHOLDER_AUTH_TOKEN"],  # type: ignore[list-item]
                origin=self.address,  # type: ignore[arg-type]
                additional_headers={"Cookie": self.cookie} if self.cookie else None,
                max_size=None,
                ping_interval=None,
                open_timeout=self.limit_s,
                close_timeout=2,
                proxy=None,
            )
        except (OSError, WebSocketException, TimeoutError) as error:
            raise EndedError(f"cannot connect: {type(error).__name__}") from error
        self._reader = asyncio.create_task(self._read())
        await self._ask(self.screen.open(place))
        return time.perf_counter() - begun

    async def change(self, name: str, value: Value) -> float:
        """Set a widget; return the seconds until the page has run."""
        self.screen.set(name, value)
        fragment = self.screen.widgets[name].fragment
        return await self._ask(self.screen.rerun(fragment=fragment), fragment)

    async def press(self, name: str) -> float:
        """Press a button; return the seconds until the page has run."""
        fragment = self.screen.widgets[name].fragment
        return await self._ask(self.screen.rerun(pressed=name, fragment=fragment), fragment)

    async def tell(self, name: str, event: str, value: object) -> float:
        """Let a component tell something; return the seconds until the page has run."""
        fragment = self.screen.widgets[name].fragment
        told = {"event": event, "value": value}
        message = self.screen.rerun(pressed=name, fragment=fragment, event=told)
        return await self._ask(message, fragment)

    async def turn(self, place: str) -> float:
        """Go to another page; return the seconds until it has run."""
        self._stop_timers()
        return await self._ask(self.screen.turn(place))

    async def close(self) -> None:
        """Close the tab."""
        self._stop_timers()
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader

    async def _ask(self, message: BackMsg, fragment: str = "") -> float:
        awaited = _Awaited(fragment, asyncio.get_running_loop().create_future())
        self._awaited.append(awaited)
        begun = time.perf_counter()
        try:
            await self._send(message)
            async with asyncio.timeout(self.limit_s):
                return await awaited.done - begun
        except TimeoutError:
            raise NoAnswerError(f"no end of a run in {self.limit_s:g} s") from None
        finally:
            self._awaited.remove(awaited)

    async def _send(self, message: BackMsg) -> None:
        assert self._socket is not None
        try:
            await self._socket.send(message.SerializeToString())
        except WebSocketException as error:
            raise EndedError(f"the connection has ended: {error}") from error

    async def _read(self) -> None:
        assert self._socket is not None
        why = "the server closed the connection"
        try:
            async for raw in self._socket:
                assert isinstance(raw, bytes)
                self.received += len(raw)
                self._handle(self.screen.take(ForwardMsg.FromString(raw)))
        except WebSocketException as error:
            why = f"the connection has ended: {error}"
        finally:
            self._stop_timers()
            for awaited in self._awaited:
                if not awaited.done.done():
                    awaited.done.set_exception(EndedError(why))

    def _handle(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._started(list(message.metadata.run.fragment_ids))
        elif kind == "script_finished":
            self._finished(message.script_finished)
        elif kind == "auto_rerun":
            self._watch(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._stop_timer(fragment)

    def _started(self, fragments: list[str]) -> None:
        if not fragments:
            self._stop_timers()
            if not self._follows:  # earlier requests for a fragment are never answered
                self._auto_sent = None
        for awaited in self._awaited:
            awaited.started |= not fragments or awaited.fragment in fragments

    def _finished(self, status: int) -> None:
        self._follows = status == EARLY
        if self._follows:
            return
        now = time.perf_counter()
        if answered := [one for one in self._awaited if one.started]:
            for awaited in answered:
                if not awaited.done.done():
                    awaited.done.set_result(now)
            self._auto_sent = None
        elif self._auto_sent is not None:
            self.on_fragment(now - self._auto_sent)
            self._auto_sent = None

    def _watch(self, fragment: str, interval: float) -> None:
        known = self._timers.get(fragment)
        if known is not None and known[0] == interval:
            return
        self._stop_timer(fragment)
        self._timers[fragment] = interval, asyncio.create_task(self._again(fragment, interval))

    async def _again(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            if self._auto_sent is None:
                self._auto_sent = time.perf_counter()
            try:
                await self._send(self.screen.rerun(fragment=fragment, auto=True))
            except EndedError:  # the reading task reports it
                return

    def _stop_timer(self, fragment: str) -> None:
        if (known := self._timers.pop(fragment, None)) is not None:
            known[1].cancel()

    def _stop_timers(self) -> None:
        for fragment in [*self._timers]:
            self._stop_timer(fragment)
