"""A whole server as a host runs it: it refuses, becomes ready, logs a sweep and stops."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import streamlit

from embviz.core import bounds

ROOT = Path(__file__).resolve().parents[2]
SOON_S = 60.0
END_S = 5.0
# The server's own Python runs this as it starts: one visitor presses Start, on a long sweep.
VISITOR = """
import sys, threading, time
def press():
    while "embviz.ui.frame.controls" not in sys.modules:  # the server has started
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
    """The first true value of repeated calls."""
    end = time.monotonic() + SOON_S
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)
    return found


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
        options = f"--server.headless true --server.address 127.0.0.1 --server.port {self.port}"
        with self.log.open("wb") as output, (folder / "stderr").open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", *options.split()],
                cwd=ROOT,
                stdout=output,
                stderr=errors,
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
        """A visitor who asks for a large file and does not read it."""
        scripts = Path(streamlit.__file__).parent.rglob("static/js/*.js")
        largest = max(scripts, key=lambda script: script.stat().st_size)
        visitor = socket.socket()
        visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        visitor.connect(("127.0.0.1", self.port))
        request = f"GET /static/js/{largest.name} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n"
        visitor.sendall(request.encode())
        assert visitor.recv(64).startswith(b"HTTP/1.1 200 ")
        return visitor

    def errors(self) -> str:
        """Everything on stderr."""
        return self.log.with_name("stderr").read_text(encoding="utf-8")

    def printed(self) -> str:
        """Everything on the console."""
        return self.log.read_text(encoding="utf-8") + self.errors()

    def children(self) -> list[psutil.Process]:
        """Its child processes that live."""
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
    """It is ready after its imports, writes JSON only, and leaves no process after SIGTERM."""
    server = serve(EMBVIZ_HOSTED="1", STREAMLIT_SERVER_ALLOWED_HOSTS="127.0.0.1")
    assert until(lambda: server.ask("/ready")[0]) in (200, 503)
    until(lambda: '"running"' in server.errors())
    until(lambda: server.ask("/ready") == (200, b'{"ready":true}'))
    assert server.ask("/_stcore/health") == (200, b"ok")
    assert server.ask("/_stcore/metrics")[0] == 404
    children = server.children()
    assert any("--worker" in child.cmdline() for child in children)
    visitor = server.stalled_visitor()
    assert server.end(signal.SIGTERM) < END_S
    visitor.close()
    until(lambda: not [child for child in children if child.is_running()])
    lines = [json.loads(one) for one in server.errors().splitlines() if one.startswith("{")]
    events = [one for one in lines if one["event"] != "log"]
    assert [one["state"] for one in events] == ["queued", "running", "stopped"]
    assert all(one["cases"] == 600 and one["time"] >= "2026" for one in events)
    assert events == lines
    assert "not safe to host" not in server.printed()
    assert "Traceback" not in server.printed()
    assert not list(server.data.rglob("*.jsonl"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_ctrl_c_in_the_middle_of_a_sweep(serve: Callable[..., Server]) -> None:
    """Ctrl+C keeps the run so far, prints no traceback and leaves no process."""
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


def test_an_invalid_limit_is_one_sentence_and_no_server(serve: Callable[..., Server]) -> None:
    """An invalid variable is one line on stderr, and the server does not start."""
    server = serve(EMBVIZ_MAX_STEPS="*many*")
    assert server.process.wait(SOON_S) == 1
    assert server.errors() == (
        "embviz does not start: EMBVIZ_MAX_STEPS='*many*' is not a whole number, such as 100000.\n"
    )
