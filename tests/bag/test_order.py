import torch

from embviz.bag.layers import tie_weight
from embviz.bag.matrix import parse_matrix
from embviz.bag.order import order_of_sum
from tests.bag.matrices import TYPED, WEIGHT, untidy


def test_another_order_of_the_same_terms_gives_other_bits() -> None:
    """Another order of the terms can change the sum."""
    weight = torch.tensor([[1e8, 1.0, -1e8]])
    found = order_of_sum(parse_matrix("1 1 1").row(0), tie_weight(weight))
    sums = {name: output.tolist() for name, output in found.sums.items()}
    assert sums["as stored"] == sums["backwards"] == [0.0]  # the 1 is lost beside 1e8
    assert sums["smallest first"] == [0.0]
    assert sums["largest first"] == [1.0]
    assert found.max_abs_difference == 1.0
    assert "added largest first instead of as stored, differ by up to 1, and" in found.sentence


def test_an_order_that_changes_nothing_says_so() -> None:
    """The sentence says when all orders give the same sums."""
    layers = tie_weight(WEIGHT)
    for index, terms in [(0, 2), (2, 3)]:
        found = order_of_sum(TYPED.row(index), layers)
        assert found.num_terms == terms
        assert (found.max_abs_difference == 0) == ("the same sums" in found.sentence)
    two = order_of_sum(TYPED.row(0), layers)
    assert (
        two.sentence == "Two terms of this row give the same sums in any of these orders, as ever."
    )
    assert two.max_ulp == 0
    empty = order_of_sum(untidy().row(0), layers)
    assert all(output.tolist() == [0.0] * 3 for output in empty.sums.values())
    assert (empty.num_terms, empty.max_abs_difference) == (0, 0.0)
