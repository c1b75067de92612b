"""The speed benchmark in its short form."""

import json
import subprocess
import sys

from tests.browser.chromium import require
from tests.load.server import ROOT


def test_keystroke_benchmark_runs() -> None:
    """The short benchmark runs and gives the figures of a key, without the largest table."""
    require()
    command = [sys.executable, "-m", "tests.benchmarks.keystroke", "--blocks", "1"]
    command += ["--starts", "0", "--pages", "playground"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["echo"]["x echo"] == 1.0
    for name in ("echo", "playground"):
        assert found[name]["count"] == 10
        assert 0 < found[name]["p50"] <= found[name]["p95"]
