import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def benchmark(name: str, *arguments: str) -> dict[str, Any]:
    """The output of a benchmark with `--quick --json`."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            f"tests/benchmarks/{name}.py",
            "--quick",
            "--json",
            *arguments,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    printed: dict[str, Any] = json.loads(done.stdout, parse_constant=pytest.fail)
    return printed


def test_the_sweep_benchmark_prints_its_figures() -> None:
    """The benchmark of the timing engine prints times, shares and ratios."""
    figures = benchmark("sweep")
    assert set(figures) >= {
        "first_point_s",
        "sweep_s",
        "stop_s",
        "timed_share",
        "median_ratio_to_torch",
        "wall_ratio_to_torch",
        "aa_not_told_apart_share",
        "aa_points",
    }
    assert all(isinstance(value, int | float) for value in figures.values())
    assert 0 < figures["first_point_s"] <= figures["sweep_s"]
    assert 0 < figures["timed_share"] < 1
    assert 0 <= figures["aa_not_told_apart_share"] <= 1


def test_the_busy_benchmark_prints_its_figures() -> None:
    """The benchmark of a busy server prints the change of each method's median."""
    figures = benchmark("busy")
    assert set(figures) >= {"median_change", "worst_change", "within_25_percent", "methods"}
    assert set(figures["methods"]) == {"lookup", "index_select", "matmul", "onehot_matmul"}
    values = itertools.chain(figures["methods"].values(), [figures["worst_change"]])
    assert all(isinstance(value, int | float) for value in values)
