from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from embviz.bag.all_rows import MatrixResult, run_matrix
from embviz.bag.layers import tie_weight
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.bag.row_routes import RowResult, run_row
from tests.bag.matrices import (
    FACTS,
    MATRICES,
    RIGHT,
    TYPED,
    WEIGHT,
    untidy,
    wrong,
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_seed_figures_hold_on_every_right_route(dtype: torch.dtype) -> None:
    """Every right route gives the article's numbers."""
    result = run_row(TYPED.row(FACTS["row"]), tie_weight(WEIGHT.to(dtype)))
    assert result.row.indices.tolist() == FACTS["row_indices"]
    assert wrong(result) == {"embedding_bag_mean", "embedding_bag_max"}
    for name in [*RIGHT, "embedding_sum"]:  # 0/1: here the short way is right too
        route = result.route(name)
        assert [round(value, 4) for value in route.output.tolist()] == FACTS["output"], name
        assert route.max_abs_error < (1e-7 if dtype is torch.float32 else 1e-15)
        assert route.near_dense
        assert route.output.dtype is dtype
    assert result.routes[0].name == "dense_linear"
    assert result.routes[0].comparison.bitwise_equal


def test_a_count_of_two_breaks_the_sum_of_ids_and_not_the_weighted_one() -> None:
    """A count of 2 makes `embedding_sum` wrong and leaves the weighted routes right."""
    result = run_row(parse_matrix("2 0 1 0").row(0), tie_weight(WEIGHT))
    assert wrong(result) == {"embedding_sum", "embedding_bag_mean", "embedding_bag_max"}
    plain, bag = result.route("embedding_sum"), result.route("embedding_bag")
    assert [round(value, 4) for value in plain.output.tolist()] == FACTS["output"]
    # 2 · column 0 + column 2, by hand.
    assert bag.output.tolist() == pytest.approx([-0.3584, 1.0610, -1.1366], abs=1e-6)
    assert plain.max_abs_error == pytest.approx(0.3786, abs=1e-6)  # one column 0 is missing
    assert not plain.near_dense
    assert plain.why == "It forgets row.data: column 0 is stored as 2 and added once, as 1."


def test_mean_and_max_are_what_pytorch_says_they_are() -> None:
    """The modes mean and max give PyTorch's numbers; of one row stored as 1 all agree."""
    table = WEIGHT.t().contiguous()
    result = run_row(parse_matrix("2 0 1 0").row(0), tie_weight(WEIGHT))
    mean, most = result.route("embedding_bag_mean"), result.route("embedding_bag_max")
    assert torch.allclose(mean.output, (table[0] + table[2]) / 2)
    assert torch.equal(most.output, torch.maximum(table[0], table[2]))
    assert mean.why.startswith("It gives the mean of 2 rows")
    assert not wrong(run_row(MATRICES["one word"].row(0), tie_weight(WEIGHT)))
    thrice = run_row(MATRICES["one word"].row(1), tie_weight(WEIGHT))
    assert thrice.route("embedding_bag_mean").why.startswith("It gives the one row, without")


def test_an_empty_row_is_zeros_on_every_route() -> None:
    """An empty row gives zeros on every route."""
    for index, data in [(np.int32, np.float32), (np.int64, np.float64)]:
        result = run_row(untidy(data, index).row(2), tie_weight(WEIGHT))
        assert wrong(result) == set()
        for route in result.routes:
            assert route.output.tolist() == [0.0, 0.0, 0.0], route.name
        assert not result.reference.tolerance.any()


def run_shown(setup: str, matrix: Matrix, weight: torch.Tensor, codes: list[str]) -> list[Any]:
    """The value of each line after the setup, in a new namespace."""
    names = {"X": matrix.csr.copy(), "weight": weight, "torch": torch, "nn": nn}
    with torch.random.fork_rng():
        exec(setup, names)  # noqa: S102 - our own lines
    return [torch.as_tensor(eval(code, names)).detach() for code in codes]  # noqa: S307


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", MATRICES)
def test_the_lines_shown_give_the_numbers_shown(name: str, dtype: torch.dtype) -> None:
    """Setup and line of every route give its output."""
    matrix, weight = MATRICES[name], WEIGHT.to(dtype)
    layers = tie_weight(weight)
    results: list[RowResult | MatrixResult] = [run_matrix(matrix, layers)]
    results += [run_row(matrix.row(index), layers) for index in range(matrix.shape[0])]
    for result in results:
        found = run_shown(result.setup, matrix, weight, [route.code for route in result.routes])
        for route, output in zip(result.routes, found, strict=True):
            assert torch.equal(output, route.output), (route.name, result.setup)
        assert max(len(line) for line in result.setup.splitlines()) <= 100
        assert max(len(route.code) for route in result.routes) <= 60
