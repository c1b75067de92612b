import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.losses import mse, next_character
from embviz.training.walk import AROUND, Walk, one_letter

torch.set_num_threads(1)

IDS = torch.tensor([[3, 1], [1, 4]])


@pytest.mark.parametrize("loss", [mse(0.5), next_character(6, 4, 0)], ids=["mse", "next"])
def test_each_table_is_what_pytorch_s_own_training_gives(loss: object) -> None:
    """Every table and gradient on the way is that of two layers that SGD trains."""
    layers = tie(Config("", 6, 4))
    pair = one_letter(layers, IDS, 2, loss, 0.5, 3)  # type: ignore[arg-type]
    ids, following = loss.pairs(IDS)  # type: ignore[attr-defined]
    at = min(2, len(ids) - 1)
    table = layers.embedding.weight.detach()
    embedding = nn.Embedding.from_pretrained(table.clone(), freeze=False)
    linear = nn.Linear(6, 4, bias=False)
    linear.weight = nn.Parameter(table.T.contiguous().clone())
    hot = F.one_hot(ids[at : at + 1], 6).float()
    for layer, given, walk in (
        (embedding, ids[at : at + 1], pair.first),
        (linear, hot, pair.second),
    ):
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
        for step in range(3):
            optimizer.zero_grad()
            loss(layer(given), following[at : at + 1]).backward()  # type: ignore[operator]
            gradient = layer.weight.grad
            shown = gradient if layer is embedding else gradient.T
            assert torch.equal(walk.gradients[step], shown)
            optimizer.step()
            now = layer.weight if layer is embedding else layer.weight.T
            assert torch.equal(walk.tables[step + 1], now)
    assert pair.place == int(ids[at])
    assert pair.compared(3).bitwise_equal
    assert torch.equal(layers.embedding.weight, table)


def test_rows_that_are_not_looked_up_stand_still() -> None:
    """Their gradient is exactly 0 on both routes, and no bit of them changes."""
    pair = one_letter(tie(Config("", 6, 4)), IDS, 0, mse(), 0.5)
    for walk in (pair.first, pair.second):
        assert walk.moved(10).tolist() == [False, False, False, True, False, False]
        assert bool((walk.largest_gradients(10)[pair.others] == 0).all())
        assert float(walk.largest_gradients(10)[3]) > 0
        assert not bool(walk.moved(0).any())
    near = pair.around(1)
    assert near.rows.tolist() == [2, 3, 4]
    assert near.compared(10).bitwise_equal
    assert torch.equal(near.first.tables, pair.first.tables[:, 2:5])
    assert pair.around(9).rows.tolist() == list(range(6))


@pytest.mark.parametrize(("place", "token"), [(0, 1), (2, 2), (3, 4), (4, 5)])
def test_a_place_in_several_lines_is_that_token(place: int, token: int) -> None:
    """The loss `next` takes no last token of a line; the one before stands for it."""
    layers, ids = tie(Config("", 8, 4)), torch.tensor([[1, 2, 3], [4, 5, 6]])
    pair = one_letter(layers, ids, place, next_character(8, 4, 0), 0.5, 1)
    assert int(pair.rows[pair.place]) == token


def test_a_zero_that_changes_its_sign_has_moved() -> None:
    """Rows are compared by their bits."""
    tables = torch.tensor([[[0.0], [1.0]], [[-0.0], [1.0]]])
    assert Walk(tables, torch.zeros(1, 2, 1)).moved(1).tolist() == [True, False]


@pytest.mark.parametrize("token", [0, 5_000, 9_999])
def test_of_a_large_table_the_rows_around_the_id_are_trained(token: int) -> None:
    """The rows of the walk are the table's, and the id's is among them."""
    layers = tie(Config("", 10_000, 8))
    pair = one_letter(layers, torch.tensor([token]), 0, mse(), 0.5, 1)
    assert len(pair.rows) == 2 * AROUND + 1
    assert int(pair.rows[pair.place]) == token
    assert torch.equal(pair.first.tables[0], layers.embedding.weight.detach()[pair.rows])
    assert torch.equal(pair.second.tables[0], pair.first.tables[0])
