"""Every case on the installed PyTorch, and each of its expectations broken once."""

from dataclasses import replace

import pytest
import torch

from embviz.core.refused import Refused
from embviz.limits.alone import prove_alone
from embviz.limits.case import Case
from embviz.limits.cases import CASES, GROUPS, case_named, group_of
from embviz.limits.prove import Outcome, Proof, prove
from embviz.limits.search import find
from tests.ui.headless import NAMES

HERE = [case for case in CASES if not case.alone]


@pytest.fixture(scope="module")
def proofs() -> dict[str, Proof]:
    """Each case, proved once."""
    return {case.name: prove_alone(case) if case.alone else prove(case) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_comes_out_as_written(case: Case, proofs: dict[str, Proof]) -> None:
    """Its programs do what it expects, and its expectation is not met by any other result."""
    proof = proofs[case.name]
    if proof.lacks:
        pytest.skip(proof.told)
    assert proof.holds is True, (proof.told, proof.problem and proof.problem.errors)
    assert proof.problem is not None
    assert proof.fixed is not None
    for broken in broken_expectations(case):
        assert replace(proof, case=broken).holds is False, broken.raises
    other = Outcome(NameError("name 'x' is not defined"), proof.problem.right)
    assert replace(proof, problem=other).holds is False
    assert replace(proof, problem=Outcome(1, 1)).holds is (any(case.raises) + case.differ == 0)
    assert replace(proof, fixed=other).holds is False
    for value in (proof.problem.left, proof.problem.right, proof.fixed.left, proof.fixed.right):
        if isinstance(value, torch.Tensor):
            assert value.numel() in range(1, 33), "the page shows all of it"
            assert value.shape[-1:] < (5,)
    for error in filter(None, proof.problem.errors):
        assert case in find(error), "the error that it shows leads back to it"


def broken_expectations(case: Case) -> list[Case]:
    """The case with another class, another message, the other side, or another count."""
    if not any(case.raises):
        return [
            replace(case, differ=case.differ + 1),
            replace(case, raises=("RuntimeError: x", "")),
            replace(case, mended=case.mended + 1),
        ]
    classes = [f"Lookup{one}" if one else "" for one in case.raises]
    messages = [f"{one} at the moon" if one else "" for one in case.raises]
    found = [replace(case, raises=(pair[0], pair[1])) for pair in (classes, messages)]
    if case.raises[0] != case.raises[1]:
        found.append(replace(case, raises=case.raises[::-1]))
    return [*found, replace(case, raises=("", ""), differ=1)]


def test_each_record_can_be_found_and_read() -> None:
    """Names are unique, five cases are cards, and each has sources and leads to real pages."""
    assert len({case.name for case in CASES}) == len(CASES) == sum(map(len, GROUPS.values()))
    assert sum(case.card for case in CASES) == 5
    assert not any(case.alone for case in CASES if case.card)
    for case in CASES:
        assert case in GROUPS[group_of(case)]
        assert case.source
        assert all(address.startswith("https://") for _, address in case.source)
        assert case.see is None or case.see[0] in NAMES, case.see
        assert case.breaks != case.mends
        assert case_named(case.name) is case
    with pytest.raises(Refused, match="nearest is 'max-norm'"):
        case_named("max-nor")


def test_a_program_is_the_text_that_runs() -> None:
    """A changed text gives another result; what a program changes does not reach the next one."""
    case = case_named("bias")
    changed = replace(case, breaks=case.mends)
    assert prove(changed).holds is False
    broken = replace(case, breaks="left = spelled_wrongly\n\nright = left_too")
    proof = prove(broken)
    assert proof.problem is not None
    assert [error[:9] for error in proof.problem.errors] == ["NameError"] * 2
    assert proof.problem.left.__traceback__ is None, "it would keep all tensors of the program"
    written = prove(replace(case, breaks="left = weight\n\nweight[0] = 7\nright = weight"))
    assert written.problem is not None
    assert written.problem.count == 3, "a side is what it was at its end"
    assert proof.holds is False
    assert prove(case).holds is True


def test_a_proof_leaves_the_callers_switches_as_they_were() -> None:
    """Neither the generator nor gradients, autocast or subnormals of the caller change."""
    torch.manual_seed(7)
    before = torch.get_rng_state()
    tiny = torch.tensor([1e-40])
    with torch.no_grad():
        for case in HERE:
            if "manual_seed" not in case.breaks + case.mends:
                assert prove(case).holds is not False, case.name
        assert not torch.is_grad_enabled()
    assert float(tiny * 1.0) > 0
    assert torch.equal(before, torch.get_rng_state())
