"""Both routes side by side: PyTorch's own numbers, near each other, bounded and repeatable."""

import itertools
import math
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch.nn import functional as F
from torch.optim import SGD, Adagrad, Adam, AdamW, SparseAdam

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.batches import minibatches
from embviz.training.lockstep import Lockstep
from embviz.training.losses import Loss, mse, next_character
from embviz.training.optimizers import OPTIMIZERS, Optimizer

torch.set_num_threads(1)

TEXT = torch.randint(20, (25,), generator=torch.Generator().manual_seed(1))
CONFIG = Config("", 20, 10)
LOSSES: dict[str, Loss] = {"mse": mse(0.5), "next": next_character(20, 10, 123)}
SHORT = 1e-5  # the routes stay this near in the short trainings below; longer ones may not
SAME = [name for name, found in OPTIMIZERS.items() if found.in_lockstep]
# The optimizers of PyTorch for both layers; one stands for both layers where only one is given.
PLAIN: dict[str, list[Callable[[list], torch.optim.Optimizer]]] = {
    "sgd": [partial(SGD, lr=0.05)],
    "momentum": [partial(SGD, lr=0.05, momentum=0.9)],
    "weight_decay": [partial(SGD, lr=0.05, weight_decay=0.01)],
    "adam": [partial(Adam, lr=0.05)],
    "adamw": [partial(AdamW, lr=0.05, weight_decay=0.01)],
    "adagrad": [partial(Adagrad, lr=0.05)],
    "sparse_adam": [partial(SparseAdam, lr=0.05, eps=1e-12), partial(Adam, lr=0.05, eps=1e-12)],
    "sgd_sparse": [partial(SGD, lr=0.05)],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_pytorch_on_plain_layers_gives_the_same_weights(name: str, loss: str, dtype: str) -> None:
    """A plain PyTorch training loop on minibatches gives the same weights."""
    config, steps, mini = Config("", 20, 10, dtype=dtype), 25, minibatches(5, 3)
    layers, asked = tie(config), LOSSES[loss]
    layers.embedding.sparse = "sparse" in name
    weights = layers.embedding.weight, layers.linear.weight
    optimizers = [PLAIN[name][0]([weights[0]]), PLAIN[name][-1]([weights[1]])]
    before, after = asked.pairs(TEXT)
    for places in itertools.islice(mini(len(before)), steps):
        ids, hot = before[places], F.one_hot(before[places], 20).to(config.torch_dtype)
        for optimizer, outputs in zip(
            optimizers, (layers.embedding(ids), layers.linear(hot)), strict=True
        ):
            optimizer.zero_grad()
            asked(outputs, after[places]).backward()
            optimizer.step()
    lock = Lockstep(config, TEXT, optimizer=name, loss=asked, batches=mini, lr=0.05)
    assert lock.advance(steps) == steps
    within = 1e-9 if dtype == "float64" else 1e-6
    torch.testing.assert_close(lock.embedding, weights[0], atol=within, rtol=0)
    torch.testing.assert_close(lock.linear, weights[1], atol=within, rtol=0)


@pytest.mark.parametrize("batches", [None, minibatches(4, 123)], ids=["whole", "mini"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", SAME)
def test_the_routes_stay_together_for_200_steps(name: str, loss: str, batches: object) -> None:
    """The routes stay near each other over 200 steps, and learn."""
    lock = Lockstep(CONFIG, TEXT, optimizer=name, loss=LOSSES[loss], batches=batches)  # type: ignore[arg-type]
    assert lock.advance(200) == 200
    assert lock.max_abs_weight_difference <= SHORT
    assert [point.step for point in lock.history] == list(range(1, 201))
    assert lock.max_abs_loss_difference <= 1e-5
    first = sum(p.loss_embedding for p in lock.history[:20])
    assert sum(p.loss_embedding for p in lock.history[-20:]) < first


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_adam_is_another_algorithm_where_steps_leave_rows_out(loss: str) -> None:
    """SparseAdam and Adam differ on minibatches, and agree on the whole text."""
    mini = minibatches(4, 123)
    lock = Lockstep(CONFIG, TEXT, optimizer="sparse_adam", loss=LOSSES[loss], batches=mini)
    lock.advance(200)
    assert lock.max_abs_weight_difference > 1_000 * SHORT
    apart = [point.max_abs_weight_difference for point in lock.history]
    assert lock.furthest.step == apart.index(max(apart)) + 1
    fixed = Lockstep(CONFIG, TEXT, optimizer="sparse_adam", loss=LOSSES[loss])
    fixed.advance(200)
    assert fixed.max_abs_weight_difference <= SHORT


def test_sparse_sgd_differs_by_rounding_alone() -> None:
    """SGD with sparse gradients differs by rounding, which is far less in float64."""
    apart = {}
    for dtype in ("float32", "float64"):
        config, ids = Config("", 30, 10, dtype=dtype), torch.arange(2_000) % 30
        lock = Lockstep(config, ids, optimizer="sgd_sparse", loss=mse(0.5))
        lock.advance(100)
        apart[dtype] = lock.max_abs_weight_difference
    assert SHORT < apart["float32"] < 1e-3
    assert apart["float64"] < 1e-12


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SAME)
def test_gradients_with_the_same_bits_keep_weights_with_the_same_bits(
    name: str, dtype: str
) -> None:
    """Without a repeated token no sum is rounded: the weights never differ by a bit."""
    config = Config("", 7, 3, dtype=dtype)
    lr = 10 * OPTIMIZERS[name].usual_lr
    lock = Lockstep(config, torch.tensor([4, 1, 6]), optimizer=name, loss=mse(0.1), lr=lr)
    lock.advance(300)
    assert (lock.steps, lock.max_abs_gradient_difference) == (300, 0.0)
    assert lock.max_abs_weight_difference == 0.0


def test_a_difference_of_rounding_becomes_visible_under_adam(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Adam passes every bound that short trainings suggest; SGD and float64 do not."""
    quick = Optimizer(
        "quick", "", "", 0.1, lambda weight, lr: Adam([weight], lr=lr, betas=(0.9, 0.95))
    )
    monkeypatch.setitem(OPTIMIZERS, "quick", quick)
    ids, loss = torch.tensor([0, 1, 2, 0, 2, 1, 0, 0, 1, 2, 2, 1]), next_character(3, 10, 123)
    apart = {}
    for name, dtype in itertools.product(("quick", "sgd"), ("float32", "float64")):
        lock = Lockstep(Config("", 3, 10, dtype=dtype), ids, optimizer=name, loss=loss, lr=0.1)
        with torch.no_grad():  # kernels round differently by machine; one unit stands for it
            lock.linear *= 1 + torch.finfo(lock.linear.dtype).eps
        lock.advance(320)
        apart[name, dtype] = lock.max_abs_weight_difference
    assert apart["quick", "float32"] > 1e-3
    assert apart["quick", "float64"] < 1e-6
    assert apart["sgd", "float32"] < SHORT


def test_same_seed_same_numbers_and_no_global_generator() -> None:
    """The same arguments give the same numbers, in any bites, without the global generator."""
    mini, state = minibatches(4, 9), torch.get_rng_state()
    one, other = (
        Lockstep(CONFIG, TEXT, optimizer="adam", loss=LOSSES["next"], batches=mini)
        for _ in range(2)
    )
    one.advance(30)
    while other.steps < 30:
        other.advance(7 if other.steps < 28 else 2)
    assert torch.equal(torch.get_rng_state(), state)
    assert one.history == other.history
    assert torch.equal(one.embedding, other.embedding)


@pytest.mark.parametrize("name", ["momentum", "adamw"])
def test_lookups_and_drift_are_those_of_the_tables(name: str) -> None:
    """Rows that no step looked up are counted, and their distance from the start is measured."""
    lock = Lockstep(CONFIG, TEXT, optimizer=name, loss=LOSSES["mse"])
    assert lock.advance(12) == 12
    assert torch.equal(lock.lookups, 12 * torch.bincount(TEXT, minlength=20))
    unseen = sorted({*range(20)} - {*TEXT.tolist()})
    assert lock.rows_never_looked_up == len(unseen) > 0
    start = tie(CONFIG).embedding.weight.detach()
    moved = max(
        float((weight.detach() - start)[unseen].norm(dim=1).max())
        for weight in (lock.embedding, lock.linear.T)
    )
    assert lock.max_drift_of_unseen_rows == pytest.approx(moved)
    assert (moved > 0) == (name == "adamw")


def test_the_budget_and_the_limit_end_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call stops at its budget, after one step at least, and after EMBVIZ_MAX_STEPS steps."""
    lock = Lockstep(CONFIG, TEXT, optimizer="sgd", loss=LOSSES["mse"])
    assert (lock.advance(50, budget_s=0.0), lock.advance(0), lock.advance(-3)) == (1, 0, 0)
    assert (lock.advance(3, budget_s=60.0), lock.steps) == (3, 4)
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "6")
    assert (lock.advance(9), lock.advance(9), lock.finished) == (2, 0, True)


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgd_sparse", "adam"])
def test_a_diverging_loss_stops_with_a_sentence(name: str) -> None:
    """A diverging loss stops the training with a sentence."""
    lock = Lockstep(CONFIG, TEXT, optimizer=name, loss=LOSSES["mse"], lr=1e5)
    assert lock.advance(200) < 200
    assert lock.failed.startswith(f"Stopped at step {lock.steps + 1}: ")
    assert "learning rate of 100000 diverges here" in lock.failed
    assert all(math.isfinite(value) for point in lock.history for value in point)
    assert lock.advance(5) == 0


@pytest.mark.parametrize(
    ("settings", "ids", "asked", "words"),
    [
        ({}, [1, 2], {"optimizer": "rprop"}, "optimizer='rprop' is not one of: sgd, momentum"),
        ({}, [1, 2], {"lr": math.nan}, "learning rate of nan"),
        ({}, [1, 200], {}, "rows 0 to 99"),
        ({}, [], {}, "no token"),
        ({}, [1, 2], {"loss": mse([1.0, 2.0])}, "does not fit rows of 10"),
        ({"num_embeddings": 300_000}, [1], {}, "300,000 x 10 has 3,000,000 numbers"),
        ({"num_embeddings": 200_000}, [1] * 50, {}, "50 tokens x 200,000 rows has 10,000,000"),
        ({"dtype": "float16"}, [1], {}, "float32 or float64, not float16"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_a_sentence(
    settings: dict, ids: list[int], asked: dict, words: str
) -> None:
    """Settings out of range are refused with the reason, before anything is allocated."""
    given = {"optimizer": "sgd", "loss": mse()} | asked
    with pytest.raises((ValueError, IndexError), match=words):
        Lockstep(Config("", **settings), torch.tensor(ids, dtype=torch.int64), **given)


def test_a_training_over_a_hosted_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that fits with a training that does not is refused."""
    config, ids = Config("", 30_000, 60), torch.arange(3)
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    words = r"12 copies of a table of 1,800,000 numbers: 82\.4 MiB, over the budget of 64\.0 MiB"
    with pytest.raises(ValueError, match=words + r" \(EMBVIZ_TABLE_BUDGET_MIB\)"):
        Lockstep(config, ids, optimizer="adam", loss=mse())
    monkeypatch.delenv("EMBVIZ_HOSTED")
    Lockstep(config, ids, optimizer="adam", loss=mse())
