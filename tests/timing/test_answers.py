from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embviz.timing.answers import answer
from embviz.timing.cases import Case, plan
from embviz.timing.results import Measurement, Result
from embviz.timing.runs import Run
from tests.timing.fake_machine import sweep
from tests.timing.made_results import CASE, anchor, flat_and_growing, measured, scaled, vocab

LONGEST = 90  # characters of a title on a phone
SIZES = [2, 4, 8, 16, 32, 64, 128, 256]
FIXED = {"embedding_dim": 64, "tokens": 64}


def answer_of(results: Sequence[Result]) -> str:
    """The answer of a run with these results."""
    found = answer(Run("r", {}, tuple(results)))
    assert len(found) <= LONGEST
    return found


def of_kinds(vary: str, seconds: Callable[[Case], float], values: Sequence[Any]) -> list[Result]:
    """A sweep over kinds, with its anchor."""
    cases = plan(
        vary,
        values,
        ["lookup", "matmul"],
        ["cpu"],
        **({"num_embeddings": 4096} | FIXED),
    )
    return [anchor(cases[0]), *(measured(case, seconds(case)) for case in cases)]


def test_nothing_measured_has_no_answer() -> None:
    """Without a measurement there is no answer; with one it is its time."""
    assert answer_of([]) == ""
    assert answer_of([measured(CASE, 1.5e-6)]) == "At 64 rows lookup takes 1.5 µs"


@pytest.mark.parametrize(
    ("took", "expected"),
    [
        (
            {("matmul", "float16"): 1e-5 / 1.3},
            "Matmul is 1.30x faster in float16 than in float32; lookup is not told apart",
        ),
        (
            {("matmul", "float16"): 1e-4, ("lookup", "float64"): 1.2e-5},
            "Matmul is 10x slower in float16 than in float32; lookup is 1.20x slower in float64",
        ),
        ({}, "The 3 dtypes are not told apart for matmul and lookup"),
    ],
)
def test_is_half_precision_faster(took: dict[tuple[str, str], float], expected: str) -> None:
    """Dtypes are compared with float32: the fastest of each method, or that none is faster."""
    found = answer(
        Run(
            "r",
            {},
            tuple(
                of_kinds(
                    "dtype",
                    lambda case: took.get((case.method, case.dtype), 1e-5),
                    ["float64", "float32", "float16"],
                )
            ),
        )
    )
    assert found == expected


def test_half_precision_has_one_answer_on_a_machine_with_phases() -> None:
    """Of 20 sweeps, each gives the same answer about matmul, or none; lookup is never told."""
    random = np.random.default_rng(7)
    dtypes = ["float32", "float64", "bfloat16", "float16"]
    cases = plan(
        "dtype", dtypes, ["lookup", "matmul"], ["cpu"], **({"num_embeddings": 4096} | FIXED)
    )
    took = {"float32": 1.0, "float64": 1.5, "bfloat16": 0.4, "float16": 0.7}
    found = [
        answer_of(
            sweep(
                cases,
                lambda case: 1e-5 * (took[case.dtype] if case.method == "matmul" else 1.0),
                random,
            )
        )
        for _ in range(20)
    ]
    said = [one for one in found if "bfloat16 than in float32; lookup is not told apart" in one]
    assert len(said) >= 18
    assert all("faster" not in one for one in found if one not in said)


def test_where_matmul_wins() -> None:
    """Where a matmul wins at some sizes, the answer says up to where, with the gap between."""
    took = dict(zip(SIZES, (0.5, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0), strict=True))

    def seconds(case: Case) -> float:
        return 1e-6 * (took[case.num_embeddings] if case.method == "matmul" else 1.0)

    assert answer_of(vocab(["lookup", "matmul"], seconds, SIZES)) == (
        "Matmul is faster than lookup up to 16 rows, not told apart at 32 rows, slower from 64 rows"
    )
    random = np.random.default_rng(8)
    cases = plan("vocab", SIZES, ["lookup", "matmul"], ["cpu"], **FIXED)
    for _ in range(20):
        found = answer_of(sweep(cases, seconds, random))
        assert found.startswith("Matmul is faster than lookup")
        assert "slower" in found
        assert "faster than lookup at 2 rows, slower" not in found


def test_one_size_and_one_round() -> None:
    """One size has no `all sizes`; rounds that were not compared are not called alike."""
    assert answer_of(vocab(["lookup", "matmul"], flat_and_growing, [4096])) == (
        "Matmul takes 41x lookup's time at 4,096 rows"
    )
    assert answer_of(vocab(["lookup", "matmul"], lambda _: 1e-6, [64])) == (
        "Matmul is not told apart from lookup at 64 rows"
    )
    begun = [
        replace(one, blocks={(0, 0): one.blocks[0, 0]})
        for one in vocab(["lookup", "matmul"], flat_and_growing)
        if isinstance(one, Measurement)
    ]
    assert answer_of(begun) == "Too few rounds to compare"


def test_caches_and_and_devices_have_answers() -> None:
    """What stands side by side is part of the answer."""

    def seconds(case: Case) -> float:
        slower = 2 if (case.method, case.cache) == ("lookup", "new") else 1
        return slower * (1e-5 if case.method == "lookup" else 1e-7 * case.num_embeddings)

    results = vocab(["lookup", "matmul"], seconds, [512, 1024, 2048, 4096])
    cached = [*results, *vocab(["lookup"], seconds, [4096], caches=("new",))[1:]]
    assert answer_of(cached) == (
        "Matmul takes 41x lookup's time at 4,096 rows; lookup is 2.0x slower with new ids"
    )
    moved = [
        replace(scaled(one, 0.1), case=replace(one.case, device="cuda"))
        for one in results
        if isinstance(one, Measurement) and not one.anchor
    ]
    assert answer_of([*results, *moved]) == (
        "At 4,096 rows matmul is 10x faster on cuda; lookup is 10x faster on cuda"
    )
