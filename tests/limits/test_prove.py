"""What an outcome says of two values, and what a case without its machine says."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from embviz.limits.cases import case_named
from embviz.limits.prove import Outcome, Proof, prove

NAN = float("nan")


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
    assert outcome.told(("a", "b")) == told
    assert outcome.verdict == ("differ" if count else "same")
    assert [outcome.meets(("", ""), count + off) for off in (-1, 0, 1)] == [False, True, False]


def test_a_tolerance_counts_what_is_further_apart() -> None:
    """A difference of the tolerance still counts as none, NaN never does."""
    left, right = torch.tensor([1.0, 1.0, NAN]), torch.tensor([1.5, 1.75, 1.0])
    assert Outcome(left, right, 0.5).count == 2
    assert "within 0.5" in Outcome(left[:1], right[:1], 0.5).told(("a", "b"))


def test_an_error_is_that_of_its_side_its_class_and_its_message() -> None:
    """Nothing else meets the expectation."""
    outcome = Outcome(IndexError("index out of range in self"), 1)
    assert outcome.verdict == "raises"
    assert outcome.told(("lookup", "matmul")) == "lookup raises IndexError."
    assert outcome.meets(("IndexError: index out … self", ""), 0)
    for left in "", "RuntimeError: index", "Error: index", "IndexError: range … index out":
        assert not outcome.meets((left, ""), 0)
        assert not outcome.meets((left, ""), 1)
    assert not outcome.meets(("IndexError: index", "IndexError: index"), 0)


def test_what_cannot_run_here_is_neither_proved_nor_refuted() -> None:
    """A machine without the need says so; a process that failed is a failure."""
    case = replace(case_named("minus-zero"), lacks=lambda: "no GPU")
    proof = prove(case)
    assert (proof.holds, proof.told) == (None, "Cannot run here: no GPU.")
    failed = Proof(case, failed="it was killed")
    assert (failed.holds, failed.told) == (False, "Failed: it was killed.")
