"""The load test in its short form, and its parts."""

import asyncio
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).resolve().parents[2]
KEYS = {
    "sessions",
    "reruns",
    "p50_ms",
    "p95_ms",
    "max_ms",
    "errors",
    "exceptions",
    "rss_start_mb",
    "rss_peak_mb",
    "rss_end_mb",
    "rss_after_wave_mb",
    "per_session_mb",
    "total_peak_mb",
    "worker_mb",
    "server_cpu_percent",
    "client_cpu_percent",
    "sweeps_done",
    "fragments",
}


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a module of the load test, as its scripts do: by its bare name."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "load"))
    return __import__


def drawn(kind: str, name: str, run: int = 0, **fields: Any) -> ForwardMsg:
    """The message that draws a widget."""
    message = ForwardMsg()
    message.metadata.active_script_hash = "main"
    proto = getattr(message.delta.new_element, kind)
    proto.id = f"$$ID-0a{run}-{name}"
    for field, value in fields.items():
        if isinstance(value, list):
            getattr(proto, field).extend(value)
        else:
            setattr(proto, field, value)
    return message


def begun(*fragments: str) -> ForwardMsg:
    """The message that begins a run of the script, or of fragments."""
    message = ForwardMsg()
    message.new_session.main_script_hash = "main"
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def ended(
    status: "ForwardMsg.ScriptFinishedStatus" = ForwardMsg.FINISHED_SUCCESSFULLY,
) -> ForwardMsg:
    """The message that ends a run."""
    return ForwardMsg(script_finished=status)


def short_run(options: str) -> Any:
    """The figures of the load test in a process of its own."""
    command = [sys.executable, "tests/load/classroom.py", *options.split()]
    command += ["--cold", "--limit", "300", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_short_class() -> None:
    """Three students on all pages see no failure, and every figure is there."""
    found = short_run("--sessions 3 --seconds 5 --page mix")
    assert set(found) >= KEYS
    assert found["errors"] == found["exceptions"] == 0
    assert found["sessions"] == found["opens"]["reruns"] == 3
    assert found["measurers"] == 1
    assert 0 < found["rss_start_mb"] <= found["rss_peak_mb"]
    assert found["children_left"] == []


def test_a_short_class_together() -> None:
    """Each answer of two students is on the teacher's board once; the lab alone works as well."""
    found = short_run("--class 2 --seconds 2 --hands 1")
    assert found["errors"] == 0
    answers = found["class"]["answers"]["count"]
    assert found["on_board"]["count"] == answers >= 2 * 10
    assert found["alone"]["answers"]["count"] >= 2 * 10
    for name in ("ratio_p95", "redraw", "redraw_loaded", "polls", "board_bytes"):
        assert found[name], name


def test_bad_options_are_refused(
    load: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown page, no students or a negative time ends with a message."""
    parser = load("classroom").parser()
    for wrong in (["--page", "nowhere"], ["--sessions", "0"], ["--seconds", "-1"]):
        with pytest.raises(SystemExit):
            parser.parse_args(wrong)
        assert wrong[0] in capsys.readouterr().err


def test_percentiles(load: Callable[[str], ModuleType]) -> None:
    """A percentile is the smallest value that enough values do not exceed."""
    percentile = load("figures").percentile
    values = [float(one) for one in range(100, 0, -1)]
    assert [percentile(values, share) for share in (0.5, 0.95, 1.0)] == [50.0, 95.0, 100.0]
    assert percentile([7.0], 0.95) == 7.0
    assert math.isnan(percentile([], 0.5))


def test_the_summary_counts_everything(load: Callable[[str], ModuleType]) -> None:
    """The summary counts every rerun, page and failure."""
    figures = load("figures")
    log = figures.Log(opens=[1.0], received=3000)
    log.rerun("timing", "start", 0.1)
    log.rerun("playground", "text", 0.3)
    log.complain(["playground, text: exception: ValueError"])
    log.wrong["the connection has ended"] += 2
    found = figures.summary(log)
    assert (found["reruns"], found["p50_ms"], found["max_ms"]) == (2, 100.0, 300.0)
    assert (found["errors"], found["exceptions"]) == (3, 1)
    assert found["pages"]["timing"]["p95_ms"] == 100.0
    assert found["slowest"] == {"playground: text": 300.0, "timing: start": 100.0}
    assert found["actions"] == {"playground: text": 1, "timing: start": 1}
    assert found["fragments"]["p95_ms"] is None
    assert found["received_kb_per_rerun"] == 1.0


def test_a_screen_knows_its_widgets(load: Callable[[str], ModuleType]) -> None:
    """A screen reads widgets, values and the query string as a browser does."""
    protocol = load("protocol")
    screen = protocol.Screen()
    messages = [
        begun(),
        drawn("text_input", "text", default="abc", query_param_key="text"),
        drawn("checkbox", "places", default=True),
        drawn("selectbox", "my-dtype", default=1, options=["float32", "float64"]),
        drawn("text_input", "None", label="Other", default=""),
        drawn("button", "start", label="Start"),
        ended(),
    ]
    for message in messages:
        screen.take(message)
    assert screen.values == {"text": "abc", "places": True, "my-dtype": "float64", "Other": ""}
    screen.set("text", "abcd e")
    request = screen.rerun(pressed="start").rerun_script
    sent = {protocol.key_of(state.id): state for state in request.widget_states.widgets}
    assert request.query_string == "text=abcd+e"
    assert sent["text"].string_value == "abcd e"
    assert sent["places"].bool_value
    assert sent["start"].trigger_value
    screen.set("text", "abc")
    assert screen.rerun().rerun_script.query_string == ""


def test_a_screen_forgets_what_is_not_drawn_again(load: Callable[[str], ModuleType]) -> None:
    """A widget that a complete run did not draw is gone; others stay."""
    screen = load("protocol").Screen()
    inside = drawn("button", "stop")
    inside.delta.fragment_id = "f"
    for message in (begun(), drawn("text_input", "text", default="a"), inside, ended()):
        screen.take(message)
    assert set(screen.widgets) == {"text", "stop"}
    for message in (begun("f"), ended(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)):
        screen.take(message)
    assert set(screen.widgets) == {"text"}
    early = ended(ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    for message in (begun(), early):
        screen.take(message)
    assert set(screen.widgets) == {"text"}
    for message in (begun(), ended()):
        screen.take(message)
    assert screen.widgets == screen.values == {}


def test_a_fragment_forgets_what_stood_in_its_place(load: Callable[[str], ModuleType]) -> None:
    """A run of a fragment forgets its own widgets and those of fragments inside it, no others."""
    screen = load("protocol").Screen()
    container, around = ForwardMsg(), drawn("text_input", "text", default="a")
    container.delta.add_block.SetInParent()
    container.delta.fragment_id = "body"
    container.metadata.delta_path.extend([0, 3])
    own, inside = drawn("button", "own"), drawn("button", "inside")
    for one, fragment, path in ((own, "body", [0, 3, 0]), (inside, "inner", [0, 3, 1, 0])):
        one.delta.fragment_id = fragment
        one.metadata.delta_path.extend(path)
    for message in (begun(), around, container, own, inside, ended()):
        screen.take(message)
    assert set(screen.widgets) == {"text", "own", "inside"}
    for message in (begun("body"), container, ended()):
        screen.take(message)
    assert set(screen.widgets) == {"text"}
    elsewhere, removed = drawn("button", "elsewhere"), ForwardMsg()
    elsewhere.delta.fragment_id = "other"
    removed.stop_auto_rerun.fragment_ids.append("other")
    for message in (elsewhere, begun("body"), removed):
        screen.take(message)
    assert set(screen.widgets) == {"text"}


def test_one_run_answers_all_earlier_requests(load: Callable[[str], ModuleType]) -> None:
    """A request is answered by the first run that begins after it and does not end early."""
    session_module = load("session")

    async def scenario() -> list[bool]:
        session = session_module.Session("http://localhost", lambda _seconds: None)
        loop = asyncio.get_running_loop()
        first, second, third = (session_module._Awaited("", loop.create_future()) for _ in range(3))
        session._awaited += [first, second]
        # The callback of the first run asks for a fragment alone.
        early = ended(ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        for message in (begun(), early, begun("body")):
            session._handle(message)
        session._awaited.append(third)
        assert not first.done.done()
        session._handle(ended(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))
        return [one.done.done() for one in (first, second, third)]

    assert asyncio.run(scenario()) == [True, True, False]


def test_a_typist_asks_as_the_stage_does(load: Callable[[str], ModuleType]) -> None:
    """The request carries the settings of the stage's message, with the typed text in place."""
    typist, screen = load("typist"), load("protocol").Screen()
    head = {"live": "../live", "field": "text", "settings": {"text": "a", "dim": 3}}
    text = json.dumps(head).encode()
    message = ForwardMsg()
    message.delta.new_element.bidi_component.component_name = typist.STAGE
    message.delta.new_element.bidi_component.bytes = len(text).to_bytes(4, "little") + text
    screen.take(message)
    path, body = typist.question(screen, "ab")
    assert path == "/live"
    assert json.loads(body)["settings"] == {"text": "ab", "dim": 3}


def test_a_component_tells_something(load: Callable[[str], ModuleType]) -> None:
    """A component's event goes into its own state; its data, JSON too, is kept by its name."""
    screen = load("protocol").Screen()
    message = drawn("bidi_component", "news", json='{"now": 1}', component_name="app_news")
    screen.take(message)
    assert json.loads(screen.data["app_news"]) == {"now": 1}
    event = {"event": "news", "value": [1]}
    (state,) = screen.rerun(pressed="news", event=event).rerun_script.widget_states.widgets
    assert state.id == "$$STREAMLIT_INTERNAL_KEY_$$ID-0a0-news__events"
    assert json.loads(state.json_trigger_value) == [event]


def test_a_closed_connection_is_opened_again(load: Callable[[str], ModuleType]) -> None:
    """A connection serves several requests; after the server has closed it, a new one does."""
    route_module, connections, left = load("route"), [], iter([2, 1])

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        for _ in range(next(left)):
            header = await reader.readuntil(b"\r\n\r\n")
            size = next(line for line in header.split(b"\r\n") if b"ength" in line)
            assert await reader.readexactly(int(size.split(b":")[1])) == b"{}"
            writer.write(
                b"HTTP/1.1 200 OK\r\nSet-Cookie: name=value; HttpOnly\r\n"
                b"Content-Length: 3\r\n\r\nabc"
            )
        writer.close()

    async def scenario() -> list[tuple[int, int]]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        route = route_module.Route(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        answers = [await route.post("/live", b"{}") for _ in range(3)]
        await route.close()
        server.close()
        return [(one.status, one.received, one.cookie) for one in answers]

    assert asyncio.run(scenario()) == [(200, 3, "name=value")] * 3
    assert len(connections) == 2


def test_a_screen_sees_what_is_wrong(load: Callable[[str], ModuleType]) -> None:
    """Exceptions, error boxes and failed runs are reported; information is not."""
    protocol = load("protocol")
    screen = protocol.Screen()
    broken, refused, fine = ForwardMsg(), ForwardMsg(), ForwardMsg()
    broken.delta.new_element.exception.type = "ValueError"
    refused.delta.new_element.alert.body = "too large"
    refused.delta.new_element.alert.format = protocol.Alert.ERROR
    fine.delta.new_element.alert.format = protocol.Alert.INFO
    for message in (begun(), broken, refused, fine, ended(protocol.FAILED)):
        screen.take(message)
    assert [one.split(":")[0] for one in screen.wrong] == [
        "exception",
        "error",
        "a run ended with an error",
    ]


def test_a_reference_stands_for_its_message(load: Callable[[str], ModuleType]) -> None:
    """A reference draws the earlier message, which later requests name."""
    screen = load("protocol").Screen()
    whole = drawn("text_input", "text", default="a")
    whole.hash, whole.metadata.cacheable = "h", True
    for message in (begun(), whole, ended(), begun(), ForwardMsg(ref_hash="h"), ended()):
        screen.take(message)
    assert screen.values == {"text": "a"}
    assert list(screen.rerun().rerun_script.cached_message_hashes) == ["h"]


def test_what_students_do(load: Callable[[str], ModuleType]) -> None:
    """Texts start over at their limit, and numbers stay in their range."""
    student, protocol = load("student"), load("protocol")
    chance = Random(1)  # noqa: S311 - to repeat, not to hide
    number = drawn("number_input", "dim", min=1, max=8, has_min=True, has_max=True)
    widget = protocol.Widget("number_input", number.delta.new_element.number_input, "", True, 1)
    values = {student.between(0, 100)(widget, 1, chance) for _ in range(200)}
    assert values == set(range(1, 9))
    text = "a" * (student.LONGEST_TEXT - 1)
    assert len(student.keystroke(widget, text, chance)) == student.LONGEST_TEXT
    assert len(student.keystroke(widget, text + "a", chance)) == 1
    # A caption arrives as Markdown, its dot escaped.
    assert student.DONE.match(r"44 cases in 12\.3 s")
    assert not student.DONE.match("Stopped after 3 of 44 cases")
    toggle = protocol.Widget("checkbox", None, "", True, 1)
    assert student.other(toggle, True, chance) is False


def test_each_page_has_its_actions(load: Callable[[str], ModuleType]) -> None:
    """Every page has actions in the load test."""
    actions = load("student").ACTIONS
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")}
    assert pages <= set(actions)


def test_samples_are_shared_out(load: Callable[[str], ModuleType]) -> None:
    """Shares of time are attributed to functions by their samples."""
    stacks = {
        "/x/site-packages/a.py:f;/x/site-packages/b.py:g": 3.0,
        "/x/site-packages/a.py:f": 1.0,
    }
    own, within = load("samples").shares(stacks)
    assert dict(own) == {"b.py:g": 0.75, "a.py:f": 0.25}
    assert dict(within) == {"b.py:g": 0.75, "a.py:f": 1.0}
