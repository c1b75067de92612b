import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

from embviz.bag import recipe as recipes
from embviz.bag.recipe import SparseRows, collate, first_batch, recipe
from tests.bag.matrices import MATRICES, WEIGHT, untidy


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", MATRICES)
def test_the_recipe_prints_the_batch_that_the_page_shows(
    name: str, dtype: torch.dtype, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recipe runs with the files of the page, and prints the page's batch and the product."""
    matrix, weight = MATRICES[name], WEIGHT.to(dtype)
    scipy.sparse.save_npz(tmp_path / recipes.MATRIX_FILE, matrix.csr)
    np.save(tmp_path / recipes.WEIGHT_FILE, weight.numpy())
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with torch.random.fork_rng(), redirect_stdout(printed):
        exec(recipe(), {})  # noqa: S102 - our own script
    ids, offsets, weights = first_batch(matrix, dtype)
    told = dict(line.split(": ", 1) for line in printed.getvalue().splitlines())
    assert told["ids"] == str(ids.tolist())
    assert told["offsets"] == str(offsets.tolist())
    assert told["weights"] == str(weights.tolist())
    assert told["batches"] == str(-(-matrix.shape[0] // recipes.BATCH))
    assert told["the dense product is the same"] == "True"


def test_the_recipe_stands_alone_and_speaks_of_getrow() -> None:
    """The recipe imports nothing of embviz, and says that `csr_array` has no `getrow`."""
    assert "embviz" not in recipe()
    assert recipe().isascii()
    assert "getrow" in recipe()
    assert not hasattr(scipy.sparse.csr_array, "getrow")
    assert hasattr(scipy.sparse.csr_matrix, "getrow")


def test_a_batch_is_rows_one_after_another() -> None:
    """A batch has its rows in order, with empty ones, as copies."""
    matrix = untidy()
    before = matrix.csr.data.copy()
    rows = SparseRows(matrix.csr, torch.float64)
    ids, offsets, weights = collate([rows[i] for i in range(4)])
    assert ids.tolist() == [3, 1, 3, 0, 2, 2, 0]
    assert offsets.tolist() == [0, 0, 4, 4, 7]
    assert weights.tolist() == [1, 2, 0.5, 0, 1, 1, 1]
    assert (ids.dtype, offsets.dtype, weights.dtype) == (torch.int64, torch.int64, torch.float64)
    weights.zero_()
    assert np.array_equal(matrix.csr.data, before)
