"""The server as a host runs it: ready, warned, logged, stopped. Its limits are in test_bounds."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import streamlit
from filelock import FileLock
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from embviz.core import bounds
from embviz.core.child import ChildError, end_children
from embviz.limits import isolated
from embviz.request import inputs
from embviz.request.parameters import DEFAULTS
from embviz.server import guard, health, log, preflight
from embviz.server.admission import Crowd
from embviz.timing import queue
from embviz.timing.cases import Case
from embviz.timing.queue import QueueFull, Ticket
from embviz.ui.pages.timing import sweeps
from tests.server.alone import run

ROOT = Path(__file__).resolve().parents[2]
SOON_S = 60.0
END_S = 5.0  # a server that is told to stop has stopped by then
MB = guard.MB
# Run by the server's own Python as it starts: one visitor's press of Start, on a long sweep.
VISITOR = """
import sys, threading, time
def press():
    while "embviz.server.health" not in sys.modules:
        time.sleep(0.05)
    from embviz.timing.cases import plan
    from embviz.ui.pages.timing import sweeps
    desk = sweeps.SessionSweep()
    desk.start(plan("vocab", range(1000, 1300), ["lookup", "matmul"], ["cpu"],
                    embedding_dim=64, tokens=256))
if "app.py" in sys.orig_argv:
    threading.Thread(target=press, daemon=True).start()
"""


def until(true: Callable[[], Any]) -> Any:
    """What is true at last."""
    end = time.monotonic() + SOON_S
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)
    return found


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As for strangers."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    for bound in bounds.BOUNDS:
        monkeypatch.delenv(bound.variable, raising=False)
    return monkeypatch


# --- a server that is told to stop, in the middle of a sweep


class Server:
    """A running `streamlit run app.py` whose first visitor has pressed Start."""

    def __init__(self, folder: Path, **environment: str) -> None:
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(VISITOR)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.data, self.log = folder / "data", folder / "log"
        unset = {bound.variable for bound in bounds.BOUNDS} | {"EMBVIZ_HOSTED"}
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "streamlit",
                    "run",
                    "app.py",
                    "--server.headless",
                    "true",
                    "--server.address",
                    "127.0.0.1",
                    "--server.port",
                    str(self.port),
                ],
                cwd=ROOT,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={key: value for key, value in os.environ.items() if key not in unset}
                | {
                    "PYTHONPATH": str(folder / "hook"),
                    "TMPDIR": str(folder),
                    "EMBVIZ_DATA_FOLDER": str(self.data),
                }
                | environment,
            )

    def ask(self, path: str) -> tuple[int, bytes]:
        """Status and body of a GET; 0 while it does not listen."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=9) as got:
                return got.status, got.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def stalled_visitor(self) -> socket.socket:
        """Somebody who asks for a large file, and does not read it."""
        scripts = Path(streamlit.__file__).parent.rglob("static/js/*.js")
        largest = max(scripts, key=lambda script: script.stat().st_size)
        visitor = socket.socket()
        visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        visitor.connect(("127.0.0.1", self.port))
        request = f"GET /static/js/{largest.name} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n"
        visitor.sendall(request.encode())
        assert visitor.recv(64).startswith(b"HTTP/1.1 200 ")
        return visitor

    def printed(self) -> str:
        """Everything on the console."""
        return self.log.read_text(encoding="utf-8")

    def children(self) -> list[psutil.Process]:
        """Processes it has started that live."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, how: int) -> float:
        """Send a signal; the seconds until the process was gone."""
        began = time.monotonic()
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        return time.monotonic() - began


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start a server; it is gone after the test."""
    made: list[Server] = []

    def start(**environment: str) -> Server:
        made.append(Server(tmp_path, **environment))
        return made[-1]

    yield start
    for one in made:
        with suppress(psutil.NoSuchProcess):
            for child in one.children():
                child.kill()
        one.process.kill()
        one.process.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_a_hosted_server_is_ready_logs_a_sweep_and_stops_in_time(
    serve: Callable[..., Server],
) -> None:
    """A host would send visitors too early, see nothing, or leave a process behind at its end."""
    server = serve(EMBVIZ_HOSTED="1", STREAMLIT_SERVER_ALLOWED_HOSTS="127.0.0.1")
    assert until(lambda: server.ask("/ready")[0]) in (200, 503)
    until(lambda: '"running"' in server.printed())
    until(lambda: server.ask("/ready") == (200, b'{"ready":true}'))
    assert server.ask("/_stcore/health") == (200, b"ok")
    assert server.ask("/_stcore/metrics")[0] == 404
    children = server.children()
    assert any("--worker" in child.cmdline() for child in children)
    visitor = server.stalled_visitor()
    assert server.end(signal.SIGTERM) < END_S
    visitor.close()
    until(lambda: not [child for child in children if child.is_running()])
    lines = [one for one in server.printed().splitlines() if one.startswith("{")]
    told = [json.loads(one) for one in lines]
    states = [one["state"] for one in told if one["event"] == "sweep"]
    assert states == ["queued", "running", "stopped"]
    assert all(one["cases"] == 600 and one["time"] >= "2026" for one in told)
    assert "not safe to host" not in server.printed()
    assert "Traceback" not in server.printed()
    assert not list(server.data.rglob("*.jsonl"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_ctrl_c_in_the_middle_of_a_sweep(serve: Callable[..., Server]) -> None:
    """Whoever stops the server would wait, lose the run, see a traceback, or leave a process."""
    server = serve()
    run: Path = until(lambda: next(server.data.rglob("*.jsonl"), None))
    until(lambda: '"measurement"' in run.read_text())
    children = server.children()
    assert server.end(signal.SIGINT) < END_S
    until(lambda: not [child for child in children if child.is_running()])
    kinds = [json.loads(one)["type"] for one in run.read_text().splitlines()]
    assert (kinds[0], kinds[-1]) == ("environment", "end")
    assert "measurement" in kinds
    for word in ("Traceback", "{", "safe"):
        assert word not in server.printed()


# --- ready, and safe


def test_ready_follows_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visitors would be sent to a server that makes them wait for its imports."""
    monkeypatch.setattr(health, "warm", type(health.warm)())
    before = run(health.ready(None))  # type: ignore[arg-type]
    health.warm.set()
    after = run(health.ready(None))  # type: ignore[arg-type]
    assert (before.status_code, before.body) == (503, b'{"ready":false}')
    assert (after.status_code, after.body) == (200, b'{"ready":true}')
    assert after.headers["cache-control"] == "no-store"


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Streamlit's options as the shipped file and Streamlit's own defaults have them; to change."""
    file = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    options = {name: one.default_val for name, one in config._config_options_template.items()}
    for section, values in file.items():
        if section != "theme":
            options |= {f"{section}.{name}": value for name, value in values.items()}
    monkeypatch.setattr(config, "get_option", options.__getitem__)
    monkeypatch.setattr(config, "set_option", options.__setitem__)
    monkeypatch.setattr(config, "get_where_defined", lambda _: "/app/.streamlit/config.toml")
    return options


def test_what_is_shipped_is_safe_but_for_the_host_name(
    hosted: pytest.MonkeyPatch, shipped: dict[str, Any]
) -> None:
    """A host would have to find out which settings to change."""
    preflight.lower()
    assert shipped["server.maxUploadSize"] == 10
    (only,) = preflight.warnings()
    assert only.startswith("server.allowedHosts is []: ")
    shipped["server.allowedHosts"] = ["embviz.example.org"]
    assert preflight.warnings() == []


UNSAFE = {
    "client.showErrorDetails": "full",
    "client.toolbarMode": "developer",
    "server.enableCORS": False,
    "server.enableXsrfProtection": False,
    "server.corsAllowedOrigins": ["*"],
    "server.maxMessageSize": 200,
    "server.maxUploadSize": 11,
    "server.enableStaticServing": True,
    "server.enableAgentApi": True,
    "server.unsafeMetricsUserAttributes": ["email"],
    "global.developmentMode": True,
}


@pytest.mark.parametrize("name", UNSAFE)
def test_each_unsafe_setting_has_a_line(
    name: str,
    hosted: pytest.MonkeyPatch,
    shipped: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A server would stand open, and nobody would be told."""
    shipped |= {"server.allowedHosts": ["a.org"], "server.maxUploadSize": 10, name: UNSAFE[name]}
    preflight.check()
    (line_,) = capsys.readouterr().err.splitlines()
    assert line_.startswith(f"embviz, not safe to host: {name} is {UNSAFE[name]!r}: ")
    hosted.delenv("EMBVIZ_HOSTED")
    preflight.check()
    assert capsys.readouterr().err == ""


def test_an_explicit_upload_size_is_left_and_told(
    hosted: pytest.MonkeyPatch, shipped: dict[str, Any]
) -> None:
    """A host's own option would be changed behind his back, or its danger not be told."""
    hosted.setattr(config, "get_where_defined", lambda _: "command-line argument or environment")
    preflight.lower()
    assert shipped["server.maxUploadSize"] == 50
    assert any(one.startswith("server.maxUploadSize is 50: ") for one in preflight.warnings())
    hosted.setenv(bounds.UPLOAD.variable, "lots")
    assert "EMBVIZ_UPLOAD_MB='lots' is not a whole number" in preflight.warnings()[0]
    preflight.lower()


def test_a_limit_that_is_none_is_a_sentence_on_the_page() -> None:
    """Every visitor would be told to read the server's log."""

    def page() -> None:
        from embviz.core.bounds import BoundError
        from embviz.ui.frame.failure import show_failure

        show_failure(BoundError("EMBVIZ_MAX_STEPS='*many*' is not a whole number."))

    app = AppTest.from_function(page).run()
    assert [one.value for one in app.error] == [
        r"EMBVIZ\_MAX\_STEPS\=\'\*many\*\' is not a whole number\."
    ]


# --- what is logged


def test_the_log_is_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    """A crowd would fill the disk with lines, or nobody would know that some are missing."""
    some = log.Log(lines=3, minute_s=0.4)
    for number in range(10):
        some.say("refused", limit="tokens", allowed=number)
    time.sleep(0.7)  # what is left out is counted though nothing more happens
    some.say("refused", limit="tokens", allowed=99)
    told = [json.loads(one) for one in capsys.readouterr().err.splitlines()]
    assert [one.get("allowed") for one in told] == [0, 1, 2, None, 99]
    assert (told[3]["event"], told[3]["lines"]) == ("left out", 7)


def test_a_refusal_is_logged_without_a_word_of_the_visitor(
    hosted: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What somebody typed would stand in a log that others read."""
    hosted.setattr(log, "log", log.Log())
    hosted.setattr(bounds, "_listeners", [])
    log.start()
    log.start()
    given = inputs.read_inputs({**DEFAULTS, "text": "secret" * 5000})
    assert given.refusal is not None
    (told,) = [json.loads(one) for one in capsys.readouterr().err.splitlines()]
    assert set(told) == {"time", "event", "limit", "allowed", "unit"}
    assert (told["event"], told["limit"], told["allowed"]) == ("refused", "tokens", 10_000)


# --- what reaches the server at all


def answer(path: str, method: str = "GET", length: str | None = None) -> int:
    """The status of a request that the guard answers; 0 where it lets it pass."""
    statuses = [0]

    async def app(*_: Any) -> None:
        """Streamlit."""

    async def send(message: Any) -> None:
        statuses.append(message.get("status", statuses[-1]))

    headers = [] if length is None else [(b"Content-Length", length.encode())]
    scope = {"type": "http", "path": path, "method": method, "headers": headers}
    run(guard.Guard(app)(scope, None, send))  # type: ignore[arg-type]
    return statuses[-1]


def test_uploads_are_bounded_for_each_session_and_for_all(hosted: pytest.MonkeyPatch) -> None:
    """One visitor would fill the server's memory with files that nobody reads."""
    held: dict[str, int] = {}
    hosted.setattr(guard, "held_bytes", lambda: held)
    path = "/_stcore/upload_file/me/some-id"
    assert answer(path, "PUT", str(10 * MB)) == 0
    assert answer(path, "PUT", str(12 * MB)) == 413
    for length in (None, "many", "-1", ""):
        assert answer(path, "PUT", length) == 411
    held["me"] = 15 * MB
    assert answer(path, "PUT", str(5 * MB)) == 0
    assert answer(path, "PUT", str(7 * MB)) == 413
    assert answer(path, "DELETE") == answer("/", "PUT", "1") == 0
    held |= {f"other {k}": 20 * MB for k in range(5)} | {"me": 0}
    assert answer(path, "PUT", str(2 * MB)) == 413
    hosted.delenv("EMBVIZ_HOSTED")
    assert answer(path, "PUT", str(50 * MB)) == 0


def test_what_is_held_is_what_streamlit_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit would keep files elsewhere in a new version, and the guard count none."""
    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    for name in ("a", "b"):
        manager.add_file("me", UploadedFileRec(name, "x.npz", "", bytes(100)))
    monkeypatch.setattr(guard.runtime, "exists", lambda: True)
    monkeypatch.setattr(
        guard.runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager)
    )
    assert guard.held_bytes() == {"me": 200}
    manager.remove_session_files("me")
    assert guard.held_bytes() == {}


def test_metrics_are_nobodys_business(hosted: pytest.MonkeyPatch) -> None:
    """Anybody could watch how many visitors there are."""
    for path in ("/_stcore/metrics", "/base/_stcore/metrics", "/_stcore/metrics/"):
        assert answer(path) == 404
    assert answer("/_stcore/health") == 0


def test_a_message_that_is_too_large_ends_its_visit(hosted: pytest.MonkeyPatch) -> None:
    """A forged message would be kept, four times as large, for as long as its session lives."""
    heard: list[Any] = []

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        heard.extend([await receive() for _ in range(3)])

    sizes = iter((5 * MB, 5 * MB + 1, 1))

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "bytes": bytes(next(sizes))}

    run(guard.Guard(app)({"type": "websocket"}, receive, None))  # type: ignore[arg-type]
    kinds = [one["type"].partition(".")[2] for one in heard]
    assert kinds == ["receive", "disconnect", "receive"]


async def full_house(crowd: Crowd, most: int) -> list[Any]:
    """Fill it with visitors who stay; what others are answered then, and at last."""
    leave, told = asyncio.Event(), []

    async def stays() -> Any:
        await leave.wait()

    async def connects() -> Any:
        return {"type": "websocket.connect"}

    async def hears(message: Any) -> None:
        told.append(message)

    stream: Any = {"type": "websocket", "path": "/base/_stcore/stream"}

    async def opens(path: str, cookie: str = "other=1") -> None:
        headers = [(b"cookie", cookie.encode())]
        await crowd(
            {"type": "http", "path": path, "method": "GET", "headers": headers}, connects, hears
        )

    visits = [asyncio.create_task(crowd(stream, stays, hears)) for _ in range(most)]
    await asyncio.sleep(0)
    await opens("/base/context/")
    assert (crowd.connected, told[0]["status"]) == (most, 503)
    await opens("/base/", "_streamlit_xsrf=2|ab")  # a reload: the old connection still stands
    assert told[2:] == ["/base/"]
    reserve = [crowd(stream, stays, hears) for _ in range(max(1, most // 10))]
    visits += [asyncio.create_task(one) for one in reserve]
    await asyncio.sleep(0)
    await crowd(stream, connects, hears)
    assert told[3:] == [{"type": "websocket.close"}]
    await opens("/", "_streamlit_xsrf=2|ab")
    assert told[4]["status"] == 503
    for path in ("/ready", "/_stcore/health", "/healthz", "/static/js/main.js"):
        await opens(path)
    await crowd({"type": "lifespan"}, connects, hears)  # the server's own start and end
    leave.set()
    await asyncio.gather(*visits, return_exceptions=True)
    assert crowd.connected == 0
    await opens("/")
    assert told[6:] == ["/ready", "/_stcore/health", "/healthz", "/static/js/main.js", None, "/"]
    return told


@pytest.mark.parametrize("raw", ["2", "30", "many"])
def test_a_full_server_says_so_and_sends_nobody_off(
    raw: str, hosted: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Connections that stay would fill the memory, and the class's own pages would go."""
    hosted.setenv(bounds.SESSIONS.variable, raw)
    hosted.setattr(log, "log", log.Log())
    hosted.setattr(bounds, "_listeners", [])
    log.start()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            await send(scope.get("path"))
        else:
            await receive()
            raise OSError("the connection broke")

    most = bounds.SESSIONS.hosted if raw == "many" else int(raw)
    told = run(full_house(Crowd(app), most))
    for start, body in (told[0:2], told[4:6]):
        assert dict(start["headers"])[b"retry-after"] == b"5"
        assert f"{most} visitors are connected".encode() in body["body"]
    if raw != "many":  # what is no limit is told at the start
        lines = [json.loads(one) for one in capsys.readouterr().err.splitlines()]
        assert {(one["limit"], one["allowed"]) for one in lines} == {("sessions", most)}
        assert 1 <= len(lines) <= 2  # not one for each who tries again


# --- faults


@pytest.fixture
def own_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A line of sweeps for one test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return queue.folder()


def test_files_of_a_dead_server_are_no_place_in_line(own_line: Path) -> None:
    """After a crash nobody could measure until somebody cleaned up."""
    for name in ("queue.lock", "000000000007.ticket", "nonsense.ticket"):
        (own_line / name).write_text("")
    mine = Ticket()
    assert mine.position() == (1, 1)
    assert [one.name for one in own_line.glob("*.ticket")] == ["000000000001.ticket"]
    mine.give_back()


def test_a_process_that_stands_still_with_the_line_is_named(
    own_line: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process that hangs would make every page wait that presses Start."""
    monkeypatch.setattr(queue, "LOCKED_S", 0.1)
    mine = Ticket()
    with FileLock(own_line / "queue.lock", thread_local=False):
        with pytest.raises(QueueFull, match="the queue of sweeps is locked: a process has held"):
            Ticket()
        desk = sweeps.SessionSweep()
        desk.start([Case("lookup", 64, 8, 4)])
        assert desk.refusal.startswith("the queue of sweeps is locked: ")
        mine.give_back()  # waits no longer either
    after = Ticket()
    assert after.position() == (1, 1)
    after.give_back()


def test_a_child_that_proves_ends_with_the_server() -> None:
    """`end_children`, which the server calls at its end, kills a child that still works."""
    threading.Timer(0.3, end_children).start()
    with pytest.raises(ChildError, match="was killed"):
        isolated.run_child()


def test_the_page_says_why_a_sweep_ended(hosted: pytest.MonkeyPatch) -> None:
    """A student would take a sweep that was cut for one that is whole."""
    hosted.setattr(log, "log", log.Log(lines=0))
    desk = sweeps.SessionSweep()
    desk.sweep = sweeps.Sweep([Case("lookup", 64, 8, 4)])
    desk.refusal = "16 sweeps are in the queue already; try again in a minute."
    desk.sweep.begin({"cpu": "none"})
    desk.sweep._began -= 60
    desk.sweep.stop_in_time()
    desk.sweep.finish("stopped")
    hosted.setattr(sweeps, "session_sweep", lambda: desk)
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    app.switch_page(str(ROOT / "pages" / "timing.py")).run()
    assert [failed.value for failed in app.exception] == []
    said = [one.value.replace("\\", "") for one in [*app.caption, *app.error]]
    assert (
        "Stopped: one sweep may take 60 s here (EMBVIZ_SWEEP_SECONDS), and 0 of 1 cases fitted in."
    ) in said
    assert desk.refusal in said
    assert "This server keeps no runs: download yours." in " ".join(said)
