"""The one training: against plain PyTorch loops, its history, its limits."""

import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adagrad, Adam, AdamW, SparseAdam

from embviz.fact.layers import tie
from embviz.fact.table import Table
from embviz.text.refused import Refused
from embviz.training.batches import minibatches
from embviz.training.losses import Mse, NextId
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.training import Point, Training

V, D = 20, 6
ZERO = Mse([0.0], D)
TEXT = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5])
# PyTorch's own optimizers of `Embedding.weight` and of `Linear.weight`, written out once more.
PLAIN = {
    "sgd": (SGD, SGD, {"lr": 0.5}),
    "momentum": (SGD, SGD, {"lr": 0.5, "momentum": 0.9}),
    "weight_decay": (SGD, SGD, {"lr": 0.5, "weight_decay": 0.01}),
    "adam": (Adam, Adam, {"lr": 0.01}),
    "adamw": (AdamW, AdamW, {"lr": 0.01, "weight_decay": 0.01}),
    "adagrad": (Adagrad, Adagrad, {"lr": 0.1}),
    "sparse_adam": (SparseAdam, Adam, {"lr": 0.01, "eps": 1e-12}),
    "sgd_sparse": (SGD, SGD, {"lr": 0.5}),
}


def table(dtype: str = "float32") -> torch.Tensor:
    """A drawn weight, (V, D)."""
    return tie(Table(V, D, dtype=dtype)).embedding.weight.detach()


def plain(name: str, loss: str, dtype: str, side: int) -> tuple[nn.Parameter, float, torch.Tensor]:
    """50 steps of a plain loop: the weight, the loss of the whole text, the lookups of rows."""
    ids, following = (TEXT, TEXT) if loss == "mse" else (TEXT[:-1], TEXT[1:])
    weight = nn.Parameter(table(dtype).T.contiguous() if side else table(dtype))
    head = nn.Linear(D, V).to(weight.dtype)
    head.load_state_dict(NextId(V, D, seed=7).state_dict())
    *makers, given = PLAIN[name]
    optimizers = [makers[side]([weight], **given)]
    if loss == "next":
        optimizers.append(makers[1](head.parameters(), **given))

    def measured(places: torch.Tensor) -> torch.Tensor:
        if side:
            rows = F.one_hot(ids[places], V).to(weight.dtype) @ weight.T
        else:
            rows = F.embedding(ids[places], weight, sparse="sparse" in name)
        if loss == "mse":
            return F.mse_loss(rows, torch.full_like(rows, 0.5))
        return F.cross_entropy(head(rows), following[places])

    drawn, counts = minibatches(len(ids), 5, seed=3), torch.zeros(V, dtype=torch.int64)
    for _ in range(50):
        places = next(drawn)
        for optimizer in optimizers:
            optimizer.zero_grad()
        measured(places).backward()
        for optimizer in optimizers:
            optimizer.step()
        counts += torch.bincount(ids[places], minlength=V)
    return weight, float(measured(torch.arange(len(ids))).detach()), counts


@pytest.mark.parametrize(("loss", "dtype"), [("mse", "float32"), ("next", "float64")])
@pytest.mark.parametrize("name", PLAIN)
def test_plain_pytorch_gives_the_same_weights(name: str, loss: str, dtype: str) -> None:
    """50 steps on minibatches equal `torch.optim` on both layers, bit for bit.

    Losses, differences, counts and drift are those of the plain layers.
    """
    given = Mse([0.5], 1) if loss == "mse" else NextId(V, D, seed=7)
    training = Training(table(dtype), TEXT[None], given, name, batch=5, seed=3)
    assert training.advance(50) == 50
    last, found, grads = training.points[-1], [], []
    for side, route in enumerate(training.routes):
        weight, measured, counts = plain(name, loss, dtype, side)
        assert torch.equal(weight, route.weight)
        assert last[1 + side] == pytest.approx(measured, rel=1e-5)
        dense = weight.grad.to_dense()
        found.append((weight.T if side else weight).detach())
        grads.append(dense.T if side else dense)
    assert torch.equal(training.lookups, counts)
    assert last[3:] == tuple(float((a - b).abs().max()) for a, b in (found, grads))
    ways = (torch.stack(found) - table(dtype)).abs()[:, counts == 0]
    assert training.drift == float(ways.max())
    assert (training.drift > 0) is (name in ("weight_decay", "adamw"))
    assert list(OPTIMIZERS) == list(PLAIN)


def test_point_k_is_the_state_after_k_steps() -> None:
    """Others follow every `every` steps, in slices of time too; the first furthest counts."""
    training = Training(table(), TEXT, ZERO, every=3)
    start = float(table()[TEXT].square().mean())
    assert training.points == [(0, *[pytest.approx(start, rel=1e-6)] * 2, 0.0, 0.0)]
    training.advance(7)
    assert [point.step for point in training.points] == [0, 3, 6]
    twin = Training(table(), TEXT, ZERO)
    while twin.steps < 6:
        assert twin.advance(9, budget_s=0.0) == 1
    assert twin.points[::3] == training.points
    twin.points = [Point(k, 0.0, 0.0, k % 3, 0.0) for k in range(6)]
    assert twin.furthest.step == 2


@pytest.mark.parametrize(
    ("first", "row", "optimizer", "lr", "words"),
    [
        (1.0, 1.0, "momentum", 1e5, "step 2: the loss is 2.4999e+09, over 1,000 times"),
        (1.0, 1.0, "sgd", 20.0, "step 3: the loss is 6561, over"),
        (3e38, 3e38, "sgd", 0.5, "step 1: the losses are inf and inf, no finite numbers"),
        (1.0, math.inf, "sgd", 0.5, "step 1: the weights are no longer finite numbers"),
    ],
)
def test_a_training_that_diverges_stops_with_a_sentence(
    first: float, row: float, optimizer: str, lr: float, words: str
) -> None:
    """It stops before the step from such a loss, or at a row of no numbers, and goes no further."""
    training = Training(torch.full((4, 2), first), torch.tensor([0, 1]), ZERO, optimizer, lr)
    training.embedding.weight.data[3, 0] = row
    steps = training.advance(200)
    assert f"Stopped at {words}" in training.failed
    assert f"with a learning rate of {lr:g} diverges here" in training.failed
    assert training.lookups.tolist() == [steps, steps, 0, 0]
    assert training.points[-1].step == training.steps == steps
    assert training.advance(1) == 0


@pytest.mark.parametrize(
    ("size", "ids", "loss", "words"),
    [
        ((V, D), [], ZERO, "There is no token to train on"),
        ((V, D), [V], ZERO, "this table has rows 0 to 19"),
        ((V, D), [1], NextId(V, D, 0), "takes at least 2 in a line; there is 1"),
        (
            (100_000, 2),
            range(81),
            ZERO,
            "A one-hot of 81 tokens × 100,000 rows has 8,100,000",
        ),
        ((30_000, 30), [1, 2], NextId(30_000, 30, 0), "12 copies of 1,830,000 numbers"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_a_sentence(
    size: Any, ids: list[int], loss: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Input out of range is refused with the reason, before anything is trained."""
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "64")
    with pytest.raises((Refused, IndexError), match=words):
        Training(torch.zeros(size), torch.tensor([*ids]).long(), loss)


def test_a_target_fits_the_rows() -> None:
    """It is one finite number or D of them."""
    fit = "A target of 2 numbers does not fit rows of 6; give 1 number for all, or 6"
    finite = "not one or more finite numbers"
    for target, words in (([1.0, 2.0], fit), ([], finite), ([math.inf], finite)):
        with pytest.raises(Refused, match=words):
            Mse(target, D)
    assert Mse(range(D), D).target.tolist() == [*range(D)]
