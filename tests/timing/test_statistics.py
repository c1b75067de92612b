"""Verdicts: right on a machine that changes its speed, and on rounds whose answer is known."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from embviz.timing.axes import SKEWS
from embviz.timing.sentences import case_words
from embviz.timing.statistics import LEVEL, noise, pairs, verdicts
from embviz.timing.timed import PLACEMENTS, Timed, plan, varying
from tests.timing.fake_machine import COLUMNS, IN_PLACEMENT, sweep
from tests.timing.made import CASE, vocab

MATMUL = replace(CASE, method="matmul")
KINDS = plan(
    "ids", [*SKEWS], ["lookup", "index_select", "matmul"], ["cpu"],
    num_embeddings=1, embedding_dim=64, tokens=256,
)  # fmt: skip
SIZES = vocab(rows=[2**k for k in range(6, 17)])


def judged(
    cases: list[Timed], seconds: Callable[[Timed], float], count: int, **more: Any
) -> list[pd.DataFrame]:
    """The verdicts on so many sweeps of the fake machine."""
    random = np.random.default_rng(3)
    return [verdicts(sweep(cases, seconds, random, **more)) for _ in range(count)]


@pytest.mark.parametrize(
    ("cases", "more", "count", "most"),
    [
        (KINDS, {}, 150, 2),
        (SIZES, {"place": 0.05}, 50, 1),
        (KINDS, {"processes": 5, "start": 0.05}, 50, 1),
    ],
)
def test_the_null_test_makes_no_statement(
    cases: list[Timed], more: dict[str, float], count: int, most: int
) -> None:
    """Where no true time differs, at most 1 % of runs say so, whatever phases and memory do."""
    found = judged(cases, lambda _: 1e-5, count, **more)
    assert sum(frame["told"].any() for frame in found) <= most


@pytest.mark.parametrize("cases", [KINDS, SIZES])
def test_a_true_difference_is_found(cases: list[Timed]) -> None:
    """1.3x within a point, and 2x across points, are told in nine of ten comparisons."""

    def seconds(case: Timed) -> float:
        slow = 1.0 if case.point == cases[0].point else 2.0
        return 1e-5 * slow * (1.3 if case.method == "matmul" else 1)

    found = pd.concat(judged(cases, seconds, 20))
    true = found["a"].map(seconds) / found["b"].map(seconds)
    for wanted in (1.3, 2.0):
        frame = found[true == wanted]
        assert len(frame) >= 40
        assert frame["told"].mean() >= 0.9
        assert frame["ratio"].median() == pytest.approx(wanted, rel=0.05)
        assert min((frame["low"] < wanted).mean(), (frame["high"] > wanted).mean()) > 0.95


def everywhere(*those: float) -> dict[int, list[float]]:
    """The same in each placement."""
    return {part: [*those] for part in range(PLACEMENTS)}


def made(logs: dict[int, list[float]]) -> pd.DataFrame:
    """Times of a lookup of 1 s in each round, and of a matmul by their logarithms in placements."""
    lines = [
        (case, 0, part, part * IN_PLACEMENT + number, False, "wait", float(np.exp(log)))
        for part, those in logs.items()
        for number, value in enumerate(those)
        for case, log in ((CASE, 0.0), (MATMUL, value))
    ]
    return pd.DataFrame(lines, columns=COLUMNS)


def test_placements_decide_where_there_is_one_point() -> None:
    """The interval is that of the placements' medians, by Student's t."""
    medians, spread = [0.5, 0.6, 0.8, 0.55, 0.6], [-0.01, 0.0, 0.01]
    frame = verdicts(made({place: [m + s for s in spread] for place, m in enumerate(medians)}))
    mean, error = np.mean(medians), stats.sem(medians)
    low, high = stats.t.interval(1 - LEVEL, 4, mean, error)
    assert np.log(frame[["ratio", "low", "high"]].iloc[0].to_list()) == pytest.approx(
        [mean, low, high]
    )
    assert frame["p"].item() == pytest.approx(2 * stats.t.sf((mean - np.log(1.02)) / error, 4))
    assert frame["told"].item()


@pytest.mark.parametrize(
    ("logs", "told"),
    [
        (everywhere(*[0.7] * 3), [True]),
        (everywhere(*[0.015] * 3), [False]),  # Below 2 %, however quiet.
        ({place: [0.7 + place / 1000] for place in range(5)}, [True]),
        ({place: [10.0 * place**2] for place in range(5)}, [False]),  # An interval without bounds.
        ({place: [0.7, 0.7, 0.7] for place in range(4)}, []),  # Too few placements.
        ({0: [0.7] * 24}, []),
        ({}, []),
    ],
)
def test_a_statement_needs_placements_and_two_percent(
    logs: dict[int, list[float]], told: list[bool]
) -> None:
    """What is said of few placements; rounds without any noise are no error."""
    assert [*verdicts(made(logs))["told"]] == told


@pytest.mark.parametrize(
    ("cases", "compared"),
    [
        (
            vocab("lookup", "matmul", "onehot_matmul", rows=[4, 8, 16]),
            [
                "matmul at 4 rows / lookup at 4 rows",
                "one-hot built + matmul at 4 rows / lookup at 4 rows",
                "one-hot built + matmul at 4 rows / matmul at 4 rows",
                "matmul at 8 rows / lookup at 8 rows",
                "one-hot built + matmul at 8 rows / lookup at 8 rows",
                "one-hot built + matmul at 8 rows / matmul at 8 rows",
                "matmul at 16 rows / lookup at 16 rows",
                "one-hot built + matmul at 16 rows / lookup at 16 rows",
                "one-hot built + matmul at 16 rows / matmul at 16 rows",
                "lookup at 16 rows / lookup at 4 rows",
                "matmul at 16 rows / matmul at 4 rows",
                "one-hot built + matmul at 16 rows / one-hot built + matmul at 4 rows",
            ],
        ),
        (
            [one for one in KINDS if one.method == "lookup"],
            ["lookup with zipf ids / lookup with uniform ids",
             "lookup with equal ids / lookup with uniform ids"],
        ),
        (
            vocab("lookup", rows=[4], devices=["cuda", "cpu"], caches=["new", "same"]),
            ["lookup at 4 rows on cuda / lookup at 4 rows",
             "lookup at 4 rows on cuda with new ids in each call / "
             "lookup at 4 rows with new ids in each call",
             "lookup at 4 rows with new ids in each call / lookup at 4 rows",
             "lookup at 4 rows on cuda with new ids in each call / lookup at 4 rows on cuda"],
        ),
    ],
)  # fmt: skip
def test_what_is_compared(cases: list[Timed], compared: list[str]) -> None:
    """Each method with the lookup, a built one-hot with a ready one, and each with itself."""
    axis = varying(cases)
    found = [f"{case_words(a, axis)} / {case_words(b, axis)}" for _, a, b in pairs(cases)]
    assert found == compared


def test_more_comparisons_need_more_evidence() -> None:
    """The interval of the same times is wider where more comparisons are made."""
    times = sweep(KINDS[:3], lambda _: 1e-5, np.random.default_rng(3))
    few = times[[case.method != "index_select" for case in times["case"]]]
    one, other = (verdicts(frame).iloc[-1] for frame in (few, times))
    assert (one["told"], other["ratio"]) == (False, one["ratio"])
    assert np.log(other["high"] / other["low"]) > 1.1 * np.log(one["high"] / one["low"])


@pytest.mark.parametrize("factor", [1.1, 1 / 1.1])
def test_the_noise_is_how_far_a_method_is_from_itself(factor: float) -> None:
    """The control is compared with its method round by round, in either direction."""
    times = made(everywhere(*[0.0] * 3))
    first = times[times["case"] == CASE]
    again = first.assign(again=True, seconds=first["seconds"] * factor)
    assert noise(pd.concat([times, again])) == pytest.approx(1.1)
