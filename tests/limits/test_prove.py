from dataclasses import replace

import pytest
import torch

from embviz.limits.case import Both, Case
from embviz.limits.cases import case_named
from embviz.limits.outcome import shown
from embviz.limits.prove import prove
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


def test_a_caller_without_gradients_gets_the_same() -> None:
    """A case about gradients holds for a caller that has switched them off."""
    with torch.no_grad():
        assert prove(case_named("repeated-tokens")).holds
        assert not torch.is_grad_enabled()


@pytest.mark.parametrize("name", ["float16", "out-of-range"])
def test_an_unexpected_error_is_a_result(name: str) -> None:
    """An error that a case does not catch refutes it, also where it expects an error."""

    def broken() -> Both:
        raise AttributeError("gone in PyTorch 9")

    proof = prove(replace(case_named(name), problem=broken))
    assert (proof.verdict, proof.holds) == ("raises", False)
    assert proof.line == "raises AttributeError"
