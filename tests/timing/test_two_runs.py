"""Two runs of one machine: identical code is not told apart, and a slower case is found."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from embviz.timing.run import Run
from embviz.timing.timed import Timed
from embviz.timing.two_runs import ALL, Comparison, compare
from tests.timing.fake_machine import sweep
from tests.timing.made import grows, vocab

CASES = vocab("lookup", "index_select", "matmul", rows=[256, 4096, 65536])
SLOWER = CASES[1]


class Drawn(Run):
    """A run whose table of times is given."""

    times = pd.DataFrame()

    @property
    def measured(self) -> list[Timed]:
        """Those with times."""
        return [*dict.fromkeys(self.times["case"])]


def measured(
    seed: int,
    processes: int = 5,
    speed: float = 1.0,
    slower: float = 1.0,
    cases: Sequence[Timed] = CASES,
    calibrated: float | None = None,
    **facts: str,
) -> Run:
    """A run of a machine that takes `speed` times as long, and SLOWER `slower` times that."""

    def seconds(case: Timed) -> float:
        return speed * grows(case) * (slower if case == SLOWER else 1)

    run, one = Drawn("drawn"), {"device": "cpu", "dtype": "float32", "threads": 1}
    run.times = sweep(cases, seconds, np.random.default_rng(seed), processes, 0.03, 0.03)
    one |= {"copy_gb_per_s": {"4096": 30 / (calibrated or speed)}, "gflop_per_s": 1 / speed}
    run.environment = {"calibrations": [one], **facts}
    return run


def verdicts(found: Comparison) -> dict[str, list[str]]:
    """The methods of each verdict; several rows are one name."""
    return {word: [*rows["method"]] for word, rows in found.table.groupby("verdict")}


def test_identical_code_is_no_regression() -> None:
    """At most 1 of 20 pairs is a regression; in half of them the machine became slower."""
    few = CASES[:6]
    pairs = ((measured(k, cases=few), measured(-k % 99, cases=few, speed=(1.0, 1.3)[k % 2]))
             for k in range(1, 41))  # fmt: skip
    assert sum(compare(*pair).regressed for pair in pairs) <= 2


def test_a_slower_case_is_found() -> None:
    """Of 20 pairs with five processes each, a case that takes 1.3 times as long in most."""
    found = [compare(measured(2 * k), measured(2 * k + 1, slower=1.3)) for k in range(20)]
    assert sum(verdicts(one).get("slower") == [SLOWER.method] for one in found) >= 12
    row = found[0].table.iloc[1]
    assert row["method"] == SLOWER.method
    assert row["low"] < row["ratio"] < row["high"]
    assert row["low"] < 1.3 < row["high"]
    assert row["after"] / row["before"] == pytest.approx(1.3, rel=0.15)


def test_what_all_share_is_divided_out_and_judged_alone() -> None:
    """All cases 3 times slower is one change; a machine that is calibrated so explains it."""
    found = compare(measured(1, 5), measured(2, 5, speed=3.0, slower=0.5, calibrated=1.0))
    assert (verdicts(found)["slower"], verdicts(found)["faster"]) == ([ALL], [SLOWER.method])
    assert found.table["ratio"].iloc[-1] == pytest.approx(3, rel=0.2)
    explained = compare(measured(1, 5), measured(2, 5, speed=3.0))
    assert not explained.regressed
    assert any("calibrations: 3 times as long" in one for one in explained.notes)
    # With fewer than four cases nothing is divided out, so a slower machine must explain less.
    first, other = (measured(seed, 8, speed, cases=CASES[:3]) for seed, speed in ((1, 1), (2, 3)))
    assert not compare(first, other).regressed


@pytest.mark.parametrize(
    ("first", "slower", "threshold", "word"),
    [
        (8, 1.5, 0.05, "slower"),
        (8, 1.5, 1.0, "not told apart"),
        (5, 5.0, 0.05, "slower"),
        (4, 5.0, 0.05, "not judged"),
    ],
)
def test_a_threshold_and_five_processes_are_needed(
    first: int, slower: float, threshold: float, word: str
) -> None:
    """A change within the threshold is none; with fewer processes nothing is judged, and why."""
    found = compare(measured(1, first), measured(2, 8, slower=slower), threshold)
    assert (found.table["verdict"][1], found.regressed) == (word, word == "slower")
    assert ("--repeat 5" in found.notes[-1]) is (word == "not judged")


def test_what_differs_is_said() -> None:
    """Other facts, and cases of one run alone."""
    found = compare(measured(1, cpu="Old"), measured(2, cases=CASES[:6], cpu="New"))
    assert (found.notes[0], "3" in found.notes[1]) == ("cpu differs: Old before, New after.", True)
    assert len(found.table) == 7
