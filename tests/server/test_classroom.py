"""The load test in its short form."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from embviz.labs.catalogue import LABS
from tests.load.lesson import LAB

ROOT = Path(__file__).resolve().parents[2]


def short_run(options: str) -> Any:
    """The figures of the load test in a process of its own."""
    command = [sys.executable, "-m", "tests.load.classroom", *options.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_short_class_together() -> None:
    """The board counts each of two students once for each step, though the server is killed."""
    found = short_run("--class 2 --seconds 2 --waves 0 --stop 90")
    assert found["on the board: killed"]["count"] == 2 * len(LABS[LAB].steps)
    assert found["poll"]
