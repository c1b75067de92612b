"""Which stacks part equal tokens, and by how much."""

import string

import pytest
import torch

from embviz.context.equal import EVERY, compare, compare_stacks
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
    assert len(found) == len(EVERY) == 6  # without attention there is no mask
    for switches, one in found.items():
        sees = switches.places or (switches.attention and switches.mask == "causal")
        assert (one.pairs, one.parted) == (14, 14 * sees)
        assert one.same_rows
    assert set(found[Switches()].apart.values()) == {0.0}


def trace_of(outputs: list[list[float]], rows: list[list[float]]) -> Trace:
    """A trace with these rows and outputs."""
    steps = [Step("", "", torch.tensor(one)) for one in (rows, outputs)]
    return Trace(steps, None)


def test_the_pairs_are_counted_by_hand() -> None:
    """Three equal tokens are three pairs; one above rounding parts two of them."""
    ids, rows = torch.tensor([7, 3, 7, 7]), [[1.0], [2.0], [1.0], [1.0]]
    found = compare(ids, trace_of([[10.0], [99.0], [10.0005], [10.5]], rows))
    assert (found.pairs, found.parted, found.same_rows) == (3, 2, True)
    assert found.apart == {7: pytest.approx(0.5)}
    assert found.rounding == pytest.approx(99e-4)
    other = compare(ids, trace_of([[0.0]] * 4, [[1.0], [2.0], [1.0], [-1.0]]))
    assert (other.parted, other.same_rows, other.apart) == (0, False, {7: 0.0})
    alone = compare(ids[:2], trace_of([[1.0], [1.0]], rows[:2]))
    assert (alone.pairs, alone.parted, alone.same_rows, alone.apart) == (0, 0, True, {})
