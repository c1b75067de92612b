"""The speed benchmark in its short form."""

import json
import subprocess
import sys

import pytest

from tests.browser.conftest import ROOT

KEYS = {
    "echo_p50_ms",
    "playground_p50_ms",
    "ratio_p50",
    "ratio_large_p50",
    "fps",
    "frames_while_scrubbing",
    "bytes_per_rerun",
    "start_ratio",
}


@pytest.mark.usefixtures("chromium_path")
def test_keystroke_benchmark_runs() -> None:
    """The short benchmark runs and gives all its figures."""
    command = [sys.executable, "tests/benchmarks/keystroke.py", "--quick", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result) >= KEYS
    assert result["frames_while_scrubbing"] == 0
    assert all(result[key] > 0 for key in KEYS - {"frames_while_scrubbing"})
