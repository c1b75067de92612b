"""One browser tab without a browser: Streamlit's messages in, widgets on screen, states out.

Without it neither a class of 100 students nor a forged message could be tried.

A request carries the states of the widgets that it changes; the server keeps the others. A widget
that a run does not draw again is forgotten; a run of a fragment forgets those of its place alone.

Messages do not name the request that a run answers, so the order decides. A request is answered by
the first run of its kind (whole script or fragment) that starts after it was sent and does not end
early for another run. One run answers all that were sent before it started. The browser asks for a
fragment with `run_every` again at each interval, until the whole script runs again.
"""

import asyncio
import contextlib
import re
from collections import defaultdict, namedtuple
from urllib.parse import parse_qs, urlencode, urlsplit

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

LIMIT_S = 120.0  # for a run to finish
# What is raised if a connection cannot be made or has ended; a late answer is a `TimeoutError`.
ENDED = (ConnectionError, EOFError, WebSocketException)
FIELDS = {bool: "bool_value", int: "int_value", str: "string_value"}
# A widget on screen: its kind, its message, the fragment and the place that drew it, and its run,
# which is the object `_roots`.
Widget = namedtuple("Widget", "kind proto fragment place run")


class Tab:
    """One visitor's connection to a server such as `http://localhost:8501`.

    Attributes:
        cookie: as the browser sends it, or `""`.
        query: the query string, read.
        widgets: by key; those without a key by their label. A fold that reruns is one.
        data: the bytes, or the JSON, that each component was last given, by its name.
        session: its id on the server.
        wrong: what no page may show, as sentences, since this was last emptied.
    """

    _socket = _http = None

    def __init__(self, address, cookie="", **query):
        self.address, self.cookie, self.query = address, cookie, query

    def on_run(self):
        """What is done at the end of each run."""

    async def open(self, place=""):
        """Connect, as a new session, and run the page with this path."""
        await self.close()
        self.widgets, self.data, self.wrong = {}, {}, []
        self._page, self._pages = "", {}  # the hashes of the page's script and of all
        self._roots = {}  # of this run's fragments: their places
        # By fragment, the end of the next run that begins; and the ends that the last run is.
        self._next, self._ends = defaultdict(asyncio.Event), []
        self.timers = {}
        self._socket = await connect(
            self.address.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=["streamlit"],
            origin=self.address,
            additional_headers={"Cookie": self.cookie},
            max_size=None,
            ping_interval=None,
            open_timeout=LIMIT_S,
        )
        self.reader = asyncio.create_task(self._read())
        await self.ask(page_name=place)

    async def turn(self, place):
        """Go to another page."""
        self._stop(*self.timers)
        await self.ask(page_script_hash=self._pages[place])

    async def close(self):
        """Close the tab."""
        if self._socket:
            await self._socket.close()
            await self.reader

    def request(self, states=None, **fields):
        """The request for a run with new values of widgets, and other fields of the message.

        The widget that is named first decides what runs: its fragment, or the page. A value may be
        any `WidgetState`, and its name any id. A page that says that it failed has no fragments.
        """
        states = states or {}
        shown = [self.widgets[name] for name in states if name in self.widgets]
        failed = "Reload to go on" in str(self.wrong)
        usual = {
            "page_script_hash": self._page,
            "query_string": urlencode(self.query, doseq=True),
            "fragment_id": shown[0].fragment if shown and not failed else "",
            "widget_states": {"widgets": [self._state(*one) for one in states.items()]},
        }
        return BackMsg(rerun_script=usual | fields)

    def _state(self, name, value):
        """The message with a new value; `True` presses a button."""
        widget, state = self.widgets.get(name), WidgetState()
        if isinstance(value, WidgetState):
            state.MergeFrom(value)
        elif isinstance(value, list):
            state.string_array_value.data[:] = value
        else:
            is_button = widget and widget.kind == "button"
            setattr(state, "trigger_value" if is_button else FIELDS[type(value)], value)
        state.id = widget.proto.id if widget else name
        return state

    async def ask(self, states=None, **fields):
        """Send such a request, and wait until the page has run."""
        message = self.request(states, **fields)
        end = self._next[message.rerun_script.fragment_id]
        await self.send(message.SerializeToString())
        async with asyncio.timeout(LIMIT_S):
            await end.wait()
        if self.reader.done():
            raise ConnectionError("the connection has ended")

    async def send(self, raw):
        """Send a message, or any bytes, without waiting for an answer."""
        await self._socket.send(raw)

    async def _read(self):
        with contextlib.suppress(WebSocketException):
            async for raw in self._socket:
                self._take(ForwardMsg.FromString(raw))
        self._stop(*self.timers)
        for end in [*self._ends, *self._next.values()]:
            end.set()

    def _take(self, message):
        kind = message.WhichOneof("type") or ""
        got = getattr(message, kind, None)
        match kind:
            case "new_session":
                self.session = got.initialize.session_id
                self._begin(message.metadata.run.fragment_ids)
            case "delta":
                self._draw(got, tuple(message.metadata.delta_path))
            case "navigation":
                self._page = got.page_script_hash
                self._pages = {page.url_pathname: page.page_script_hash for page in got.app_pages}
            case "page_info_changed":
                self.query = parse_qs(got.query_string, keep_blank_values=True)
            case "auto_rerun":
                self._stop(got.fragment_id)
                again = self._again(got.fragment_id, got.interval)
                self.timers[got.fragment_id] = asyncio.create_task(again)
            case "stop_auto_rerun":
                self._stop(*got.fragment_ids)
            case "page_not_found":
                self.wrong.append("page not found")
            case "script_finished" if got != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._finish(got)

    def _begin(self, fragments):
        self._roots = {} if fragments else {"": ()}
        if not fragments:
            self._stop(*self.timers)
        asked = [one for one in self._next if not fragments or one in fragments]
        self._ends += map(self._next.pop, asked)

    def _draw(self, delta, place):
        self._roots.setdefault(delta.fragment_id, place)  # a fragment draws its container first
        drawn = delta.add_block if delta.HasField("add_block") else delta.new_element
        kind = drawn.WhichOneof("type") or ""
        proto = getattr(drawn, kind, None)
        if kind == "exception":
            self.wrong.append(f"exception: {proto.type} {proto.message}")
        elif kind == "alert" and proto.format == Alert.ERROR:
            self.wrong.append(f"error: {proto.body}")
        elif kind == "bidi_component":
            self.data[proto.component_name] = proto.bytes or proto.json.encode()
        if getattr(proto, "id", ""):  # `$$ID-<hash>-<key>`
            key = proto.id.split("-", 2)[-1].removesuffix("None")
            name = key or getattr(proto, "label", proto.id)
            self.widgets[name] = Widget(kind, proto, delta.fragment_id, place, self._roots)

    def _finish(self, status):
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.wrong.append("a run ended with an error")
        for name, widget in [*self.widgets.items()]:
            inside = any(widget.place[: len(root)] == root for root in self._roots.values())
            if inside and widget.run is not self._roots:
                del self.widgets[name]
        for end in self._ends:
            end.set()
        self._ends.clear()
        self.on_run()

    async def _again(self, fragment, interval):
        with contextlib.suppress(WebSocketException):  # the reading task reports it
            while True:
                await asyncio.sleep(interval)
                message = self.request(fragment_id=fragment, is_auto_rerun=True)
                await self.send(message.SerializeToString())

    def _stop(self, *fragments):
        for one in fragments:
            if one in self.timers:
                self.timers.pop(one).cancel()

    async def fetch(self, path, content=b""):
        """GET, or POST with a content: status and text of the answer; its cookies are kept.

        A library would take several times as long, and this process competes with the server. The
        connection stays open for the next request, as in a browser.
        """
        url, method = urlsplit(self.address), "POST" if content else "GET"
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {url.netloc}\r\nOrigin: {self.address}\r\n"
            f"Cookie: {self.cookie}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        if not (kept := self._http):
            self._http = await asyncio.open_connection(url.hostname, url.port)
        reader, writer = self._http
        try:
            writer.write(head.encode() + content)
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
        except ENDED:
            self._http = None
            if kept:  # the server has closed it meanwhile
                return await self.fetch(path, content)
            raise
        length = int(re.search(r"(?i)\ncontent-length: (\d+)", head)[1])
        body = (await reader.readexactly(length)).decode()
        self.cookie = "; ".join(re.findall(r"(?i)\nset-cookie: ([^;\r]+)", head)) or self.cookie
        return int(head.split()[1]), body
