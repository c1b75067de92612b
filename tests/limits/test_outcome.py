import math
from typing import Any

import pytest
import torch

from embviz.limits.cases import case_named
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.prove import prove

NAN = math.nan


@pytest.mark.parametrize(
    ("left", "right", "tolerance", "verdict", "detail"),
    [
        (torch.zeros(2), torch.zeros(2), 0.0, "same", "all 2 values are the same, bit for bit"),
        (torch.zeros(2), -torch.zeros(2), 0.0, "differ", "differ in the sign of zero alone"),
        (torch.zeros(2), torch.tensor([0, 0.5]), 0.0, "differ", "1 of 2 values differs, by at"),
        (torch.zeros(2), torch.tensor([0, 0.5]), 0.5, "same", "are the same within 0.5"),
        (torch.tensor([NAN]), torch.tensor([NAN]), 0.0, "same", "bit for bit"),
        (torch.tensor([NAN]), -torch.tensor([NAN]), 0.0, "differ", "in the bits of NaN"),
        (torch.tensor([NAN]), torch.zeros(1), 9.0, "differ", "1 is NaN on one side only"),
        (torch.zeros(2), torch.zeros(3), 0.0, "differ", "shapes (2,) and (3,)"),
        (torch.zeros(0, 3), torch.zeros(0, 3), 0.0, "same", "no values: both have shape (0, 3)"),
        (torch.zeros(1), torch.zeros(1).double(), 0.0, "differ", "dtypes float32 and float64"),
        (torch.tensor([2**53]), torch.tensor([2**53 + 1]), 0.0, "differ", "the one value differs"),
        ("a", "b", 0.0, "differ", "a and b"),
        (True, 1, 0.0, "differ", "True and 1"),
        (torch.tensor(4), 4, 0.0, "differ", "tensor(4) and 4"),
        (IndexError("x"), torch.zeros(1), 0.0, "raises", "IndexError: x"),
        (IndexError("x"), TypeError("y\nz"), 0.0, "raises", "IndexError: x · TypeError: y"),
    ],
)
def test_a_verdict_follows_from_bits(
    left: Any, right: Any, tolerance: float, verdict: str, detail: str
) -> None:
    """Verdict and detail follow from dtype, shape and bit patterns, within the tolerance."""
    outcome = Outcome(left, right, tolerance)
    assert outcome.verdict == verdict
    assert detail in outcome.detail


def test_the_mask_marks_what_differs() -> None:
    """The mask is True where the bits differ."""
    outcome = Outcome(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 3.0]]))
    assert outcome.differs is not None
    assert outcome.differs.tolist() == [[False, True]]


def tensors(outcome: Outcome | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Both sides of an outcome, which must be tensors."""
    assert outcome is not None
    assert isinstance(outcome.left, torch.Tensor)
    assert isinstance(outcome.right, torch.Tensor)
    return outcome.left, outcome.right


def proofs() -> list[Proof]:
    """One proof of each verdict, and one that was not run."""
    some = ("out-of-range", "minus-zero", "float16")
    not_run = Proof(case_named("medium-precision-on-a-cpu"), None, None, "not run: no AMX")
    return [*(prove(case_named(name)) for name in some), not_run]


def test_a_verdict_fits_one_line() -> None:
    """The line in the list says the verdict and how many values differ, or why it was not run."""
    assert [proof.line for proof in proofs()] == [
        "raises IndexError and RuntimeError",
        "differ: 1 of 12 values",
        "same, bit for bit",
        "not run: no AMX",
    ]
