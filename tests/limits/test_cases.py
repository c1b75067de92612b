"""Every case on the installed PyTorch."""

import ast
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from embviz.limits.case import Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.own_process import prove_in_own_process
from embviz.limits.prove import Outcome, prove, run_typed
from embviz.limits.search import find


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_comes_out_as_written(case: Case) -> None:
    """A case's program does what it expects, and its expectation is not met by any other result.

    The caller's generator, gradients and subnormals do not change.
    """
    before, tiny = torch.get_rng_state(), torch.tensor([1e-40])
    with torch.no_grad():
        proof = prove_in_own_process(case) if case.own_process else prove(case)
        assert not torch.is_grad_enabled()
    assert float(tiny * 1.0) > 0
    if "manual_seed" not in case.program:
        assert torch.equal(before, torch.get_rng_state())
    if proof.lacks:
        pytest.skip(proof.told)
    assert proof.holds is True, proof.told
    assert proof.problem is not None
    other = Outcome(NameError("name 'x' is not defined"), proof.problem.right)
    assert replace(proof, problem=other).holds is False
    assert replace(proof, problem=Outcome(1, 1)).holds is (any(case.raises) + case.differ == 0)
    for value in proof.problem.left, proof.problem.right:
        if isinstance(value, torch.Tensor):
            assert value.numel() in range(1, 33), "the page shows all of it"
            assert value.shape[-1:] < (5,)
    for error in filter(None, proof.problem.errors):
        for text in error, error.upper(), error.replace(" ", "\n"):
            found = find(text)
            assert case in (found.opened, *found.offered), "the error leads back to it"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_list_shows_what_runs_and_the_fix_works_on_a_layer(case: Case) -> None:
    """The program that breaks has the line as it stands, and it fits in the list.

    The assertion of the fix does not hold without the lines above it. The proof runs it with them.
    """
    line = case.line
    assert line in case.program
    assert line == line.strip()
    assert len(line) <= 64
    assert len(line.splitlines()) == 1
    tree = ast.parse(case.typed)
    *lines, last = tree.body
    assert lines
    assert isinstance(last, ast.Assert)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names & {"embedding", "linear"}, "the fix of a layer"
    if not case.own_process and not case.lacks():
        with ThreadPoolExecutor(1) as thread:  # as in a proof
            assert thread.submit(run_typed, ast.unparse(last)).result() != ""


def test_a_program_is_the_text_that_runs() -> None:
    """A changed text gives another result; what a program changes does not reach the next one.

    One blank line too many or too few is told when the case is written, not when it runs.
    """
    case = case_named("bias")
    with pytest.raises(ValueError, match="the case bias needs two paragraphs"):
        replace(case, program="left = right = weight")
    with pytest.raises(ValueError, match="the case bias needs two paragraphs"):
        replace(case, program="left = 1\n\nleft = 2\n\nright = 3")
    mended = case.program.replace("linear, bias", "linear")
    assert prove(replace(case, program=mended)).holds is False
    outcome = prove(replace(case, program="left = spelled_wrongly\n\nright = left_too")).problem
    assert outcome is not None
    assert [error[:9] for error in outcome.errors] == ["NameError"] * 2
    assert outcome.left.__traceback__ is None, "it would keep all tensors of the program"
    changes = "left = weight\n\nweight[0] = 7\nright = weight"
    outcome = prove(replace(case, program=changes)).problem
    assert outcome is not None
    assert outcome.count == 3, "a side is what it was at its end"
    assert prove(case).holds is True
