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


def test_the_null_benchmark_prints_its_figures() -> None:
    """The null test of the timing engine prints how many comparisons were told apart."""
    figures = benchmark("null", "--parts", "ids")["ids"]
    assert figures["pairs"] == 9
    assert 0 <= figures["false_pairs"] <= 9


def test_the_validation_benchmark_prints_its_figures() -> None:
    """The engine's median is compared with that of two other harnesses."""
    name = "lookup, 256 rows"
    figures = benchmark("validation", "--cases", name)
    assert len(figures["cases"][name]) == 3
    assert all(0.1 < ratio < 10 for ratio in figures["cases"][name])
