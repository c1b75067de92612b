import math
import re
from dataclasses import replace
from typing import Any

import pytest
import torch

from embviz.limits.case import Both, Case
from embviz.limits.cases import case_named
from embviz.limits.outcome import shown
from embviz.limits.prove import DTYPE, check_inputs, inputs_of, prove, run
from tests.limits.cases.test_cases import HERE


@pytest.mark.parametrize("case", HERE, ids=lambda case: case.name)
def test_values_are_plain(case: Case) -> None:
    """A proof keeps no autograd graph and no frames of an error; its texts are short."""
    proof = prove(case)
    for outcome in (proof.problem, proof.fixed):
        assert outcome is not None
        for value in (outcome.left, outcome.right):
            if isinstance(value, torch.Tensor):
                assert (value.requires_grad, value.layout) == (False, torch.strided)
            if isinstance(value, Exception):
                assert value.__traceback__ is value.__context__ is None
                assert "\n" not in str(value)
            assert shown(value)
        assert outcome.detail
        assert len(outcome.detail) < 500


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("minus-zero", {"row": 4}, "row=4 is not a whole number from 0 to 3."),
        ("minus-zero", {"row": -1}, "row=-1 is not"),
        ("minus-zero", {"row": True}, "row=True is not"),
        ("minus-zero", {"row": 1.0}, "row=1.0 is not"),
        ("minus-zero", {"row": math.nan}, "row=nan is not"),
        ("minus-zero", {"row": "1"}, "row='1' is not"),
        ("minus-zero", {"row": 10**5000}, "row=a huge number is not"),
        ("minus-zero", {"row": "x" * 999}, "xxx… is not"),
        ("minus-zero", {"rows": 1}, "has no input 'rows'; it has: row, dtype."),
        ("minus-zero", {"dtype": "float16"}, "dtype='float16' is not one of: float32, float64."),
        ("minus-zero", {"dtype": torch.float32}, "dtype=torch.float32 is not"),
        ("inf-in-seen-row", {"value": "1"}, "value='1' is not one of: inf, -inf, nan."),
        ("inf-in-seen-row", {"value": ["inf"]}, "is not one of"),
        ("flush-to-zero", {}, "state of the whole process"),
    ],
)
def test_a_wrong_input_is_refused_in_a_sentence(
    name: str, given: dict[str, Any], words: str
) -> None:
    """An unknown, forged or unbounded input is refused with a sentence that quotes it."""
    with pytest.raises(ValueError, match=re.escape(words)):
        prove(case_named(name), **given)


def test_a_caller_without_gradients_gets_the_same() -> None:
    """A case about gradients holds for a caller that has switched them off."""
    with torch.no_grad():
        assert prove(case_named("repeated-tokens")).holds
        assert not torch.is_grad_enabled()


def test_what_needs_no_dtype_is_given_none() -> None:
    """A case with dtypes of its own takes no `dtype`."""
    assert DTYPE not in inputs_of(case_named("float16"))
    assert check_inputs(case_named("float16"), {"dtype": "float64"}) == {}


def test_an_unexpected_error_is_a_result() -> None:
    """An unexpected error refutes the claim and does not end the check."""

    def broken() -> Both:
        raise AttributeError("gone in PyTorch 9")

    case = replace(case_named("subnormals"), problem=broken)
    proof = run(case, check_inputs(case, {}))
    assert (proof.verdict, proof.holds) == ("raises", False)
    assert proof.line == "raises AttributeError"
