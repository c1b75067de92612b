import numpy as np
import pytest
import scipy.sparse
import torch
from torch import nn

from embviz.bag import all_rows
from embviz.bag.all_rows import run_matrix
from embviz.bag.layers import draw_weight, tie_weight
from embviz.bag.matrix import from_parts
from embviz.bag.row_routes import run_row
from tests.bag.matrices import MATRICES, RIGHT_AT_ONCE, TYPED, WEIGHT, untidy


def test_a_matrix_is_left_as_it_was() -> None:
    """No route changes the matrix."""
    for name, matrix in MATRICES.items():
        before = matrix.csr.copy()
        run_matrix(matrix, tie_weight(WEIGHT))
        for index in range(matrix.shape[0]):
            run_row(matrix.row(index), tie_weight(WEIGHT.double()))
        for part in ("indptr", "indices", "data"):
            assert np.array_equal(getattr(matrix.csr, part), getattr(before, part)), name


def test_a_whole_matrix_gives_what_its_rows_give() -> None:
    """The routes for the whole matrix give the outputs of its rows."""
    matrix = untidy()
    result = run_matrix(matrix, tie_weight(WEIGHT))
    assert [route.name for route in result.routes] == list(all_rows._ROUTES)
    assert result.empty_rows.tolist() == [0, 2, 4]
    for index in range(5):
        alone = run_row(matrix.row(index), tie_weight(WEIGHT))
        for name in RIGHT_AT_ONCE:
            there = alone.route(name).output.tolist()
            assert result.route(name).output[index].tolist() == pytest.approx(there), name
    assert result.route("unweighted_bag").wrong_rows.tolist() == [1]  # row 3 stores ones only
    assert not result.route("unweighted_bag").right
    assert result.route("embedding_bag").right
    dense = nn.functional.linear(torch.from_numpy(matrix.csr.toarray()), WEIGHT)
    assert torch.equal(result.routes[0].output, dense)


def test_a_large_matrix_is_never_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    """A matrix over the limit is never made dense."""
    rows, columns = 20_000, 50_000
    generator = np.random.default_rng(0)
    indices = np.sort(generator.integers(0, columns, (rows, 5), dtype=np.int32)).ravel()
    matrix = from_parts(
        (rows, columns),
        np.arange(0, rows * 5 + 1, 5, dtype=np.int32),
        indices,
        generator.integers(1, 3, rows * 5).astype(np.float32),
    )
    layers = tie_weight(draw_weight(columns, 3, seed=1))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("made dense")

    monkeypatch.setattr(scipy.sparse.csr_array, "toarray", refuse)
    result = run_matrix(matrix, layers)
    assert not result.densified
    assert result.dense_bytes == 4_000_000_000
    assert [route.name for route in result.routes] == list(all_rows._ROUTES)[1:]
    assert [route.right for route in result.routes] == [True, False, True, True]
    monkeypatch.undo()
    limit = TYPED.dense_bytes
    assert run_matrix(TYPED, tie_weight(WEIGHT), limit).densified
    assert not run_matrix(TYPED, tie_weight(WEIGHT), limit - 1).densified
