"""Two runs of one machine: identical code is not told apart, and a slower case is found."""

from collections.abc import Sequence

import numpy as np
import pytest

from embviz.text.refused import Refused
from embviz.timing.measure.medians import sample_medians, typical_seconds
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import Timed
from embviz.timing.tell.two_runs import Changes, changes_of
from tests.timing.made import Drawn, grows, vocab
from tests.timing.tell.fake_machine import sweep

CASES = vocab("lookup", "index_select", "matmul", rows=[256, 1024, 4096, 65536])
SLOWER = CASES[1]


def measured(
    seed: int,
    processes: int = 5,
    speed: float = 1.0,
    slower: float = 1.0,
    cases: Sequence[Timed] = CASES,
    **facts: str,
) -> Run:
    """A run of a machine that takes `speed` times as long, and SLOWER `slower` times that."""

    def seconds(case: Timed) -> float:
        return speed * grows(case) * (slower if case == SLOWER else 1)

    run = Drawn("drawn")
    run.times = sweep(
        cases, seconds, np.random.default_rng(seed), processes=processes, start=0.02, place=0.03
    )
    run.environment = {**facts}
    return run


def verdicts(found: Changes) -> dict[str, list[str]]:
    """The methods of each verdict."""
    return {word: [*rows["method"]] for word, rows in found.table.groupby("verdict")}


def test_identical_code_is_no_regression() -> None:
    """Also where the machine is another 1.3 times slower in the second run.

    `tests.benchmarks.power` has hundreds of pairs.
    """
    for few in (CASES, CASES[:4]):
        for seed in range(5):
            speed = (1.0, 1.3)[seed % 2]
            pair = measured(seed, cases=few), measured(-seed % 99, speed=speed, cases=few)
            assert not changes_of(*pair).regressed


def test_a_slower_case_is_found() -> None:
    """One that takes 1.3 times as long, in every pair with five processes each."""
    for seed in range(5):
        found = changes_of(measured(seed), measured(90 + seed, slower=1.3))
        assert verdicts(found)["slower"] == [SLOWER.method]
        row = found.table.iloc[1]
        assert row["low"] < row["ratio"] < row["high"]
        assert row["low"] < 1.3 < row["high"]


def test_what_all_share_is_divided_out_and_reported() -> None:
    """All cases 3 times slower is one sentence; a reader divides the times and it."""
    before, after = measured(1), measured(2, speed=3.0, slower=0.5)
    found = changes_of(before, after)
    assert not found.regressed
    assert verdicts(found)["faster"] == [SLOWER.method]
    assert found.shared == pytest.approx(3, rel=0.1)
    assert any(one.startswith("All cases together: ") for one in found.notes)
    table = found.table
    ratios = table["after"] / table["before"] / found.shared
    assert ratios.to_list() == pytest.approx(table["ratio"].to_list())
    for run, name in ((before, "before"), (after, "after")):
        times = typical_seconds(sample_medians(run.times))
        assert table[name].to_list() == pytest.approx(times[CASES].to_list())


def test_of_few_cases_nothing_is_divided_out() -> None:
    """A change of three cases may be that of the code, and a sentence says so."""
    found = changes_of(measured(1, cases=CASES[:3]), measured(2, speed=3.0, cases=CASES[:3]))
    assert found.shared == 1
    assert "of 4 cases or more" in found.notes[-1]
    assert found.table["ratio"].iloc[0] == pytest.approx(3, rel=0.5)


@pytest.mark.parametrize(
    ("processes", "threshold", "word"),
    [
        (5, 0.05, "slower"),
        (5, 1.0, "not told apart"),
        (4, 0.05, "not judged"),
        (1, 0.05, "not judged"),
    ],
)
def test_a_threshold_and_five_processes_are_needed(
    processes: int, threshold: float, word: str
) -> None:
    """A change within the threshold is none; with fewer processes nothing is judged, and why."""
    found = changes_of(measured(1, processes), measured(2, 6, slower=1.5), threshold)
    assert found.table["verdict"][1] == word
    assert found.regressed is (word == "slower")
    why = f"Nothing is judged: the runs have {processes} and 6 processes"
    assert found.notes[-1].startswith(why) is (word == "not judged")


def test_a_case_of_few_processes_is_not_judged() -> None:
    """The others are; a sentence counts it. Equal times are no error."""
    before, after = measured(1), measured(2)
    gone = (after.times["case"] == SLOWER) & (after.times["process"] == 3)
    after.times = after.times[~gone]
    found = changes_of(before, after)
    assert verdicts(found)["not judged"] == [SLOWER.method]
    assert found.notes[-1].endswith("in fewer than 5 processes: 1.")
    assert "slower" not in verdicts(changes_of(before, before))


def test_what_differs_is_said() -> None:
    """Other facts, and cases of one run alone; no case in common is refused."""
    found = changes_of(measured(1, cpu="Old"), measured(2, cases=CASES[:6], cpu="New"))
    assert found.notes[0] == "cpu differs: Old before, New after."
    assert found.notes[1] == "Cases of one run alone: 6."
    assert len(found.table) == 6
    with pytest.raises(Refused, match="no case in common"):
        changes_of(measured(1, cases=CASES[:3]), measured(1, cases=CASES[3:]))
