import itertools
import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from torch.optim import SGD, Adagrad, Adam, AdamW, SparseAdam

from embviz.core import bounds
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.batches import minibatches, whole_text
from embviz.training.lockstep import COPIES, Lockstep
from embviz.training.losses import Loss, Mse, mse, next_character
from embviz.training.optimizers import OPTIMIZERS, Optimizer

torch.set_num_threads(1)

CHARACTERS = "".join(map(chr, range(32, 127))) + "\n\t\r\x0b\x0c"
TEXT = torch.tensor([CHARACTERS.index(c) for c in "WTF does nn.Embedding do?"])
CONFIG = Config(CHARACTERS)
LOSSES: dict[str, Loss] = {"mse": mse(0.5), "next": next_character(100, 10, 123)}
MINI = minibatches(4, 123)
SHORT = 1e-5  # the routes stay this near in the short trainings below; longer ones may not
SAME = [name for name, found in OPTIMIZERS.items() if found.in_lockstep]


def gradient_by_hand(loss: Loss, table: np.ndarray, ids: list[int], after: list[int]) -> np.ndarray:
    """X^T G (V, D) in float64, token by token."""
    gradient = np.zeros_like(table)
    for row, follows in zip(ids, after, strict=True):
        if isinstance(loss, Mse):
            part = 2 * (table[row] - loss.target[0]) / table.shape[1]
        else:
            head = loss.head.double().numpy()
            scores = head @ table[row]
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            chance[follows] -= 1
            part = head.T @ chance
        gradient[row] += part / len(ids)
    return gradient


class Hand:
    """One update rule, written out for a float64 table (V, D)."""

    def __init__(self, name: str, lr: float, table: np.ndarray) -> None:
        self.name, self.lr, self.t = name, lr, 0
        self.m, self.v = np.zeros_like(table), np.zeros_like(table)

    def step(self, w: np.ndarray, g: np.ndarray, touched: list[int]) -> np.ndarray:
        """The table after one more step with gradient g."""
        name, lr = self.name, self.lr
        self.t += 1
        if name in ("sgd", "sgd_sparse"):
            return w - lr * g
        if name == "weight_decay":
            return w - lr * (g + 0.01 * w)
        if name == "momentum":
            self.m = 0.9 * self.m + g
            return w - lr * self.m
        if name == "adagrad":
            self.v = self.v + g**2
            return w - lr * g / (np.sqrt(self.v) + 1e-10)
        c1, c2 = 1 - 0.9**self.t, 1 - 0.999**self.t
        if name == "sparse_adam":
            some = sorted(set(touched))
            self.m[some] = 0.9 * self.m[some] + 0.1 * g[some]
            self.v[some] = 0.999 * self.v[some] + 0.001 * g[some] ** 2
            w = w.copy()
            w[some] -= lr * math.sqrt(c2) / c1 * self.m[some] / (np.sqrt(self.v[some]) + 1e-12)
            return w
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.999 * self.v + 0.001 * g**2
        if name == "adamw":
            w = w * (1 - lr * 0.01)
        eps = 1e-12 if name == "beside sparse_adam" else 1e-8
        return w - lr * (self.m / c1) / (np.sqrt(self.v / c2) + eps)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_each_rule_is_the_one_written_by_hand(name: str, loss: str) -> None:
    """Each optimizer follows its formula, on both routes."""
    config, steps = Config(CHARACTERS, dtype="float64"), 25
    lock = Lockstep(
        config, TEXT, optimizer=name, loss=LOSSES[loss], batches=minibatches(5, 3), lr=0.05
    )
    assert lock.advance(steps) == steps
    start = tie(config).embedding.weight.detach().numpy()
    before, after = LOSSES[loss].pairs(TEXT)
    other = "beside sparse_adam" if name == "sparse_adam" else name
    for side, found in ((name, lock.embedding), (other, lock.linear.T)):
        table, hand = start.copy(), Hand(side, 0.05, start)
        for places in itertools.islice(minibatches(5, 3)(len(before)), steps):
            ids = before[places].tolist()
            gradient = gradient_by_hand(LOSSES[loss], table, ids, after[places].tolist())
            table = hand.step(table, gradient, ids)
        np.testing.assert_allclose(found.detach().numpy(), table, atol=1e-9)


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
    config, steps, mini = Config(CHARACTERS, dtype=dtype), 25, minibatches(5, 3)
    layers, asked = tie(config), LOSSES[loss]
    layers.embedding.sparse = "sparse" in name
    weights = layers.embedding.weight, layers.linear.weight
    optimizers = [PLAIN[name][0]([weights[0]]), PLAIN[name][-1]([weights[1]])]
    before, after = asked.pairs(TEXT)
    for places in itertools.islice(mini(len(before)), steps):
        ids, hot = before[places], F.one_hot(before[places], 100).to(config.torch_dtype)
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


@pytest.mark.parametrize("batches", ["whole", "mini"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", SAME)
def test_the_routes_stay_together_for_200_steps(name: str, loss: str, batches: str) -> None:
    """The routes stay near each other over 200 steps."""
    chosen = whole_text() if batches == "whole" else minibatches(4, 123)
    lock = Lockstep(CONFIG, TEXT, optimizer=name, loss=LOSSES[loss], batches=chosen)
    assert lock.advance(200) == 200
    assert not lock.failed
    assert lock.max_abs_weight_difference <= SHORT
    assert [point.step for point in lock.history] == list(range(1, 201))
    assert all(abs(p.loss_embedding - p.loss_linear) <= 1e-5 for p in lock.history)
    first = sum(p.loss_embedding for p in lock.history[:20])
    assert sum(p.loss_embedding for p in lock.history[-20:]) < first


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_other_starts_stay_together_too(name: str, seed: int) -> None:
    """They stay near for other seeds and sizes."""
    config = Config(CHARACTERS, seed=seed, embedding_dim=3 + 20 * seed)
    loss = next_character(100, config.embedding_dim, seed)
    lock = Lockstep(config, TEXT, optimizer=name, loss=loss, batches=minibatches(7, seed))
    lock.advance(200)
    assert lock.max_abs_weight_difference <= SHORT


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", [1, 123])
def test_sparse_adam_is_another_algorithm_where_steps_leave_rows_out(loss: str, seed: int) -> None:
    """SparseAdam and Adam differ on minibatches, and agree on the whole text."""
    config = Config(CHARACTERS, seed=seed)
    mini = minibatches(4, seed)
    lock = Lockstep(config, TEXT, optimizer="sparse_adam", loss=LOSSES[loss], batches=mini)
    lock.advance(200)
    assert lock.max_abs_weight_difference > 1_000 * SHORT
    fixed = Lockstep(config, TEXT, optimizer="sparse_adam", loss=LOSSES[loss])
    fixed.advance(200)
    assert fixed.max_abs_weight_difference <= SHORT


def test_sparse_sgd_differs_by_rounding_alone() -> None:
    """SGD with sparse gradients differs by rounding, more so on a long text."""
    ids, loss = torch.arange(2_000) % 30, mse(0.5)
    apart = {}
    for dtype in ("float32", "float64"):
        config = Config("", 30, 10, dtype=dtype)
        lock = Lockstep(config, ids, optimizer="sgd_sparse", loss=loss)
        lock.advance(100)
        apart[dtype] = lock.max_abs_weight_difference
    assert SHORT < apart["float32"] < 1e-3
    assert apart["float64"] < 1e-12
    short = Lockstep(CONFIG, TEXT, optimizer="sgd_sparse", loss=loss)
    short.advance(200)
    assert short.max_abs_weight_difference <= SHORT


def test_the_routes_stay_together_on_a_long_text() -> None:
    """They stay near on a long text, over a few steps."""
    ids = torch.arange(2_000) * 7 % 31
    for name in SAME:
        lock = Lockstep(CONFIG, ids, optimizer=name, loss=LOSSES["next"])
        lock.advance(60)
        assert lock.steps == 60
        assert lock.max_abs_weight_difference <= SHORT


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
    ids, apart = torch.tensor([0, 1, 2, 0, 2, 1, 0, 0, 1, 2, 2, 1]), {}
    for name in ("quick", "sgd"):
        single = Lockstep(
            Config("", 3, 10), ids, optimizer=name, loss=next_character(3, 10, 123), lr=0.1
        )
        for lock in (single, single.in_float64()):
            with torch.no_grad():  # kernels round differently by machine; one unit stands for it
                lock.linear *= 1 + torch.finfo(lock.linear.dtype).eps
            lock.advance(320)
            apart[name, lock.config.dtype] = lock.max_abs_weight_difference
    assert apart["quick", "float32"] > 1e-3
    assert apart["quick", "float64"] < 1e-6
    assert apart["sgd", "float32"] < SHORT


def test_the_furthest_step_is_the_one_of_the_largest_difference() -> None:
    """The largest difference comes with its step, however small the last one is."""
    lock = Lockstep(CONFIG, TEXT, optimizer="sparse_adam", loss=LOSSES["mse"], batches=MINI)
    lock.advance(40)
    apart = [point.max_abs_weight_difference for point in lock.history]
    assert lock.furthest.step == apart.index(max(apart)) + 1
    assert lock.max_abs_weight_difference == max(apart) > 0
    losses = [abs(point.loss_embedding - point.loss_linear) for point in lock.history]
    assert lock.max_abs_loss_difference == max(losses) > 0


@pytest.mark.parametrize("own", [True, False])
def test_in_float64_it_is_the_same_training(own: bool) -> None:
    """The twin begins with the same numbers, takes the same batches, and only rounds less."""
    table = torch.rand(100, 10, dtype=torch.float64)
    config = Config(CHARACTERS, init="own" if own else "normal")
    lock = Lockstep(
        config, TEXT, optimizer="momentum", loss=LOSSES["next"], batches=MINI, lr=0.3, table=table
    )
    double = lock.in_float64()
    assert double.embedding.dtype == torch.float64
    assert torch.equal(double.embedding.float(), lock.embedding)
    assert torch.equal(double.embedding, lock.embedding.double())
    for one in (lock, double):
        one.advance(30)
    assert torch.equal(double.lookups, lock.lookups)
    torch.testing.assert_close(double.embedding.float(), lock.embedding, atol=1e-4, rtol=0)
    assert double.lr == lock.lr == 0.3


def test_the_dense_optimizers_are_in_lockstep() -> None:
    """The dense optimizers do the same arithmetic on both sides, and no others."""
    assert SAME == ["sgd", "momentum", "weight_decay", "adam", "adamw", "adagrad"]
    assert OPTIMIZERS["sparse_adam"].sentence.startswith("A different algorithm")
    assert [name for name, found in OPTIMIZERS.items() if found.sparse_gradient] == [
        "sparse_adam",
        "sgd_sparse",
    ]


def test_same_seed_same_numbers_and_no_global_generator() -> None:
    """The same arguments give the same numbers, without the global generator."""
    mini, state = minibatches(4, 9), torch.get_rng_state()
    one = Lockstep(CONFIG, TEXT, optimizer="adam", loss=LOSSES["next"], batches=mini)
    one.advance(30)
    assert torch.equal(torch.get_rng_state(), state)
    with torch.random.fork_rng():
        torch.manual_seed(99)
        other = Lockstep(CONFIG, TEXT, optimizer="adam", loss=LOSSES["next"], batches=mini)
        while other.steps < 30:
            other.advance(7 if other.steps < 28 else 2)
    assert one.history == other.history
    assert torch.equal(one.embedding, other.embedding)
    different = Lockstep(
        CONFIG, TEXT, optimizer="adam", loss=LOSSES["next"], batches=minibatches(4, 10)
    )
    different.advance(30)
    assert different.history != one.history


def test_the_rows_are_counted_and_measured_as_they_go() -> None:
    """Lookups and paths are those of the trained table."""
    lock = Lockstep(CONFIG, TEXT, optimizer="momentum", loss=LOSSES["mse"])
    start, way, last = lock.embedding.detach().clone(), torch.zeros(100), lock.embedding.clone()
    for _ in range(12):
        lock.advance(1)
        way += (lock.embedding - last).detach().norm(dim=1)
        last = lock.embedding.detach().clone()
    assert torch.equal(lock.lookups, 12 * torch.bincount(TEXT, minlength=100))
    torch.testing.assert_close(lock.journeys[0].path, way)
    assert (lock.journeys[0].path + 1e-6 >= (last - start).norm(dim=1)).all()
    assert lock.rows_never_looked_up == 100 - len(TEXT.unique())
    assert lock.max_drift_of_unseen_rows == 0.0


def test_the_budget_ends_a_call_but_not_before_one_step() -> None:
    """A call stops at its budget, after one step at least."""
    lock = Lockstep(CONFIG, TEXT, optimizer="sgd", loss=LOSSES["mse"])
    assert lock.advance(50, budget_s=0.0) == 1
    assert lock.advance(0) == lock.advance(-3) == 0
    assert lock.advance(3, budget_s=60.0) == 3
    assert lock.steps == 4


def test_there_is_an_end_to_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training stops after EMBVIZ_MAX_STEPS steps."""
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "5")
    lock = Lockstep(CONFIG, TEXT, optimizer="sgd", loss=LOSSES["mse"])
    assert (lock.advance(9), lock.advance(9), lock.finished) == (5, 0, True)


@pytest.mark.parametrize("name", ["sgd", "momentum", "weight_decay", "sgd_sparse", "adam"])
def test_a_diverging_loss_stops_with_a_sentence(name: str) -> None:
    """A diverging loss stops the training with a sentence."""
    lock = Lockstep(CONFIG, TEXT, optimizer=name, loss=LOSSES["mse"], lr=1e5)
    assert lock.advance(200) < 200
    assert lock.failed.startswith(f"Stopped at step {lock.steps + 1}: ")
    assert "learning rate of 100000 diverges here; choose a smaller one." in lock.failed
    assert all(math.isfinite(value) for point in lock.history for value in point)
    assert lock.advance(5) == 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, 3e38])
def test_numbers_that_overflow_stop_with_a_sentence(bad: float) -> None:
    """Numbers that overflow stop the training with a sentence."""
    config = Config("", 3, 2, init="own")
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [3e38, 5.0]])
    lock = Lockstep(config, torch.tensor([0, 2]), optimizer="adam", loss=mse(0.0), table=table)
    if not math.isfinite(bad):
        with torch.no_grad():
            lock.embedding[2, 0] = bad
    assert lock.advance(10) == 0
    assert "no finite numbers" in lock.failed


@pytest.mark.parametrize(
    ("settings", "ids", "asked", "words"),
    [
        ({}, [1, 2], {"optimizer": "rprop"}, "optimizer='rprop' is not one of: sgd, momentum"),
        ({}, [1, 2], {"lr": 0.0}, "learning rate of 0.0"),
        ({}, [1, 2], {"lr": math.nan}, "learning rate of nan"),
        ({}, [1, 2], {"lr": math.inf}, "learning rate of inf"),
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
    config = Config("", **settings)
    with pytest.raises((ValueError, IndexError), match=words):
        Lockstep(
            config,
            torch.tensor(ids, dtype=torch.int64),
            **{"optimizer": "sgd", "loss": mse()} | asked,
        )


def test_a_training_holds_no_more_than_was_predicted() -> None:
    """A training holds exactly the tensors that its memory check counts."""
    run = Lockstep(Config("", 500, 40), torch.arange(4), optimizer="adam", loss=mse())
    run.advance(2)
    held = [run.embedding, run.linear, run.embedding.grad, run.linear.grad]
    for one in run._optimizers:
        for moments in one.state.values():
            held += [part for part in moments.values() if part.dim() == 2]
    for journey in run.journeys:
        held += [journey.start, journey._before]
    assert all(part is not None and part.numel() == 20_000 for part in held)
    assert len({part.data_ptr() for part in held if part is not None}) == 12 < COPIES


def test_a_training_over_a_hosted_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that fits with a training that does not is refused; listeners hear the limit."""
    told: list[bounds.Bound] = []
    monkeypatch.setattr(bounds, "_listeners", [told.append])
    config, ids = Config("", 20_000, 60), torch.arange(3)
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    words = r"15 copies of a table of 1,200,000 numbers: 68\.7 MiB, over the budget of 64\.0 MiB"
    with pytest.raises(ValueError, match=words + r" \(EMBVIZ_TABLE_BUDGET_MIB\)"):
        Lockstep(config, ids, optimizer="adam", loss=mse())
    monkeypatch.delenv("EMBVIZ_HOSTED")
    Lockstep(config, ids, optimizer="adam", loss=mse())
    assert told == [bounds.TABLE]
