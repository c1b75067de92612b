"""The timing benchmark in its short form: without it the program could break unseen."""

import json
import subprocess
import sys

import pytest

from tests.load.server import ROOT


def test_the_timing_benchmark_prints_its_figures() -> None:
    """A null test counts comparisons; ratios and seconds are those of a machine."""
    command = [sys.executable, "-W", "error", "-m", "tests.benchmarks.timing", "--runs", "1"]
    # The other null tests are alike.
    command += ["--parts", "twin", "wall", "validation", "writing"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr  # where PyTorch may say that it sees no GPU
    printed = json.loads(done.stdout, parse_constant=pytest.fail)
    assert 0 <= printed["twin"]["false_runs"] <= printed["twin"]["runs"] == 1
    assert printed["twin"]["compared"] >= 2
    assert all(0.1 < ratio < 10 for ratio in printed["validation"].values())
    assert printed["writing"]["seconds"] > 0
    assert 0 < printed["wall"]["first_round_s"] < printed["wall"]["sweep_s"]
