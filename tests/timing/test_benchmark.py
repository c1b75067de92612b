"""The timing benchmark in its short form: without it the program could break unseen."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.benchmarks import power
from tests.load.server import ROOT


def test_the_timing_benchmark_prints_its_figures() -> None:
    """A null test counts comparisons; ratios and seconds are those of a machine."""
    command = [sys.executable, "-W", "error", "-m", "tests.benchmarks.timing", "--runs", "1"]
    # The other null tests are alike.
    command += ["--parts", "twin", "sparse", "wall", "validation", "writing"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr  # where PyTorch may say that it sees no GPU
    printed = json.loads(done.stdout, parse_constant=pytest.fail)
    assert 0 <= printed["twin"]["false_runs"] <= printed["twin"]["runs"] == 1
    assert printed["twin"]["compared"] >= 2
    assert 0 <= printed["sparse"]["told"] <= 1
    assert all(0.1 < ratio < 10 for ratio in printed["validation"].values())
    assert printed["writing"]["seconds"] > 0
    assert 0 < printed["wall"]["first_round_s"] < printed["wall"]["sweep_s"]


def test_the_simulation_counts_what_is_told() -> None:
    """Without this the program could break unseen."""
    random = np.random.default_rng(1)
    assert power.one_run(1, 0.05, random)["told_2.0x"] == 1
    assert power.two_runs(1, 0.02, random) == {"pairs": 1, "false": 0, "found_1.3x": 1}
