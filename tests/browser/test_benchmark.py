"""The speed benchmark in its short form."""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.keystroke import PATHS
from tests.load.server import ROOT


@pytest.mark.usefixtures("browser")
def test_keystroke_benchmark_runs() -> None:
    """The short benchmark runs and gives all its figures, for each of its pages."""
    command = [sys.executable, "-m", "tests.benchmarks.keystroke", "--blocks", "1"]
    command += ["--starts", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["echo"]["x echo"] == 1.0
    for name in PATHS:
        assert found[name]["count"] == 10
        assert 0 < found[name]["p50"] <= found[name]["p95"]
    assert found["start"]["x echo"] > 0
