"""Which stacks part equal tokens, and by how much."""

import string

import pytest
import torch

from embviz.context.equal import compare, compare_stacks
from embviz.context.stack import Step, Switches, Trace
from embviz.core.config import Config
from embviz.core.inits import INITS
from embviz.core.layers import tie
from embviz.core.vocabulary import Vocabulary

IDS = torch.tensor(Vocabulary(string.printable).encode("WTF does nn.Embedding do?"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("init", [init for init in INITS if init != "own"])
def test_places_or_a_mask_part_equal_letters(init: str, dtype: str) -> None:
    """Attention alone parts no pair, whatever the table; places and a mask part all of them."""
    found = compare_stacks(tie(Config(string.printable, init=init, dtype=dtype)), IDS, 123)
    assert len(found) == 6  # without attention there is no mask
    for switches, one in found.items():
        sees = switches.places or (switches.attention and switches.mask == "causal")
        assert (one.pairs, one.parted, one.same_rows) == (14, 14 * sees, True)
    assert {*found[Switches()].apart.values()} == {0.0}


@pytest.mark.parametrize(
    ("outputs", "last_row", "parted", "same", "apart"),
    [([10.0, 99.0, 10.0005, 10.5], 1.0, 2, True, 0.5), ([0.0] * 4, -1.0, 0, False, 0.0)],
)
def test_the_pairs_are_counted_by_hand(
    outputs: list[float], last_row: float, parted: int, same: bool, apart: float
) -> None:
    """Three equal tokens are three pairs; a number above rounding parts two of them."""
    vectors = [[1.0, 2.0, 1.0, last_row], outputs]
    steps = [Step("", "", torch.tensor(one)[:, None]) for one in vectors]
    found = compare(torch.tensor([7, 3, 7, 7]), Trace(steps, None))
    assert (found.pairs, found.parted, found.same_rows) == (3, parted, same)
    assert found.apart == {7: pytest.approx(apart)}
    assert found.rounding == pytest.approx(max(outputs) * 1e-4)
