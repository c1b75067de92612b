"""One browser tab without a browser: Streamlit's messages in, widgets on screen, states out.

A request carries the states of the widgets that it changes; the server keeps the others. A widget
that a run does not draw again is forgotten; a run of a fragment forgets those of its place alone.

Messages do not name the request that a run answers, so the order decides. A request is answered by
the first run of its kind (whole script or fragment) that starts after it was sent and does not end
early for another run. One run answers all that were sent before it started. The browser asks for a
fragment with `run_every` again at each interval, until the whole script runs again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

FIELDS = {bool: "bool_value", int: "int_value", str: "string_value"}


class NoAnswerError(Exception):
    """A run did not finish in time."""


class EndedError(NoAnswerError):
    """The connection could not be made, or has ended, with the reason."""


@dataclass(frozen=True)
class Widget:
    """A widget on screen: its element as the server sent it, what drew it, and where."""

    kind: str
    proto: Any
    fragment: str
    place: tuple[int, ...]
    run: int

    def state(self, value: Any) -> WidgetState:
        """The message with a new value; for a button that it was pressed."""
        state = WidgetState(id=self.proto.id)
        if self.kind == "button":
            state.trigger_value = True
        elif self.kind == "bidi_component":  # what it tells
            state.id = f"$$STREAMLIT_INTERNAL_KEY_{state.id}__events"
            state.json_trigger_value = json.dumps([value])
        elif isinstance(value, list):
            state.string_array_value.data.extend(value)
        else:
            setattr(state, FIELDS[type(value)], value)
        return state


@dataclass
class _Request:
    fragment: str
    done: asyncio.Future[float]
    started: bool = False


class Tab:
    """One visitor's connection to a server such as `http://localhost:8501`.

    Attributes:
        limit_s: for a run to finish.
        cookie: as the browser sends it, or `""`.
        query: the query string, read.
        widgets: by key; those without a key by their label.
        data: the bytes, or the JSON, that each component was last given, by its name.
        wrong: what no page may show, as sentences, since this was last emptied.
    """

    limit_s = 30.0

    def __init__(self, address: str, cookie: str = "", **query: list[str]) -> None:
        self.address, self.cookie, self.query = address, cookie, query
        self.widgets: dict[str, Widget] = {}
        self.data: dict[str, bytes] = {}
        self.wrong: list[str] = []
        self.on_run: Callable[[], None] = lambda: None  # called at the end of each run
        self._pages: dict[str, str] = {}  # the hash of each page's script
        self._page, self._run = "", 0
        self._roots: dict[str, tuple[int, ...]] = {}  # of this run's fragments: their places
        self._requests: list[_Request] = []
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._socket: Any = None

    @property
    def failed(self) -> bool:
        """Whether the page says that it failed; then its fragments answer no more."""
        return any("Reload to go on" in one for one in self.wrong)

    async def open(self, place: str = "") -> float:
        """Connect and run the page with this path; return the seconds until it has run."""
        begun = time.perf_counter()
        try:
            self._socket = await connect(
                self.address.replace("http", "ws", 1) + "/_stcore/stream",
                # A browser without a cookie sends this.
                subprotocols=["streamlit", "PLACEHOLDER_AUTH_TOKEN"],
                origin=self.address,
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
        await self.ask(self.request(page_name=place))
        return time.perf_counter() - begun

    async def change(self, name: str, value: Any = True) -> float:
        """Set a widget, or press a button; return the seconds until the page has run."""
        return await self.ask(self.request({name: value}, self.widgets[name].fragment))

    async def turn(self, place: str) -> float:
        """Go to another page; return the seconds until it has run."""
        self._stop(*self._timers)
        return await self.ask(self.request(page_script_hash=self._pages[place]))

    async def close(self) -> None:
        """Close the tab."""
        if self._socket is not None:
            self._stop(*self._timers)
            await self._socket.close()
            await self._reader

    def request(
        self, states: dict[str, Any] | None = None, fragment: str = "", **fields: Any
    ) -> BackMsg:
        """The request for a run with new values of widgets, and other fields of the message.

        A value may be any `WidgetState`, and its name any id.
        """
        message = BackMsg()
        asked = message.rerun_script
        asked.page_script_hash, asked.fragment_id = self._page, fragment
        asked.query_string = urlencode(self.query, doseq=True)
        for name, value in fields.items():
            setattr(asked, name, value)
        for name, value in (states or {}).items():
            state = asked.widget_states.widgets.add()
            if isinstance(value, WidgetState):
                state.CopyFrom(value)
                state.id = self.widgets[name].proto.id if name in self.widgets else name
            else:
                state.CopyFrom(self.widgets[name].state(value))
        return message

    async def ask(self, message: BackMsg) -> float:
        """Send a request; return the seconds until the page has run.

        Raises:
            NoAnswerError: it has not in time; or `EndedError`.
        """
        done = asyncio.get_running_loop().create_future()
        request = _Request(message.rerun_script.fragment_id, done)
        self._requests.append(request)
        begun = time.perf_counter()
        try:
            await self.send(message.SerializeToString())
            async with asyncio.timeout(self.limit_s):
                return await done - begun
        except TimeoutError:
            raise NoAnswerError(f"no end of a run in {self.limit_s:g} s") from None
        finally:
            self._requests.remove(request)

    async def send(self, raw: bytes | str) -> None:
        """Send a message, or any bytes, without waiting for an answer."""
        try:
            await self._socket.send(raw)
        except WebSocketException as error:
            raise EndedError(f"the connection has ended: {error}") from error

    async def _read(self) -> None:
        with contextlib.suppress(WebSocketException):
            async for raw in self._socket:
                self._take(ForwardMsg.FromString(raw))
        self._stop(*self._timers)
        for request in self._requests:
            if not request.done.done():
                request.done.set_exception(EndedError("the connection has ended"))

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._begin([*message.metadata.run.fragment_ids])
        elif kind == "delta":
            self._draw(message)
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
            for page in message.navigation.app_pages:
                self._pages[page.url_pathname] = page.page_script_hash
        elif kind == "page_info_changed":
            self.query = parse_qs(message.page_info_changed.query_string, keep_blank_values=True)
        elif kind == "auto_rerun":
            fragment, interval = message.auto_rerun.fragment_id, message.auto_rerun.interval
            self._stop(fragment)
            self._timers[fragment] = asyncio.create_task(self._again(fragment, interval))
        elif kind == "stop_auto_rerun":
            self._stop(*message.stop_auto_rerun.fragment_ids)
        elif kind == "page_not_found":
            self.wrong.append("page not found")
        elif kind == "script_finished":
            self._finish(message.script_finished)

    def _begin(self, fragments: list[str]) -> None:
        self._run += 1
        self._roots = {} if fragments else {"": ()}
        if not fragments:
            self._stop(*self._timers)
        for request in self._requests:
            request.started |= not fragments or request.fragment in fragments

    def _draw(self, message: ForwardMsg) -> None:
        place, fragment = tuple(message.metadata.delta_path), message.delta.fragment_id
        self._roots.setdefault(fragment, place)  # a fragment draws its container first
        element = message.delta.new_element
        if (kind := element.WhichOneof("type")) is None:
            return
        proto = getattr(element, kind)
        if kind == "exception":
            self.wrong.append(f"exception: {proto.type} {proto.message}")
        elif kind == "alert" and proto.format == Alert.ERROR:
            self.wrong.append(f"error: {proto.body}")
        elif kind == "bidi_component":
            self.data[proto.component_name] = proto.bytes or proto.json.encode()
        if getattr(proto, "id", ""):  # `$$ID-<hash>-<key>`
            key = proto.id.split("-", 2)[-1].removesuffix("None")
            name = key or getattr(proto, "label", proto.id)
            self.widgets[name] = Widget(kind, proto, fragment, place, self._run)

    def _finish(self, status: int) -> None:
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        now = time.perf_counter()
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.wrong.append("a run ended with an error")
        for name, widget in [*self.widgets.items()]:
            inside = any(widget.place[: len(root)] == root for root in self._roots.values())
            if widget.run != self._run and (inside or widget.fragment in self._roots):
                del self.widgets[name]
        for request in self._requests:
            if request.started and not request.done.done():
                request.done.set_result(now)
        self.on_run()

    async def _again(self, fragment: str, interval: float) -> None:
        with contextlib.suppress(EndedError):  # the reading task reports it
            while True:
                await asyncio.sleep(interval)
                message = self.request(fragment=fragment, is_auto_rerun=True)
                await self.send(message.SerializeToString())

    def _stop(self, *fragments: str) -> None:
        for timer in [self._timers.pop(one) for one in fragments if one in self._timers]:
            timer.cancel()


async def fetch(
    address: str, path: str, content: bytes = b"", cookie: str = ""
) -> tuple[int, bytes, str]:
    """GET, or POST with a content: status and body of the answer, and the cookies that it sets.

    A library would take several times as long, and this process competes with the server. A
    browser keeps its connection and saves some tenths of a millisecond.

    Raises:
        EndedError: the connection could not be made, or ended before the answer.
    """
    url = urlsplit(address)
    request = (
        f"{'POST' if content else 'GET'} {path} HTTP/1.1\r\nHost: {url.netloc}\r\n"
        f"Origin: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    try:
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        writer.write(request.encode() + content)
        answer = await reader.read()
        writer.close()
    except OSError as error:
        raise EndedError(f"{path}: {type(error).__name__}") from error
    head, between, body = answer.partition(b"\r\n\r\n")
    if not between:
        raise EndedError(f"{path}: no answer")
    cookies = re.findall(r"(?i)\nset-cookie: ([^;\r]+)", head.decode())
    return int(head.split()[1]), body, "; ".join(cookies)
