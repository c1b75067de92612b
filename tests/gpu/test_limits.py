"""The cases of *Where it breaks* that need a GPU."""

import pytest

from embviz.limits.case import Case
from embviz.limits.cases import gpu
from embviz.limits.own_process import prove_in_own_process
from tests.gpu.measured import show


@pytest.mark.parametrize("case", gpu.CASES, ids=lambda case: case.name)
def test_a_case_comes_out_as_written(case: Case) -> None:
    """In a process of its own; nothing of it was recorded."""
    proof = prove_in_own_process(case)
    show(case.name, proof.told)
    assert (proof.lacks, proof.recorded) == ("", "")
    assert proof.holds is True, proof.told
