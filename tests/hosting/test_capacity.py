"""Visitors are as many as open files allow."""

import resource
import subprocess
import sys
from typing import Any

import pytest

from embviz.hosting import capacity
from embviz.system.bounds import SESSIONS
from embviz.system.child import ROOT


def test_visitors_fit_the_open_files(hosted: pytest.MonkeyPatch, capsys: Any) -> None:
    """A low limit is one sentence that says how many visitors it takes, and how to raise it."""
    hosted.setattr(capacity, "open_files", lambda: 1_024)
    few = capacity.most_sessions()
    assert few * (capacity.OF_SESSION + capacity.OF_VISITOR) < 1_024
    assert 50 < few < SESSIONS.hosted
    capacity.warn()
    said = capsys.readouterr().err
    assert f"1,024 files may be open, enough for {few} visitors at once, not 120." in said
    assert said.count("\n") == 1
    hosted.setenv(SESSIONS.variable, "30")
    capacity.warn()
    assert (capacity.most_sessions(), capsys.readouterr().err) == (30, "")
    hosted.delenv(SESSIONS.variable)
    hosted.setattr(capacity, "open_files", lambda: 4_096)
    capacity.warn()
    assert (capacity.most_sessions(), capsys.readouterr().err) == (SESSIONS.hosted, "")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_the_limit_of_open_files_is_raised() -> None:
    """To what the system allows, at the start."""
    code = "from embviz.hosting.capacity import open_files; print(open_files())"

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
