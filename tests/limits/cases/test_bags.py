import pytest
import scipy.sparse
import torch

from embviz.limits.cases import case_named
from embviz.limits.prove import prove
from tests.limits.test_outcome import tensors


@pytest.mark.parametrize("name", ["mean-with-padding", "weighted-mean"])
def test_each_bag_has_its_own_mean(name: str) -> None:
    """The fix is right for each bag of a batch, also for one without words."""
    weight = torch.arange(12.0).reshape(4, 3)
    wanted = {
        "mean-with-padding": [(weight[1] + weight[3]) / 2, weight[2], torch.zeros(3)],
        "weighted-mean": [(3 * weight[1] + weight[3]) / 4, (weight[2] + weight[0]) / 2],
    }
    for side in tensors(prove(case_named(name)).fixed):
        torch.testing.assert_close(side, torch.stack(wanted[name]))


def test_the_exact_sum_is_right() -> None:
    """Both sides of the fix give the true sum, 1."""
    proof = prove(case_named("sum-order"))
    assert [side.item() for side in tensors(proof.problem)] == [0, 1]
    assert proof.fixed is not None
    assert (proof.fixed.left, proof.fixed.right) == (1.0, 1.0)


def test_a_row_of_a_csr_array_by_index() -> None:
    """`counts[[i]]` has the indices of a row in two dimensions, `counts[i]` has none."""
    counts = scipy.sparse.csr_array([[0, 3, 1, 0], [1, 0, 0, 2]])
    assert not hasattr(counts, "getrow")
    assert hasattr(scipy.sparse.csr_matrix(counts), "getrow")
    assert counts[[1]].shape == (1, 4)
    assert counts[[1]].indices.tolist() == [0, 3]
    assert counts[1].shape == (4,)
    assert not hasattr(counts[1], "indices")
