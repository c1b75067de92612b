"""What an outcome says of two values."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from embviz.limits.cases import case_named
from embviz.limits.prove import Outcome, prove

NAN = float("nan")
BIAS = case_named("bias")


@pytest.mark.parametrize(
    ("left", "right", "count", "told"),
    [
        ([0.0, 1], [-0.0, 1], 1, "1 of 2 values differs in the sign of zero alone."),
        ([NAN, 1], [NAN, 1], 0, "All 2 values are the same, bit for bit."),
        ([NAN, 1], [2, 3.0], 2, "2 of 2 values differ: NaN on one side."),
        ([5.0, 1], [2, 9.0], 2, "2 of 2 values differ, by at most 8."),
        ([1.0], [[1.0]], 1, "The shapes differ: (1,), (1, 1)."),
        ([1.0], [1], 1, "The value is the same, bit for bit. The dtypes are float32 and int64."),
        (1, 1.0, 1, "1 and 1.0 differ."),
        ("a", "a", 0, "Both are a."),
    ],
)
def test_two_values(left: Any, right: Any, count: int, told: str) -> None:
    """Bits decide, a dtype or a shape is one difference, and the sentence says which."""
    values = [torch.tensor(one) if isinstance(one, list) else one for one in (left, right)]
    outcome = Outcome(*values)
    assert outcome.sentence(("a", "b")) == told
    assert outcome.verdict == ("differ" if count else "same")
    cases = [replace(BIAS, raises=("", ""), differ=count + off) for off in (-1, 0, 1)]
    assert [outcome.meets(case) for case in cases] == [False, True, False]


def test_a_case_may_need_numbers_that_are_far_apart() -> None:
    """Other bits alone do not show that a difference grew."""
    case = replace(BIAS, raises=("", ""), differ=1, apart=1e-6)
    sides = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0])
    found = []
    for more in (2e-7, 3e-6):
        sides[1][1] = 2 + more
        found.append(Outcome(*sides).meets(case))
    assert found == [False, True]


def test_an_expected_error_is_of_its_class_and_side_with_its_words() -> None:
    """Another class, other words, the other side, one side more or no error: not as expected."""
    outcome = Outcome(IndexError("index 7 of input"), 1)
    assert outcome.meets(replace(BIAS, raises=("IndexError: index … of input", "")))
    for left, right in (
        ("LookupError: index 7 of input", ""),
        ("IndexError: index 7 of input at the moon", ""),
        ("", "IndexError: index 7 of input"),
        ("IndexError: index 7 of input",) * 2,
        ("", ""),
    ):
        assert not outcome.meets(replace(BIAS, raises=(left, right), differ=1))


@pytest.mark.parametrize(
    ("typed", "mistyped"),
    [
        ("assert embedding(ids).shape == (2, 3)", ""),
        ("assert embedding(ids).shape == (3, 2)", "AssertionError: "),
        ("embedding.weight[0] = 0", "RuntimeError: a view of a leaf Variable that requires grad"),
    ],
)
def test_a_case_holds_only_if_its_fix_works_on_a_layer(typed: str, mistyped: str) -> None:
    """It draws new layers each time, and PyTorch's generator stays as it was."""
    before = torch.get_rng_state()
    proof = prove(replace(BIAS, typed=typed))
    assert proof.mistyped.startswith(mistyped)
    assert bool(proof.mistyped) == bool(mistyped)
    assert proof.holds is not bool(mistyped)
    assert proof.comes_out
    assert torch.equal(before, torch.get_rng_state())
