import numpy as np
import pytest

from embviz.bag.contributions import contributions
from embviz.bag.layers import tie_weight
from embviz.bag.row_routes import run_row
from tests.bag.matrices import WEIGHT, untidy


def test_contributions_add_up_to_the_output() -> None:
    """The contributions of distinct columns add up to the output."""
    found = contributions(untidy().row(1), tie_weight(WEIGHT))
    assert found.columns.tolist() == [0, 1, 3]
    expected = WEIGHT.double().t().numpy()[[0, 1, 3]] * np.array([[0.0], [2.0], [1.5]])
    assert np.array_equal(found.values, expected)
    product = run_row(untidy().row(1), tie_weight(WEIGHT)).reference.product
    assert found.values.sum(0).tolist() == pytest.approx(product.tolist())
    empty = contributions(untidy().row(0), tie_weight(WEIGHT))
    assert (empty.values.shape, empty.columns.shape) == ((0, 3), (0,))
