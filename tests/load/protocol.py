"""Streamlit's protocol as a browser speaks it: messages in, widgets on screen, states out.

No sockets and no clock here. A `Screen` takes each ForwardMsg and knows afterwards what a browser
would know: the widgets and their values, the pages, the query string, what went wrong. From it
come the BackMsgs that ask for a rerun. Checked against the frontend that Streamlit 1.67 ships:

- every rerun carries the state of *every* widget, those nobody touched included;
- a widget that a run did not draw again is forgotten when that run has finished; a run of a
  fragment forgets those of the fragment, and those inside the fragment's place on the page;
- a page switch carries the states of the frame's widgets alone;
- a bound widget that was changed is written into the query string, unless it is at its default;
- a message that came as a reference is looked up among those that were marked as cacheable.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.WidgetStates_pb2 import WidgetState

Value = str | int | float | bool | Sequence[str]
EARLY = ForwardMsg.FINISHED_EARLY_FOR_RERUN  # another run follows at once
FAILED = ForwardMsg.FINISHED_WITH_COMPILE_ERROR
EVENTS = "$$STREAMLIT_INTERNAL_KEY_", "__events"  # around a component's id: what it tells


@dataclass
class Widget:
    """A widget on screen.

    Attributes:
        kind: the name of its element: `text_input`, `button`.
        proto: the element as the server sent it.
        fragment: the fragment that drew it, or nothing.
        framed: whether the frame drew it, and not the page.
        run: the number of the run that drew it last.
        place: the path of its place on the page.
    """

    kind: str
    proto: Any
    fragment: str
    framed: bool
    run: int
    place: tuple[int, ...] = ()

    @property
    def options(self) -> list[str]:
        """The options of a widget that offers a choice."""
        if self.kind == "button_group":
            return [one.content for one in self.proto.options]
        return list(getattr(self.proto, "options", []))


def key_of(widget_id: str) -> str:
    """The key that the app gave a widget, or `""`: an id is `$$ID-<hash>-<key>`."""
    key = widget_id.split("-", 2)[2] if widget_id.count("-") > 1 else ""
    return "" if key == "None" else key


def first_value(widget: Widget) -> Value | None:
    """The value that a browser sends for an untouched widget; None if it sends none."""
    proto, kind = widget.proto, widget.kind
    placed = getattr(proto, "set_value", False)
    if kind in ("text_input", "text_area", "checkbox", "number_input"):
        name = "value" if placed else "default"
        # A checkbox always has a value, others may have none.
        if kind != "checkbox" and not proto.HasField(name):
            return None
        value: Value = getattr(proto, name)
        whole = kind == "number_input" and proto.data_type == NumberInput.INT
        return int(value) if whole and isinstance(value, float) else value
    options = widget.options
    if kind in ("selectbox", "radio"):
        if placed:
            return str(proto.raw_value) if proto.HasField("raw_value") else None
        return options[proto.default] if proto.HasField("default") and options else None
    if kind in ("button_group", "multiselect"):
        return list(proto.raw_values) if placed else [options[place] for place in proto.default]
    if kind == "slider" and options:
        return list(proto.raw_value) if placed else [options[int(one)] for one in proto.default]
    return None


def state_of(widget: Widget, value: Value) -> WidgetState:
    """The message with a widget's new value; for a button, that it was pressed."""
    state = WidgetState(id=widget.proto.id)
    if widget.kind == "button":
        state.trigger_value = True
    elif isinstance(value, bool):
        state.bool_value = value
    elif widget.kind == "slider" and isinstance(value, int | float):
        state.double_array_value.data.append(value)
    elif isinstance(value, int):
        state.int_value = value
    elif isinstance(value, float):
        state.double_value = value
    elif isinstance(value, str):
        state.string_value = value
    else:
        state.string_array_value.data.extend(value)
    return state


def in_link(value: Value) -> list[str]:
    """A value as the query string writes it."""
    if isinstance(value, bool):
        return [str(value).lower()]
    return [str(value)] if isinstance(value, str | int | float) else list(value)


@dataclass
class Screen:
    """The state of the app that one browser knows.

    Attributes:
        widgets: by key; those without a key by their label.
        values: what each widget's value is, by the same names.
        pages: the hash of each page's script, by its place in the address.
        page: the hash of the page that is shown.
        query: the query string, read.
        captions: what stands on the page as small text, this run's alone.
        wrong: what no page may show, as sentences, since this was last emptied.
        data: the bytes, or the JSON, that each component was last given, by its name.
    """

    widgets: dict[str, Widget] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    page: str = ""
    query: dict[str, list[str]] = field(default_factory=dict)
    captions: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    data: dict[str, bytes] = field(default_factory=dict)
    cached: dict[str, ForwardMsg] = field(default_factory=dict)
    _run: int = 0
    _main: str = ""
    _fragments: tuple[str, ...] = ()
    _roots: dict[str, tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def take(self, message: ForwardMsg) -> ForwardMsg:
        """Take one message; a reference is replaced by the message that it names."""
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            metadata = message.metadata
            message = ForwardMsg.FromString(self.cached[message.ref_hash].SerializeToString())
            message.metadata.CopyFrom(metadata)
            kind = message.WhichOneof("type")
        elif message.metadata.cacheable and message.hash:
            self.cached[message.hash] = message
        if kind == "new_session":
            self._begin(message)
        elif kind == "delta":
            self._draw(message)
        elif kind == "navigation":
            pages = message.navigation.app_pages
            self.pages = {one.url_pathname: one.page_script_hash for one in pages}
            self.page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = parse_qs(message.page_info_changed.query_string, keep_blank_values=True)
        elif kind == "stop_auto_rerun":  # fragments that their parent did not draw again
            ended = message.stop_auto_rerun.fragment_ids
            self._forget([name for name, one in self.widgets.items() if one.fragment in ended])
        elif kind == "page_not_found":
            self.wrong.append("page not found")
        elif kind == "session_event" and message.session_event.HasField(
            "script_compilation_exception"
        ):
            self.wrong.append("the script cannot be compiled")
        elif kind == "script_finished":
            self._finish(message.script_finished)
        return message

    def _begin(self, message: ForwardMsg) -> None:
        self._run += 1
        self._main = message.new_session.main_script_hash
        self._fragments = tuple(message.metadata.run.fragment_ids)
        self.captions.clear()

    def _draw(self, message: ForwardMsg) -> None:
        place, fragment = tuple(message.metadata.delta_path), message.delta.fragment_id
        if fragment and self._roots.get(fragment, (0,))[0] != self._run:
            self._roots[fragment] = self._run, place  # a fragment draws its container first
        element = message.delta.new_element
        kind = element.WhichOneof("type") or ""
        if kind == "exception":
            self.wrong.append(f"exception: {element.exception.type} {element.exception.message}")
        elif kind == "alert" and element.alert.format == Alert.ERROR:
            self.wrong.append(f"error: {element.alert.body}")
        elif kind == "markdown":
            self.captions.append(element.markdown.body)
        elif kind == "progress":
            self.captions.append(element.progress.text)
        elif kind == "bidi_component":
            component = element.bidi_component
            self.data[component.component_name] = component.bytes or component.json.encode()
        proto = getattr(element, kind) if kind else None
        if not getattr(proto, "id", ""):
            return
        framed = message.metadata.active_script_hash == self._main
        widget = Widget(kind, proto, fragment, framed, self._run, place)
        name = key_of(widget.proto.id) or getattr(proto, "label", "") or widget.proto.id
        known = self.widgets.get(name)
        same = known is not None and known.proto.id == proto.id
        self.widgets[name] = widget
        if same and not getattr(proto, "set_value", False) and name in self.values:
            return
        value = first_value(widget)
        if value is None:
            self.values.pop(name, None)
        else:
            self.values[name] = value

    def _finish(self, status: int) -> None:
        if status == FAILED:
            self.wrong.append("a run ended with an error")
        if status in (EARLY, FAILED):
            return
        gone = [
            name
            for name, widget in self.widgets.items()
            if widget.run != self._run and (not self._fragments or self._within(widget))
        ]
        self._forget(gone)

    def _forget(self, names: Sequence[str]) -> None:
        for name in names:
            del self.widgets[name]
            self.values.pop(name, None)

    def _within(self, widget: Widget) -> bool:
        """Whether a fragment of this run drew the widget, or a fragment inside it did."""
        roots = [self._roots[one][1] for one in self._fragments if one in self._roots]
        return widget.fragment in self._fragments or any(
            root and widget.place[: len(root)] == root for root in roots
        )

    def set(self, name: str, value: Value) -> None:
        """Change a widget's value as a user does, and the query string if the widget is bound."""
        widget = self.widgets[name]
        self.values[name] = value
        if parameter := getattr(widget.proto, "query_param_key", ""):
            first = first_value(Widget(widget.kind, _unset(widget.proto), "", False, 0))
            if value == first:
                self.query.pop(parameter, None)
            else:
                self.query[parameter] = in_link(value)

    def rerun(
        self, pressed: str = "", fragment: str = "", auto: bool = False, event: object = None
    ) -> BackMsg:
        """The request for a run with the states of all widgets, and one of them pressed.

        With an event, `pressed` is a component, and this is what it tells.
        """
        message = self._request(self.page, [*self.values])
        request = message.rerun_script
        request.fragment_id, request.is_auto_rerun = fragment, auto
        if event is not None:
            request.widget_states.widgets.append(
                WidgetState(
                    id=f"{EVENTS[0]}{self.widgets[pressed].proto.id}{EVENTS[1]}",
                    json_trigger_value=json.dumps([event]),
                )
            )
        elif pressed:
            request.widget_states.widgets.append(state_of(self.widgets[pressed], True))
        return message

    def open(self, place: str) -> BackMsg:
        """The request for the first run, for the page at a place in the address."""
        message = self._request("", [])
        message.rerun_script.page_name = place
        return message

    def turn(self, place: str) -> BackMsg:
        """The request for another page."""
        framed = [name for name in self.values if self.widgets[name].framed]
        return self._request(self.pages[place], framed)

    def _request(self, page: str, names: list[str]) -> BackMsg:
        message = BackMsg()
        request = message.rerun_script
        request.page_script_hash = page
        request.query_string = urlencode(self.query, doseq=True)
        request.cached_message_hashes.extend(self.cached)
        request.context_info.timezone, request.context_info.locale = "UTC", "en-US"
        request.context_info.color_scheme = "light"
        request.widget_states.widgets.extend(
            state_of(self.widgets[name], self.values[name]) for name in names
        )
        return message


def _unset(proto: Any) -> Any:
    """A widget's element as if the app had not placed a value."""
    copy = type(proto)()
    copy.CopyFrom(proto)
    copy.set_value = False
    return copy
