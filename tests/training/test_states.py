"""What is drawn of a training, step after step."""

import pytest
import torch

from embviz.fact.layers import tie
from embviz.fact.table import Table
from embviz.text.refused import Refused
from embviz.training.losses import Mse, NextId
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.states import LETTER_STEPS, follow, one_letter, pair_of, watch_rows
from embviz.training.training import Training

WEIGHT = tie(Table(12, 5)).embedding.weight.detach()
TEXT = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def test_other_rows_are_counted_and_their_gradients_kept() -> None:
    """A row that moves on one route alone moves; the largest gradient so far stays."""
    training = Training(WEIGHT, torch.tensor([3]), Mse([1.0], 1), lr=0.5)
    training.linear.weight.data[:, 7] += 1
    linear, drawn = training.linear, iter([0.25, -0.5, 0.125])
    backward = linear.backward

    def leaks(ids: torch.Tensor, following: torch.Tensor) -> float:
        loss = backward(ids, following)
        linear.weight.grad[0, 9] = next(drawn)
        return loss

    linear.backward = leaks
    found = follow(training, torch.arange(3), 3)
    assert found.largest == [0.0, 0.25, 0.5, 0.5]
    assert found.still == [11, 9, 9, 9]


@pytest.mark.parametrize(
    ("place", "loss", "around", "rows", "pair"),
    [
        (0, NextId, 3, range(7), [3, 1]),
        (3, NextId, 1, range(3, 6), [4, 1]),  # the last of its line stands for the one before
        (7, NextId, 9, range(12), [2, 6]),
        (5, Mse, 3, range(5, 12), [9, 9]),
    ],
)
def test_a_letter_has_its_row_its_follower_and_rows_around(
    place: int, loss: type, around: int, rows: range, pair: list[int]
) -> None:
    """Each line has its own end for the next token; the rows stay inside the table."""
    given = Mse([1.0], 1) if loss is Mse else NextId(12, 5, 0)
    assert pair_of(given, TEXT, place) == pair
    found, row = one_letter(WEIGHT, pair, given, 0.5, around)
    assert found.rows.tolist() == [*rows]
    assert rows[row] == pair[0]
    first = given(WEIGHT[pair[:1]], torch.tensor(pair[1:])).item()
    assert found.losses[0] == pytest.approx(first, rel=1e-5)


def test_it_ends_where_the_training_fails() -> None:
    """The film has the states before; where there is none, it is refused."""
    found, _ = one_letter(WEIGHT[:, :1], [3], Mse([0.0], 1), 50.0, 1)
    assert 1 < len(found.tables) == len(found.gradients) + 1 < LETTER_STEPS
    assert "diverges" in found.failed
    with pytest.raises(Refused, match="no finite numbers"):
        one_letter(torch.full((4, 2), 3e38), [3], Mse([0.0], 1), 0.5, 1)


def test_rows_that_are_watched_take_the_steps_of_the_whole_table() -> None:
    """Each optimizer has the oracle's rows: the early one is left out after ten steps.

    A table of zeros has no row that decay would move, and numbers without an end are refused.
    """
    ids = torch.tensor([[7, 2, 2], [7, 2, 4]])
    found = watch_rows(WEIGHT, ids, [*OPTIMIZERS])
    assert found.rows.tolist() == [0, 2, 7]
    assert found.tables.shape == (41, 8, 3, 5)
    assert found.moved.equal((found.tables[1:] != found.tables[:-1]).any(3))
    for k, rule in enumerate(OPTIMIZERS.values()):
        layer = torch.nn.Embedding.from_pretrained(WEIGHT.clone(), freeze=False, sparse=rule.sparse)
        optimizer = rule.make(layer.parameters(), lr=rule.usual_lr)
        for step, table in enumerate(found.tables[:, k]):
            rows = layer.weight.detach()[found.rows].clone()
            torch.testing.assert_close(table, rows, rtol=0, atol=1e-6)
            optimizer.zero_grad()
            taken = ids.flatten() if step < 10 else torch.tensor([7, 7, 4])
            (layer(taken) - 0.5).square().mean().backward()
            optimizer.step()
    assert watch_rows(torch.zeros(9, 2), ids, ["sgd"]).rows.tolist() == [2, 7]
    assert watch_rows(WEIGHT, torch.tensor([5, 0, 0]), ["sgd"]).rows.tolist() == [1, 0, 5]
    with pytest.raises(Refused, match="leave torch"):
        watch_rows(torch.full((4, 2), torch.inf), torch.tensor([0, 1]), ["momentum"])
