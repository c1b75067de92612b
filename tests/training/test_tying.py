import pytest
import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.tying import facts

torch.set_num_threads(1)


@pytest.mark.parametrize(("rows", "dim"), [(9, 4), (2, 1), (1, 3)])
def test_the_facts_of_weight_tying_hold(rows: int, dim: int) -> None:
    """The facts about shared weights hold, and change nothing."""
    table = tie(Config("", rows, dim)).embedding.weight
    before = table.detach().clone()
    found = facts(table, torch.tensor([0, 1, 0, 1, 1]) % rows)
    assert len(found) == 3
    if rows > 1:  # with one symbol there is nothing to predict, and no gradient
        assert all(fact.holds for fact in found)
    assert torch.equal(table, before)
    assert [fact.beside == "The line that is right:" for fact in found] == [False, False, True]
    assert not any("0x" in fact.outcome + fact.right_outcome for fact in found)


def test_weight_tying_refuses_what_it_cannot_try() -> None:
    """Too few ids, ids without a row and too large a table are refused."""
    table = tie(Config("", 4, 2)).embedding.weight
    with pytest.raises(ValueError, match="at least 2 tokens; there are 1"):
        facts(table, torch.tensor([1]))
    with pytest.raises(IndexError, match="rows 0 to 3"):
        facts(table, torch.tensor([1, 4]))
    with pytest.raises(ValueError, match="more than weight tying"):
        facts(torch.zeros(10_000, 2), torch.zeros(10_000, dtype=torch.int64))
