import numpy as np
import pytest

from embviz.bag.all_rows import run_matrix
from embviz.bag.layers import WeightError, tie_weight
from embviz.bag.matrix import parse_matrix
from embviz.bag.row_routes import run_row
from tests.bag.matrices import RIGHT, WEIGHT, wrong


def test_a_value_too_large_for_the_weight_is_refused_by_name() -> None:
    """A value too large for the weight's dtype is refused with its row and column."""
    matrix = parse_matrix("0 1 0 0\n1 0 1e300 0")
    assert matrix.csr.dtype == np.float64
    message = r"1e\+300 in row 1, column 2 is too large for a weight of float32; use float64"
    with pytest.raises(WeightError, match=message):
        run_row(matrix.row(1), tie_weight(WEIGHT))
    with pytest.raises(WeightError, match=message):
        run_matrix(matrix, tie_weight(WEIGHT))
    assert not wrong(run_row(matrix.row(1), tie_weight(WEIGHT.double()))) & set(RIGHT)
