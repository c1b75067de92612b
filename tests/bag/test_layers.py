import math

import numpy as np
import pytest
import torch
from torch import nn

from embviz.bag.all_rows import SizeError, run_matrix
from embviz.bag.contributions import contributions
from embviz.bag.layers import WeightError, check_weight, draw_weight, tie_weight
from embviz.bag.matrix import from_parts
from embviz.bag.row_routes import run_row
from embviz.core.refused import Refused
from tests.bag.matrices import TYPED, WEIGHT


@pytest.mark.parametrize(("columns", "dim"), [(4, 3), (1, 1), (70, 2)])
def test_the_drawn_weight_is_linears_own(columns: int, dim: int) -> None:
    """draw_weight gives nn.Linear's own numbers and leaves the global generator alone."""
    for seed in (0, 123, 2**32 - 1):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            expected = nn.Linear(columns, dim, bias=False).weight.detach()
        before = torch.get_rng_state()
        drawn = draw_weight(columns, dim, seed)
        assert torch.equal(torch.get_rng_state(), before)
        assert torch.equal(drawn, expected)
        assert drawn.is_contiguous()
        assert not drawn.requires_grad
        assert torch.equal(draw_weight(columns, dim, seed, torch.float64), expected.double())


def test_the_layers_hold_one_weight_and_leave_the_given_one_alone() -> None:
    """All layers hold the given numbers, in memory of their own."""
    for weight in (WEIGHT, WEIGHT[:1], WEIGHT.t().contiguous().t()):
        layers = tie_weight(weight)
        assert torch.equal(layers.weight, weight)
        assert torch.equal(layers.table, weight.t())
        bags = (layers.sum_bag, layers.mean_bag, layers.max_bag)
        assert {bag.weight.data_ptr() for bag in bags} == {layers.table.data_ptr()}
        assert len({one.data_ptr() for one in (weight, layers.weight, layers.table)}) == 3


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (torch.ones(4, 3), r"shape \(4, 3\).*has shape \(D, 4\).*transpose it"),
        (torch.ones(3, 5), r"shape \(3, 5\).*4 columns of the matrix has shape \(D, 4\)"),
        (torch.ones(0, 4), r"shape \(0, 4\)"),
        (torch.tensor([[1, 2, 3, math.nan]]), "nan at row 0, column 3"),
        (torch.tensor([[0.0] * 4, [0, -math.inf, 0, 0]]), "-inf at row 1, column 1"),
        (torch.ones(3, 4, dtype=torch.int64), "int64 cannot be used here"),
    ],
)
def test_a_weight_that_does_not_fit_is_refused(weight: torch.Tensor, message: str) -> None:
    """A weight of a wrong shape or dtype, or with NaN or inf, is refused."""
    with pytest.raises(WeightError, match=message):
        check_weight(weight, 4)


def test_layers_of_another_matrix_are_refused() -> None:
    """Layers with another number of columns are refused everywhere."""
    layers = tie_weight(torch.ones(3, 5))
    for run in (run_row, contributions):
        with pytest.raises(WeightError, match=r"4 columns of the matrix has shape \(D, 4\)"):
            run(TYPED.row(0), layers)
    with pytest.raises(WeightError, match=r"4 columns of the matrix has shape \(D, 4\)"):
        run_matrix(TYPED, layers)
    for bad in (torch.tensor(1.0), torch.tensor([[math.nan]])):
        with pytest.raises(WeightError):
            tie_weight(bad)


def test_sizes_over_the_budget_are_refused_before_they_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sizes over the budget are refused before allocation."""
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "1")
    with pytest.raises(Refused, match="over the budget"):
        draw_weight(1_000_000, 10, seed=0)
    layers = tie_weight(torch.ones(8, 4))
    many = from_parts((10_000, 4), np.zeros(10_001, np.int32), np.zeros(0, np.int32), np.zeros(0))
    with pytest.raises(SizeError, match=r"10,000 · 8 · \d+ B = .* over the budget of 1.0 MiB"):
        run_matrix(many, layers)
