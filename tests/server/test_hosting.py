"""A whole server as a host runs it: it refuses, becomes ready, is silent and stops."""

import json
import re
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.load.server import Server, start

SOON_S = 90.0
END_S = 90.0  # 4 s on a quiet machine; a visitor who does not read stays for ever
# The server's own Python runs this as it starts: one visitor presses Start, on a long sweep.
VISITOR = """
import sys, threading, time
def press():
    while "embviz.ui.frame.body" not in sys.modules:  # the server has started
        time.sleep(0.05)
    from embviz.timing.measure.timed import plan
    from embviz.timing.page import kept, measuring
    cases = plan("vocab", range(1000, 1090), ["lookup", "matmul"], ["cpu"],
                 embedding_dim=64, tokens=256)
    measuring.ENGINE.start(cases, kept.new(cases))
if "app.py" in sys.orig_argv:
    threading.Thread(target=press, daemon=True).start()
"""


def until(true: Callable[[], Any]) -> Any:
    """The first true value of repeated calls."""
    end = time.monotonic() + SOON_S
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)
    return found


def status(server: Server, path: str) -> int:
    """Status of a GET."""
    try:
        with urllib.request.urlopen(f"{server.address}/{path}", timeout=SOON_S) as got:
            return int(got.status)
    except urllib.error.HTTPError as error:
        return error.code


def measures(server: Server) -> bool:
    """Whether a measuring process runs."""
    with suppress(psutil.Error):  # one of them ends
        children = server.process.children(recursive=True)
        return any("embviz.timing.measure.process" in one.cmdline() for one in children)
    return False


def end(server: Server, how: int) -> int:
    """Send a signal; the exit code, once the process and all its children are gone in time."""
    children = server.process.children(recursive=True)
    server.process.send_signal(how)
    code = server.process.wait(timeout=END_S)
    until(lambda: not [child for child in children if child.is_running()])
    return code


@pytest.fixture
def proxy() -> Iterator[socket.socket]:
    """A proxy for outgoing requests that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture
def serve(
    tmp_path: Path, hosted: pytest.MonkeyPatch, proxy: socket.socket
) -> Iterator[Callable[[bool], Server]]:
    """Start a server whose first visitor has pressed Start; it is gone after the test."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(VISITOR)
    given = {"PYTHONPATH": str(tmp_path / "hook"), "TMPDIR": str(tmp_path)}
    given["STREAMLIT_SERVER_ALLOWED_HOSTS"] = "localhost"
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        given[name] = given[name.upper()] = f"http://127.0.0.1:{proxy.getsockname()[1]}"
    with ExitStack() as stack:
        yield lambda for_strangers: stack.enter_context(
            start(folder=tmp_path, EMBVIZ_HOSTED=str(int(for_strangers)), **given)
        )


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_a_hosted_server_is_ready_silent_and_stops_in_time(
    serve: Callable[[bool], Server], proxy: socket.socket, tmp_path: Path
) -> None:
    """It is ready after its imports, takes no upload, and leaves no process after SIGTERM.

    Its console names no visitor, no request and no sweep. It asks no other server, not at its start
    and not for a connection from another site.
    """
    server = serve(True)
    assert status(server, "ready") in (200, 503)
    until(lambda: status(server, "ready") == 200)
    wanted = {"live?text=hi": 200, "_stcore/metrics": 404, "_stcore/upload_file/me/f": 404}
    assert {path: status(server, path) for path in wanted} == wanted
    for origin in ("http://evil.example", "null", server.address):
        url = server.address.replace("http", "ws", 1) + "/_stcore/stream"
        refused = nullcontext() if origin == server.address else pytest.raises(InvalidStatus)
        with refused, connect(url, origin=Origin(origin), open_timeout=SOON_S):
            pass
    until(lambda: measures(server))
    proxy.setblocking(False)
    with pytest.raises(BlockingIOError):
        proxy.accept()
    assert end(server, signal.SIGTERM) == -signal.SIGTERM
    assert server.printed() == []
    assert not list((tmp_path / "data").rglob("*.jsonl"))


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_ctrl_c_in_the_middle_of_a_sweep(serve: Callable[[bool], Server], tmp_path: Path) -> None:
    """Ctrl+C keeps the run so far, prints no traceback and leaves no process."""
    server = serve(False)
    run: Path = until(lambda: next((tmp_path / "data").rglob("*.jsonl"), None))
    until(lambda: '"times"' in run.read_text())
    end(server, signal.SIGINT)
    kinds = [json.loads(one)["type"] for one in run.read_text().splitlines()]
    assert (kinds[0], kinds[-1]) == ("environment", "end")
    assert "times" in kinds
    assert not re.search("Traceback|{|safe", server.log.read_text())
