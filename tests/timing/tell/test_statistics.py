"""Verdicts: right on a machine that changes its speed, and on times whose answer is known."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from embviz.timing.measure.axes import SKEWS
from embviz.timing.measure.medians import sample_medians, typical_seconds
from embviz.timing.measure.timed import PLACEMENTS, Timed, plan, varying
from embviz.timing.tell.statistics import LEVEL, clock_of, noise, pairs
from embviz.timing.tell.times import case_words
from tests.timing.made import CASE, verdicts_on, vocab
from tests.timing.tell.fake_machine import COLUMNS, IN_PLACEMENT, sweep

MATMUL = replace(CASE, method="matmul")
KINDS = plan(
    "ids", [*SKEWS], ["lookup", "index_select", "matmul"], ["cpu"],
    num_embeddings=1, embedding_dim=64, tokens=256,
)  # fmt: skip
METHODS = "lookup", "index_select", "matmul", "onehot_matmul"
SIZES = vocab(*METHODS, rows=[2**k for k in range(6, 17)])
TRUE = {"index_select": 1.3, "matmul": 2.0}


def judged(
    cases: list[Timed], seconds: Callable[[Timed], float], count: int, **more: Any
) -> pd.DataFrame:
    """The verdicts on so many sweeps of the fake machine; `sweep` counts them."""
    random = np.random.default_rng(3)
    found = [verdicts_on(sweep(cases, seconds, random, **more)) for _ in range(count)]
    return pd.concat(found, keys=range(count), names=["sweep"])


@pytest.mark.parametrize(
    ("cases", "more", "count"),
    [
        (KINDS, {}, 25),
        (SIZES, {"place": 0.05}, 15),
        (KINDS, {"processes": 5, "start": 0.05, "place": 0.05}, 15),
    ],
)
def test_the_null_test_makes_no_statement(
    cases: list[Timed], more: dict[str, float], count: int
) -> None:
    """Where no true time differs, no run says so, whatever phases, starts and memory do.

    `tests.benchmarks.power` has hundreds of runs.
    """
    assert not judged(cases, lambda _: 1e-5, count, **more)["told"].any()


def test_a_true_difference_is_found() -> None:
    """1.3x is told in nine of ten comparisons and 2x in all, where memory moves times by 5 %."""
    found = judged(SIZES, lambda case: 1e-5 * TRUE.get(case.method, 1), 10, place=0.05)
    method = found["a"].map(lambda case: case.method)
    assert not found["told"][method == "onehot_matmul"].any()
    for name, share in (("index_select", 0.9), ("matmul", 1.0)):
        frame = found[method == name]
        assert len(frame) == 110
        assert frame["told"].mean() >= share
        assert frame["ratio"].median() == pytest.approx(TRUE[name], rel=0.03)
        assert (frame["low"] < TRUE[name]).mean() > 0.95
        assert (frame["high"] > TRUE[name]).mean() > 0.95


def made(logs: dict[int, list[float]]) -> pd.DataFrame:
    """Times of a lookup of 1 s in each round, and of a matmul by their logarithms in placements."""
    lines = [
        (case, 0, sample, sample * IN_PLACEMENT + number, False, "wait", float(np.exp(log)))
        for sample, those in logs.items()
        for number, value in enumerate(those)
        for case, log in ((CASE, 0.0), (MATMUL, value))
    ]
    return pd.DataFrame(lines, columns=COLUMNS)


def everywhere(*those: float) -> dict[int, list[float]]:
    """The same in each placement."""
    return {sample: [*those] for sample in range(PLACEMENTS)}


def test_the_interval_is_that_of_a_paired_t_test_on_the_placements() -> None:
    """By scipy's own t-test on the medians of the placements."""
    medians, spread = [0.5, 0.6, 0.8, 0.55, 0.6], [-0.01, 0.0, 0.01]
    frame = verdicts_on(made({place: [m + s for s in spread] for place, m in enumerate(medians)}))
    test = stats.ttest_rel(medians, np.zeros(5))
    interval = test.confidence_interval(1 - LEVEL)
    found = np.log(frame[["ratio", "low", "high"]].iloc[0].to_list())
    assert found == pytest.approx([np.mean(medians), interval.low, interval.high])
    beyond = stats.ttest_rel(medians, np.full(5, np.log(1.02)))
    assert frame["p"].item() == pytest.approx(beyond.pvalue)
    assert frame["told"].item()


@pytest.mark.parametrize(
    ("logs", "told"),
    [
        (everywhere(0.7), [True]),
        (everywhere(0.015), [False]),  # Below 2 %, however quiet.
        ({place: [0.7 + place / 1000] for place in range(5)}, [True]),
        ({place: [10.0 * place**2] for place in range(5)}, [False]),  # Hardly an interval.
        ({place: [0.7, 0.7, 0.7] for place in range(4)}, []),  # Too few placements.
        ({}, []),
    ],
)
def test_a_statement_needs_placements_and_two_percent(
    logs: dict[int, list[float]], told: list[bool]
) -> None:
    """Rounds without any noise are no error; no count of processes would tell what is equal."""
    found = verdicts_on(made(logs))
    assert [*found["told"]] == told
    assert len(logs) < PLACEMENTS or found["processes"].isna().all()


def test_the_processes_that_would_tell_a_difference() -> None:
    """So many samples with this spread are enough, and one less is not; NaN where none would be."""
    medians = [0.02, 0.25, 0.1, 0.02, 0.19, 0.08, 0.3, 0.06]
    row = verdicts_on(made({place: [one] for place, one in enumerate(medians)})).iloc[0]
    assert not row["told"]

    def half(count: float) -> float:
        return float(stats.t.isf(LEVEL / 2, count - 1) * np.std(medians, ddof=1) / count**0.5)

    beyond = np.mean(medians) - math.log(1.02)
    assert half(row["processes"]) < beyond <= half(row["processes"] - 1)


def test_the_ratio_is_that_of_the_two_times() -> None:
    """In every comparison, also where a machine changes its speed and a run was stopped."""
    times = sweep(SIZES, lambda _: 1e-5, np.random.default_rng(5), place=0.1)
    # Halfway through the sixth placement some cases have been measured and others not.
    times = times[(times["placement"] < 5) | times["case"].isin(SIZES[:20])]
    times = times[times["placement"] < 6]
    seconds = typical_seconds(sample_medians(times))
    found = verdicts_on(times)
    assert len(found) == 33
    ratios = found["a"].map(seconds) / found["b"].map(seconds)
    assert found["ratio"].to_list() == pytest.approx(ratios.to_list())


def test_cases_of_different_placements_are_not_compared() -> None:
    """One that failed halfway has a time, and no verdict."""
    times = made(everywhere(0.7, 0.7, 0.7))
    times = times[(times["case"] == CASE) | (times["placement"] < 6)]
    assert len(sample_medians(times)) == PLACEMENTS
    assert verdicts_on(times).empty
    assert typical_seconds(sample_medians(times))[MATMUL] == pytest.approx(math.exp(0.7))


def test_a_slow_moment_moves_no_time_of_a_method_beside_others() -> None:
    """A lookup is 1.6 times as long in two of three rounds, and so is the matmul beside it."""
    times = made(everywhere(0.7, 0.7, 0.7))
    slow = (times["round"] % IN_PLACEMENT > 0) & (times["placement"] % 2 == 0)
    slow &= (times["case"] == CASE) | (times["round"] % IN_PLACEMENT > 1)
    times["seconds"] *= np.where(slow, 1.6, 1.0)
    assert verdicts_on(times)["ratio"].item() == pytest.approx(math.exp(0.7), rel=0.15)


def test_a_case_with_one_round_in_a_placement_keeps_its_spread() -> None:
    """Its single rounds are what the interval rests on, as with a plain paired test.

    What quick cases do in its round takes nothing from them: that would move a time out of all that
    were measured.
    """
    random = np.random.default_rng(2)
    logs = random.normal(0, 0.1, (PLACEMENTS, IN_PLACEMENT, 2))
    lines = [
        (case, 0, place, place * IN_PLACEMENT + number, False, "wait", math.exp(log))
        for place, rounds in enumerate(logs)
        for number, both in enumerate(rounds)
        for case, log in zip((CASE, MATMUL), both, strict=True)
        if case == CASE or number == 0
    ]
    row = verdicts_on(pd.DataFrame(lines, columns=COLUMNS)).iloc[0]
    test = stats.ttest_rel(logs[:, 0, 1], np.median(logs[:, :, 0], axis=1))
    interval = test.confidence_interval(1 - LEVEL)
    assert [row["low"], row["high"]] == pytest.approx(np.exp([interval.low, interval.high]))


THREE = vocab("lookup", "matmul", "onehot_matmul", rows=[4, 8])
DTYPES = plan(
    "dtype", ["float32", "float64", "float16"], ["lookup"], ["cpu"],
    num_embeddings=4, embedding_dim=4, tokens=4,
)  # fmt: skip
BOTH = vocab("lookup", rows=[4], devices=["cuda", "cpu"], caches=["new", "same"])
NEW = "with new ids in each call"


@pytest.mark.parametrize(
    ("cases", "question", "compared"),
    [
        (
            THREE,
            "a question that the page does not know",
            [
                f"{name} at {rows} rows / lookup at {rows} rows"
                for rows in (4, 8)
                for name in ("matmul", "one-hot built + matmul")
            ],
        ),
        (
            THREE,
            "What does the one-hot cost?",
            [f"one-hot built + matmul at {n} rows / matmul at {n} rows" for n in (4, 8)],
        ),
        (
            KINDS[::3],
            "",
            [f"lookup with {kind} ids / lookup with uniform ids" for kind in ("zipf", "equal")],
        ),
        (DTYPES, "Half precision", ["lookup in float16 / lookup in float32"]),
        (
            BOTH,
            "",
            [
                "lookup at 4 rows on the GPU / lookup at 4 rows",
                f"lookup at 4 rows on the GPU {NEW} / lookup at 4 rows {NEW}",
                f"lookup at 4 rows {NEW} / lookup at 4 rows",
                f"lookup at 4 rows on the GPU {NEW} / lookup at 4 rows on the GPU",
            ],
        ),
        (
            BOTH[::2],
            "CPU or GPU?",
            [f"lookup at 4 rows on the GPU {NEW} / lookup at 4 rows {NEW}"],
        ),
    ],
)
def test_what_is_compared(cases: list[Timed], question: str, compared: list[str]) -> None:
    """What the question asks; without one each method with the lookup, or with itself."""
    axis = varying(cases)
    found = [f"{case_words(a, axis)} / {case_words(b, axis)}" for _, a, b in pairs(cases, question)]
    assert found == compared


def test_more_comparisons_need_more_evidence() -> None:
    """The interval of the same times is wider where more comparisons are made."""
    times = sweep(KINDS[:3], lambda _: 1e-5, np.random.default_rng(3), place=0.05)
    few = times[[case.method != "index_select" for case in times["case"]]]
    one, other = (verdicts_on(frame).iloc[-1] for frame in (few, times))
    assert np.log(other["high"] / other["low"]) > 1.1 * np.log(one["high"] / one["low"])


def test_each_clock_is_judged_by_itself() -> None:
    """The clock of an answer is `gpu` where every case that is compared has its times."""
    times = made(everywhere(0.0))
    gpu = times.assign(clock="gpu")
    gpu["seconds"] *= np.where(gpu["case"] == MATMUL, 2.0, 1.0)
    both = pd.concat([times, gpu])
    assert (clock_of(both), clock_of(times)) == ("gpu", "wait")
    assert clock_of(pd.concat([times, gpu[gpu["case"] == CASE]])) == "wait"
    assert [verdicts_on(both, clock)["ratio"].item() for clock in ("wait", "gpu")] == [1, 2]


@pytest.mark.parametrize("factor", [1.1, 1 / 1.1])
def test_the_noise_is_how_far_a_method_is_from_itself(factor: float) -> None:
    """The control is compared with its method round by round, in either direction."""
    times = made(everywhere(0.0, 0.0, 0.0))
    first = times[times["case"] == CASE]
    again = first.assign(again=True, seconds=first["seconds"] * factor)
    assert noise(pd.concat([times, again])) == pytest.approx(1.1)
