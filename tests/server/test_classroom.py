"""The load test in its short form."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def short_run(options: str) -> Any:
    """The figures of the load test in a process of its own."""
    command = [sys.executable, "tests/load/classroom.py", *options.split()]
    command += ["--cold", "--limit", "300", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_short_class() -> None:
    """Three students on all pages see no failure."""
    found = short_run("--sessions 3 --seconds 3 --page mix")
    assert found["errors"] == found["exceptions"] == 0
    assert found["sessions"] == found["opens"]["reruns"] == 3
    assert found["measurers"] == 1
    assert 0 < found["rss_start_mb"] <= found["rss_peak_mb"]
    assert found["children_left"] == []


def test_a_short_class_together() -> None:
    """The board counts each of two students once for each step, also if the server is killed."""
    found = short_run("--class 2 --seconds 2 --restart")
    assert found["errors"] == 0
    assert found["on_board"]["count"] == found["killed"]["count"] == 2 * 8
    assert found["alone"]["answers"]["count"] >= 2 * 8
    for name in ("ratio_p95", "redraw", "polls"):
        assert found[name], name


def test_each_page_has_its_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page has actions in the load test."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "load"))
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} <= {*__import__("student").ACTIONS}
