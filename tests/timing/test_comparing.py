"""Two runs of one machine: identical code is not told apart, and a slower case is found."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embviz.timing.cases import Case, plan
from embviz.timing.comparing import compare
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.runs import Run
from tests.timing.fake_machine import sweep
from tests.timing.made_results import flat_and_growing, scaled

CASES = plan(
    "vocab",
    [256, 4096, 65536],
    ["lookup", "index_select", "matmul"],
    ["cpu"],
    embedding_dim=64,
    tokens=64,
)
SLOWER = CASES[1]


def run_of(seed: int, processes: int = 3, speed: float = 1.0, start: float = 0.02) -> Run:
    """A run of a machine that changes its speed by 1.6x; it takes `speed` times as long."""
    random = np.random.default_rng(seed)
    found = sweep(CASES, lambda case: speed * flat_and_growing(case), random, processes, start)
    return Run(f"{seed}.jsonl", {"cpu": "Some CPU", "torch": "2.13.0"}, tuple(found))


def slowed(run: Run, factor: float, *cases: Case) -> Run:
    """The run, with these cases `factor` times slower."""

    def slower(one: Result) -> Result:
        if not isinstance(one, Measurement) or one.case not in cases:
            return one
        return scaled(one, factor)

    return replace(run, results=tuple(map(slower, run.results)))


def calibrated(copies: float, products: float) -> dict[str, Any]:
    """The last line of a run with these speeds."""
    one = {"device": "cpu", "dtype": "float32", "threads": 1, "gflop_per_s": products}
    return {"status": "done", "calibrations": [one | {"copy_gb_per_s": {"4096": copies}}]}


def test_identical_code_is_no_regression() -> None:
    """In 20 pairs of runs on a machine that drifts, at most one has a regression."""
    pairs = [compare(run_of(2 * k), run_of(2 * k + 1)) for k in range(20)]
    assert sum(one.regressed for one in pairs) <= 1
    assert all(one.judged for one in pairs)


def test_a_machine_that_is_slower_as_a_whole_changes_no_case() -> None:
    """Where the second run takes 1.3 times as long in all cases, no case is called slower."""
    found = compare(run_of(1), run_of(2, speed=1.3))
    assert [one.verdict for one in found.changes] == ["not told apart"] * len(CASES)
    assert "This is divided out of each case" in found.sentence("a.jsonl")


def test_a_slower_case_is_found() -> None:
    """A case that takes twice as long is the only one that is slower, and is named."""
    found = compare(run_of(1, 5), slowed(run_of(2, 5, speed=1.2), 2.0, SLOWER))
    slower = [one for one in found.changes if one.verdict != "not told apart"]
    assert [(one.case, one.verdict) for one in slower] == [(SLOWER, "slower")]
    assert found.regressed
    low, high = slower[0].to_dict()["own_interval"]
    assert 1.05 < low < 2 < high
    said = found.sentence("the run of 2026-11-22")
    assert said.startswith(
        f"Compared with the run of 2026-11-22, {SLOWER.method} at 256 rows is {slower[0].words}; "
        "the other 8 cases are not told apart."
    )
    assert "slower (" in slower[0].words


def test_a_faster_case_is_no_regression() -> None:
    """A case that takes half as long is said to be faster."""
    found = compare(run_of(1, 5), slowed(run_of(2, 5), 0.5, SLOWER))
    assert {one.verdict for one in found.changes} == {"faster", "not told apart"}
    assert not found.regressed
    assert "x faster (" in found.sentence("a")


def test_all_cases_together_can_be_slower() -> None:
    """Everything three times as slow is a regression, unless the calibration changed as much."""
    first, second = run_of(1, 8), slowed(run_of(2, 8), 3.0, *CASES)
    found = compare(first, second)
    assert found.shared is not None
    assert (found.shared.verdict, found.regressed) == ("slower", True)
    slow = [replace(first, end=calibrated(30, 100)), replace(second, end=calibrated(10, 50))]
    found = compare(*slow)
    assert not found.regressed
    assert found.notes[0].endswith("after by before: copies 0.33x and matrix product 0.50x.")


def test_the_threshold_is_what_must_be_exceeded() -> None:
    """A change of 1.5x is none for a threshold of 100 %."""
    runs = run_of(1, 8, start=0.0), slowed(run_of(2, 8, start=0.0), 1.5, SLOWER)
    assert compare(*runs).regressed
    assert not compare(*runs, threshold=1.0).regressed


@pytest.mark.parametrize(("first", "second", "fewest"), [(1, 3, 1), (3, 2, 2)])
def test_few_processes_are_not_judged(first: int, second: int, fewest: int) -> None:
    """With fewer than three processes in any run, the comparison says so and finds nothing."""
    found = compare(run_of(1, first), slowed(run_of(2, second), 5.0, *CASES))
    assert (found.judged, found.regressed) == (False, False)
    assert found.sentence("a.jsonl") == (
        "A comparison with a.jsonl needs --repeat 3 or more in both runs; one of them has "
        f"{fewest} {'process' if fewest == 1 else 'processes'}."
    )
    assert {row[-1] for row in found.table().rows} == {"not judged"}
    json.dumps(found.to_dict("a"), allow_nan=False)


def only(run: Run, cases: Sequence[Case]) -> Run:
    """The run with these cases alone."""
    return replace(run, results=tuple(one for one in run.results if one.case in cases))


def test_what_differs_is_said() -> None:
    """Another PyTorch, cases of one run alone and the reason of a failure are named."""
    before, after = run_of(1), only(run_of(2), CASES[:-2])
    gone = Failure(CASES[-1], "no memory")
    after = replace(after, environment={"torch": "2.14.0"}, results=(*after.results, gone))
    notes = compare(before, after).notes
    assert notes == (
        "PyTorch differs: 2.13.0 before, 2.14.0 after.",
        "Measured only before: index_select at 65,536 rows and matmul at 65,536 rows (no memory).",
    )
