"""What is drawn of a training, step after step."""

import pytest
import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.refused import Refused
from embviz.training.losses import Mse, NextId
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.training import Training
from embviz.training.walk import EARLY, LONG, STEPS, Walk, one_letter, watch_rows

WEIGHT = tie(Config("", 12, 5)).embedding.weight.detach()
TEXT = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def letter(place: int, loss: object = None, around: int = 3) -> tuple[Walk, int]:
    """The walk of one token with a target of 1."""
    return one_letter(WEIGHT, TEXT, place, loss or Mse(1.0), 0.5, around)  # type: ignore[arg-type]


def test_a_step_takes_the_gradient_from_the_row() -> None:
    """State k + 1 is state k minus lr times gradient k; by hand it is 2 (w - 1) / D."""
    walk, row = letter(2)
    assert int(walk.rows[row]) == 4
    assert len(walk.tables) == STEPS + 1 == len(walk.gradients) + 1
    by_hand = WEIGHT[4].clone()
    for step, gradient in enumerate(walk.gradients):
        expected = 2 * (by_hand - 1) / 5
        torch.testing.assert_close(gradient[:, row], expected.expand(2, 5))
        assert torch.equal(
            walk.tables[step + 1][:, row], walk.tables[step][:, row] - 0.5 * gradient[:, row]
        )
        by_hand = by_hand - 0.5 * expected
    assert torch.equal(walk.tables[0], WEIGHT[walk.rows].expand(2, -1, -1))
    assert walk.compared(row, STEPS).bitwise_equal
    assert walk.training.points[0].loss_linear == pytest.approx(
        float((WEIGHT[4] - 1).square().mean())
    )


def test_all_other_rows_are_counted_on_the_tensors() -> None:
    """Before a step no row has been looked up, so all 12 stand still; then 11 do."""
    walk, _ = letter(0)
    assert walk.still == [12, *[11] * STEPS]
    assert walk.largest == [0.0] * (STEPS + 1)
    decayed = watch_rows(WEIGHT, TEXT, "weight_decay")
    assert decayed.still[:3] == [12, 0, 0]
    sparse = watch_rows(WEIGHT, TEXT, "sgd")
    assert sparse.still == [12, *[5] * LONG]
    training = Training(WEIGHT, torch.tensor([3]), Mse(1.0), lr=0.5)
    training.linear.weight.data[:, 7] += 1  # on one route alone
    assert Walk(training, torch.arange(3)).take(1).still == [11, 10]


@pytest.mark.parametrize(
    ("token", "around", "rows", "row"),
    [(0, 3, range(7), 3), (5, 3, range(5, 12), 4), (1, 1, range(3), 1), (2, 9, range(12), 4)],
)
def test_the_rows_around_stay_inside_the_table(
    token: int, around: int, rows: range, row: int
) -> None:
    """As many rows as fit, with the token's own among them, at either end of the table."""
    walk, at = letter(token, around=around)
    assert walk.rows.tolist() == [*rows]
    assert at == row


@pytest.mark.parametrize(
    ("place", "token", "follows"), [(0, 3, 1), (2, 4, 1), (3, 4, 1), (4, 5, 9), (7, 2, 6)]
)
def test_the_last_letter_of_a_line_has_none_after_it(place: int, token: int, follows: int) -> None:
    """For the next token it stands for the one before it; each line has its own end."""
    walk, row = letter(place, NextId(12, 5, 0))
    assert int(walk.rows[row]) == token
    scores = NextId(12, 5, 0).scores(WEIGHT[token][None])
    expected = float(-scores.log_softmax(1)[0, follows].detach())
    assert walk.training.points[0].loss_embedding == pytest.approx(expected, rel=1e-5)
    assert walk.training.points[-1].loss_embedding < expected


def test_the_target_plays_no_part_in_where_a_letter_stands() -> None:
    """For the distance to a target the last letter of a line is its own."""
    walk, row = letter(3)
    assert int(walk.rows[row]) == 1


# Which rows move: while looked up, after the last lookup, never looked up.
MOVES = {
    "sgd": (True, False, False),
    "momentum": (True, True, False),
    "weight_decay": (True, True, True),
    "adam": (True, True, False),
    "adamw": (True, True, True),
    "adagrad": (True, False, False),
    "sparse_adam": (True, False, False),
    "sgd_sparse": (True, False, False),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_which_rows_move_depends_on_the_optimizer(name: str) -> None:
    """The most frequent id is looked up in the first steps alone, another in all, one in none."""
    walk = watch_rows(WEIGHT, TEXT, name)
    assert walk.rows.tolist() == [2, 1, 0]
    assert len(walk.tables) == LONG + 1
    moved = torch.stack(walk.tables)[:, 0].diff(dim=0).any(dim=2)  # (LONG, 3)
    assert moved[:EARLY, 1].all()
    found = tuple(bool(moved[EARLY:, row].any()) for row in (0, 1))
    assert (*found, bool(moved[:, 2].any())) == MOVES[name]
    counts = walk.training.lookups
    assert counts[[2, 1, 0]].tolist() == [LONG, 2 * EARLY, 0]


def test_a_row_of_zeros_or_none_is_not_watched() -> None:
    """No decay moves a row of zeros, so the next one never looked up is shown; else none."""
    weight = WEIGHT.clone()
    weight[0] = 0
    assert watch_rows(weight, TEXT, "sgd").rows.tolist() == [2, 1, 7]
    assert watch_rows(WEIGHT[:2], torch.tensor([0, 1]), "adam").rows.tolist() == [1, 0]
    with pytest.raises(Refused, match="type at least 2 different ones"):
        watch_rows(WEIGHT, torch.tensor([1, 1]), "sgd")


def test_a_walk_ends_where_the_training_fails() -> None:
    """Its states are those before; where there is none, it is refused."""
    walk, _ = one_letter(WEIGHT[:, :1], TEXT, 0, Mse(), 50.0, 1)
    assert 1 < len(walk.tables) == len(walk.gradients) + 1 < STEPS
    assert "diverges" in walk.training.failed
    with pytest.raises(Refused, match="no finite numbers"):
        watch_rows(torch.full((4, 2), 3e38), torch.tensor([0, 1]), "momentum")
