"""The speed benchmark in its short form."""

import json
import subprocess
import sys

import pytest

from tests.load.server import ROOT

PAINTED = {"p50_ms", "ratio_p50", "burst_ms", "settled_ms"}
COSTS = {"rerun_server_ms", "rerun_messages", "rerun_bytes", "rerun_sent_bytes"}


@pytest.mark.usefixtures("chromium_path")
def test_keystroke_benchmark_runs() -> None:
    """The short benchmark runs and gives all its figures."""
    command = [sys.executable, "tests/benchmarks/keystroke.py", "--quick", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    pages = json.loads(done.stdout)
    playground = pages["playground"]
    for what in ("playing", "pointing", "scrubbing"):
        assert playground.pop(f"{what}_messages") == 0
        assert playground[f"{what}_frames_per_second"] > 0
    assert playground["start_ratio"] > 0
    for name in ("echo", "playground"):
        assert set(pages[name]) >= PAINTED | COSTS
        assert all(pages[name][figure] > 0 for figure in PAINTED | COSTS - {"rerun_server_ms"})
