"""A forging client: Streamlit's own protocol with values that no widget would send."""

from collections.abc import Callable

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

from tests.browser.conftest import SOON_S
from tests.load.server import Server


class Client:
    """One session over the websocket, without a browser."""

    def __init__(self, socket: ClientConnection, query: str) -> None:
        self.socket, self.query = socket, query
        self.widgets: dict[str, str] = {}

    def rerun(self, *states: WidgetState) -> list[ForwardMsg]:
        """Request a rerun with these widget states and return its messages."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.widget_states.widgets.extend(states)
        self.socket.send(message.SerializeToString())
        answers: list[ForwardMsg] = []
        while not answers or not _is_end(answers[-1]):
            raw = self.socket.recv(timeout=SOON_S)
            assert isinstance(raw, bytes)
            answers.append(ForwardMsg.FromString(raw))
            self._remember(answers[-1])
        return answers

    def _remember(self, answer: ForwardMsg) -> None:
        element = answer.delta.new_element
        kind = element.WhichOneof("type")
        widget = getattr(element, kind).id if kind in ("number_input", "text_input") else ""
        if widget:
            self.widgets[widget.rsplit("-", 1)[-1]] = widget


def _is_end(answer: ForwardMsg) -> bool:
    """Whether a run has ended, and no run of the body alone takes its place."""
    early = answer.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return answer.WhichOneof("type") == "script_finished" and not early


def words(answers: list[ForwardMsg]) -> str:
    """The alerts of the page, and any exception that it shows."""
    elements = [answer.delta.new_element for answer in answers]
    said = [element.alert.body for element in elements if element.HasField("alert")]
    return " ".join(
        said + [f"EXCEPTION {e.exception}" for e in elements if e.HasField("exception")]
    )


def drawn(answers: list[ForwardMsg]) -> bool:
    """Whether the stage was drawn with data."""
    elements = [answer.delta.new_element.bidi_component for answer in answers]
    return any(e.component_name == "embviz_stage" and e.bytes for e in elements)


# Widgets and the forged values that are sent for them.
FORGED = [
    ("dim", WidgetState(double_value=float("nan"))),
    ("dim", WidgetState(double_value=float("inf"))),
    ("dim", WidgetState(double_value=1e300)),
    ("dim", WidgetState(double_value=-5)),
    ("rows", WidgetState(string_value="<script>")),
    ("seed", WidgetState(int_value=-1)),
    ("text", WidgetState(double_value=3)),
    ("text", WidgetState(string_value="x" * 3_000_000)),
]


def test_forged_widget_messages(fresh_server: Callable[[], Server]) -> None:
    """A forged widget value causes no exception, and the session goes on."""
    address = fresh_server().address.replace("http", "ws") + "/_stcore/stream"
    for name, state in FORGED:
        with connect(address, subprotocols=["streamlit"], max_size=None) as socket:
            client = Client(socket, "dim=7")
            assert drawn(client.rerun()), f"no service after {state!r:.80}"
            state.id = client.widgets[name]
            answers = client.rerun(state)
            assert "EXCEPTION" not in words(answers), name
            assert drawn(answers) or "failed" in words(answers) or "more than" in words(answers)
