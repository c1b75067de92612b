"""Results as JSON: of a case's own process, and as a GPU gave them elsewhere."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch

from embviz.limits import results
from embviz.limits.cases import CASES, case_named
from embviz.limits.cases.gpu import no_gpu
from embviz.limits.prove import Outcome, prove
from embviz.limits.results import from_json, recorded, to_json

LEFT, RIGHT = [[1024.5, 1.0]], [[1024.0, 1.0]]
LACKS = "PyTorch sees no CUDA GPU here"


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([[0.1, -0.0, float("inf")]]),
        torch.tensor([1 / 3], dtype=torch.bfloat16),
        torch.tensor([2**60 + 1]),
        torch.tensor(True),
        "it returned",
        7.39,
        KeyError("no 'key'"),
    ],
)
def test_a_result_is_the_same_after_json(value: Any) -> None:
    """Bit for bit; an error has its class's name and its text."""
    found = from_json(json.loads(json.dumps(to_json(value))))
    same = Outcome(value, found)
    if isinstance(value, Exception):
        assert same.errors == ("KeyError: \"no 'key'\"", "KeyError: \"no 'key'\"")
    else:
        assert same.verdict == "same"


def test_a_case_that_cannot_run_here_shows_what_a_gpu_gave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It says where; what is not proved here neither holds nor fails."""
    left, right = ({"dtype": "float32", "values": values} for values in (LEFT, RIGHT))
    cases = {"tf32": [left, right]}
    record = {"gpu": "NVIDIA H200", "torch": "2.11.0", "cases": cases}
    monkeypatch.setattr(results, "file", lambda: record)
    case = replace(case_named("tf32"), differ=1)
    proof = recorded(case, LACKS)
    assert proof.holds is None
    assert replace(proof, lacks="").holds is True
    said = "1 of 2 values differs, by at most 0.5."
    assert proof.told == f"Recorded on an NVIDIA H200 with PyTorch 2.11.0: {said}"
    assert proof.problem is not None
    assert proof.problem.left.tolist() == LEFT
    other = recorded(case_named("sixteen-ids"), LACKS)
    assert (other.problem, other.told) == (None, f"Cannot run here: {LACKS}.")


def test_what_was_recorded_is_what_a_case_expects() -> None:
    """A case expects what the GPU gave that ran it; each case of a GPU has a record."""
    for case in CASES:
        proof = recorded(case, LACKS)
        assert (proof.problem is None) == (case.lacks is not no_gpu), case.name
        if proof.problem is not None:
            assert proof.comes_out, proof.told


def test_the_fix_runs_before_what_may_end_the_process() -> None:
    """The fix runs first, because nothing of a process works on a GPU after an error there."""
    case = replace(
        case_named("bias"),
        program="torch.broken = 1\nleft = 0\n\nright = 0",
        typed="embedding\nassert not hasattr(torch, 'broken')",
    )
    try:
        proof = prove(case)
    finally:
        del torch.broken  # type: ignore[attr-defined]
    assert proof.mistyped == ""
