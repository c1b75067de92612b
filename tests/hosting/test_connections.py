"""Connections that ask nothing end; visitors are as many as open files allow."""

import resource
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from embviz.hosting import connections
from embviz.system.bounds import SESSIONS
from embviz.system.child import ROOT


class Thing(SimpleNamespace):
    """With the identity of its object, as those of uvicorn."""

    __hash__ = object.__hash__


def connection(request: Any = None, **more: Any) -> Any:
    """A connection with this request, or a websocket."""
    return Thing(**({"cycle": request} | more))


def test_a_connection_that_asks_nothing_is_over_after_ten_seconds() -> None:
    """Before its first request and after an answer; a websocket and a request under way are not."""
    under_way, answered = (
        SimpleNamespace(response_complete=False),
        SimpleNamespace(response_complete=True),
    )
    silent, asks, again, websocket = (
        connection(),
        connection(under_way),
        connection(answered),
        Thing(),
    )
    every, looks = [silent, asks, again, websocket], connections.Looks()
    assert looks.over(every, 0, 99) == []
    assert looks.over(every, connections.SILENT_S, 99) == []
    assert looks.over(every, connections.SILENT_S + 1, 99) == [silent, again]
    assert looks.over(every, connections.ANSWER_S + 1, 99) == [silent, asks, again]
    silent.cycle = under_way  # its request came: its time begins anew
    assert looks.over([silent], connections.ANSWER_S + 2, 99) == []


def test_a_burst_is_ended_at_once() -> None:
    """Of silent ones as many as are too many, the latest first; whoever asks stays."""
    looks, asks = connections.Looks(), connection(SimpleNamespace(response_complete=False))
    first = [asks, connection(), connection()]
    assert looks.over(first, 0, 3) == []
    late = [connection() for _ in range(3)]
    assert looks.over(first + late, 1, 4) == late[:2]
    assert looks.over(first, 2, 0) == [first[1], first[2]]


def test_visitors_fit_the_open_files(hosted: pytest.MonkeyPatch, capsys: Any) -> None:
    """A low limit is one sentence that says how many visitors it takes, and how to raise it."""
    hosted.setattr(connections, "open_files", lambda: 1_024)
    few = connections.most_sessions()
    assert few * (connections.OF_SESSION + connections.OF_VISITOR) < 1_024
    assert 50 < few < SESSIONS.hosted
    connections.warn()
    said = capsys.readouterr().err
    assert f"1,024 files may be open, enough for {few} visitors at once, not 120." in said
    assert said.count("\n") == 1
    hosted.setenv(SESSIONS.variable, "30")
    connections.warn()
    assert (connections.most_sessions(), capsys.readouterr().err) == (30, "")
    hosted.delenv(SESSIONS.variable)
    hosted.setattr(connections, "open_files", lambda: 4_096)
    connections.warn()
    assert (connections.most_sessions(), capsys.readouterr().err) == (SESSIONS.hosted, "")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_the_limit_of_open_files_is_raised() -> None:
    """To what the system allows, at the start."""
    code = "from embviz.hosting.connections import open_files; print(open_files())"

    def low() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 2_000))

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        preexec_fn=low,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "2000"
