import json
import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embviz.bag.all_rows import run_matrix
from embviz.bag.layers import tie_weight
from embviz.bag.matrix import parse_matrix
from embviz.bag.row_routes import run_row
from embviz.bag.tolerance import Reference, gamma
from tests.bag.matrices import (
    QUICK,
    RIGHT,
    RIGHT_AT_ONCE,
    exact_product,
    matrices,
    weights,
    wrong,
)


@QUICK
@given(st.data())
def test_every_right_route_is_within_the_tolerance_of_the_product(data: st.DataObject) -> None:
    """Every right route is within the tolerance of the exact product."""
    matrix = data.draw(matrices())
    weight = data.draw(weights(matrix.shape[1]))
    layers = tie_weight(weight)
    exact = exact_product(matrix, weight)
    at_once = run_matrix(matrix, layers)
    assert [route.right for route in map(at_once.route, RIGHT_AT_ONCE)] == [True] * 4
    assert at_once.tidying.same_product
    for index in range(matrix.shape[0]):
        result = run_row(matrix.row(index), layers)
        for name in RIGHT:
            route = result.route(name)
            assert route.right, name
            assert route.near_dense, name
            pairs = zip(route.output.tolist(), exact[index], strict=True)
            errors = [abs(Fraction(output) - true) for output, true in pairs]
            allowed = map(Fraction, result.reference.tolerance.tolist())
            assert all(error <= most for error, most in zip(errors, allowed, strict=True)), name
        product = at_once.reference.product[index]
        tolerances = result.reference.tolerance
        assert torch.allclose(at_once.reference.tolerance[index], tolerances, rtol=1e-9, atol=1e-20)
        assert bool(((product - result.reference.product).abs() <= tolerances).all())
        if matrix.row(index).binary:
            assert result.route("embedding_sum").right
            assert index not in at_once.route("unweighted_bag").wrong_rows


def test_the_tolerance_is_small_enough_to_notice_a_mistake() -> None:
    """One missing word among a thousand is outside the tolerance."""
    generator = np.random.default_rng(0)
    counts = generator.integers(1, 4, (1, 1000)).astype(np.float32)
    weight = torch.from_numpy(generator.uniform(-1, 1, (8, 1000)).astype(np.float32))
    result = run_row(parse_matrix(json.dumps(counts.tolist())).row(0), tie_weight(weight))
    assert not wrong(result) & set(RIGHT)
    sizes = torch.from_numpy(counts).double() @ weight.double().abs().t()
    assert torch.allclose(result.reference.tolerance, sizes[0] * 1001 * 2.0**-24, rtol=1e-3)
    for word in range(0, 1000, 97):
        lacking = result.routes[0].output - counts[0, word] * weight[:, word]
        assert not result.reference.accepts(lacking).all()


def test_a_number_that_is_none_is_never_accepted() -> None:
    """NaN and inf are never accepted."""
    reference = Reference(torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64))
    assert reference.accepts(torch.tensor([0.5, -1.0, 1.0])).tolist() == [True] * 3
    outputs = torch.tensor([math.nan, math.inf, 1.5])
    assert reference.accepts(outputs).tolist() == [False] * 3
    endless = Reference(reference.product, torch.full((3,), math.inf, dtype=torch.float64))
    assert not endless.accepts(torch.zeros(3)).any()
    assert not endless.accepts_pair(torch.zeros(3), torch.zeros(3))


@pytest.mark.parametrize(("dtype", "large"), [(torch.float32, 2e38), (torch.float64, 1e308)])
def test_an_overflow_is_wrong_and_says_so(dtype: torch.dtype, large: float) -> None:
    """An overflow is wrong, and the reason says so."""
    weight = torch.tensor([[large, large]], dtype=dtype)
    layers = tie_weight(weight)
    result = run_row(parse_matrix("1 1").row(0), layers)
    name = str(dtype).removeprefix("torch.")
    for route in map(result.route, RIGHT):
        assert (route.right, route.why) == (False, f"A number on the way is too large for {name}.")
    whole_result = run_matrix(parse_matrix("1 1"), layers)
    assert not whole_result.routes[0].right


def test_a_row_too_long_for_the_bound_is_refused() -> None:
    """Where so many roundings have no bound in float32, float64 is asked for."""
    with pytest.raises(ValueError, match=r"8,388,608 stored values is too long .* use float64"):
        gamma(2**23, torch.float32)
    assert float(gamma(2**23, torch.float64)) < 1e-8
