"""The one training: against plain PyTorch loops, its history, its limits."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adagrad, Adam, AdamW, SparseAdam

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.refused import Refused
from embviz.training.batches import Batches, minibatches, until, whole_text
from embviz.training.losses import Loss, Mse, NextId
from embviz.training.optimizers import OPTIMIZERS, SPARSE_ADAM_EPS
from embviz.training.training import DIVERGED, Training, check_size

V, D = 20, 6
TEXT = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]])
ONCE = torch.tensor([[3, 1, 4, 5, 9, 2, 6]])  # no sum is rounded
# PyTorch's own optimizers of `Embedding.weight` and of `Linear.weight`, written out once more.
PLAIN = {
    "sgd": (lambda p: SGD(p, lr=0.5),) * 2,
    "momentum": (lambda p: SGD(p, lr=0.5, momentum=0.9),) * 2,
    "weight_decay": (lambda p: SGD(p, lr=0.5, weight_decay=0.01),) * 2,
    "adam": (lambda p: Adam(p, lr=0.01),) * 2,
    "adamw": (lambda p: AdamW(p, lr=0.01, weight_decay=0.01),) * 2,
    "adagrad": (lambda p: Adagrad(p, lr=0.1),) * 2,
    "sparse_adam": (
        lambda p: SparseAdam(p, lr=0.01, eps=SPARSE_ADAM_EPS),
        lambda p: Adam(p, lr=0.01, eps=SPARSE_ADAM_EPS),
    ),
    "sgd_sparse": (lambda p: SGD(p, lr=0.5),) * 2,
}
MINI = minibatches(5, seed=3)
SAME = [name for name in PLAIN if not name.startswith("sparse") and name != "sgd_sparse"]


def table(dtype: str = "float32") -> torch.Tensor:
    """A drawn weight, (V, D)."""
    return tie(Config("", V, D, dtype=dtype)).embedding.weight.detach()


def losses() -> dict[str, Loss]:
    """Both losses."""
    return {"mse": Mse(0.5), "next": NextId(V, D, seed=7)}


def plain(name: str, loss: str, dtype: str, side: int) -> tuple[torch.Tensor, float]:
    """The weight after 50 steps of a plain loop, and the loss of the whole text."""
    ids, following = (TEXT[0], TEXT[0]) if loss == "mse" else (TEXT[0, :-1], TEXT[0, 1:])
    layer: nn.Embedding | nn.Linear = nn.Linear(V, D, bias=False)
    if not side:
        layer = nn.Embedding(V, D, sparse=name in ("sparse_adam", "sgd_sparse"))
    layer.weight = nn.Parameter(table(dtype).T.contiguous() if side else table(dtype))
    head, start = nn.Linear(D, V).to(table(dtype)), NextId(V, D, seed=7).state_dict()
    head.load_state_dict(start)
    optimizers = [PLAIN[name][side]([layer.weight])]
    if loss == "next":
        optimizers.append(PLAIN[name][1](head.parameters()))
    hot = F.one_hot(ids, V).to(table(dtype))

    def measured(places: torch.Tensor) -> torch.Tensor:
        rows = layer(hot[places] if side else ids[places])
        if loss == "mse":
            return F.mse_loss(rows, torch.full_like(rows, 0.5))
        return F.cross_entropy(head(rows), following[places])

    drawn = MINI(len(ids))
    for _ in range(50):
        for optimizer in optimizers:
            optimizer.zero_grad()
        measured(next(drawn)).backward()
        for optimizer in optimizers:
            optimizer.step()
    return layer.weight.detach(), float(measured(torch.arange(len(ids))).detach())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("loss", ["mse", "next"])
@pytest.mark.parametrize("name", PLAIN)
def test_plain_pytorch_gives_the_same_weights(name: str, loss: str, dtype: str) -> None:
    """50 steps on minibatches equal `torch.optim` on `nn.Embedding` and `nn.Linear`, bit for bit.

    The loss of the whole text is that of the plain layers within rounding.
    """
    training = Training(table(dtype), TEXT, losses()[loss], name, batches=MINI)
    assert training.advance(50) == 50
    for side, route in enumerate(training.routes):
        weight, measured = plain(name, loss, dtype, side)
        assert torch.equal(weight, route.weight)
        assert training.points[-1][1 + side] == pytest.approx(measured, rel=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SAME)
def test_gradients_with_the_same_bits_keep_weights_with_the_same_bits(
    name: str, dtype: str
) -> None:
    """Without a repeated token the weights of the two routes never differ by a bit."""
    training = Training(table(dtype), ONCE, Mse(0.5), name)
    training.advance(100)
    assert training.furthest.max_abs_weight_difference == 0
    assert {point.max_abs_gradient_difference for point in training.points} == {0.0}


def test_sparse_adam_is_another_algorithm_where_steps_leave_rows_out() -> None:
    """SparseAdam and Adam differ on minibatches, and agree on the whole text."""
    for batches, apart in ((minibatches(4, 1), True), (whole_text, False)):
        training = Training(table(), TEXT, Mse(), "sparse_adam", batches=batches)
        training.advance(200)
        assert (training.furthest.max_abs_weight_difference > 1e-3) is apart


def test_rounding_parts_the_routes_and_is_reported() -> None:
    """The page's `furthest` is the first largest difference of the tensors on the way."""
    training = Training(table(), TEXT.repeat(1, 9), Mse(0.5), "sgd_sparse", lr=9.0)
    seen = []
    for step in range(1, 31):
        training.advance(1)
        found = float((training.tables[0] - training.tables[1]).abs().max())
        assert training.points[step].max_abs_weight_difference == found
        seen.append(found)
    assert max(seen) > 0
    assert training.furthest.step == seen.index(max(seen)) + 1


def test_point_k_is_the_state_after_k_steps() -> None:
    """Point 0 is the start; each point has the losses of that state, every `every` steps."""
    looked = []
    training = Training(
        table(), TEXT, Mse(), lr=0.5, every=3, watch=lambda one: looked.append(one.steps)
    )
    start = float(table()[TEXT].square().mean())
    first = training.points[0]
    assert first[:2] == (0, pytest.approx(start, rel=1e-6))
    assert first[3:] == (0.0, 0.0)
    training.advance(7)
    assert [point.step for point in training.points] == looked == [0, 3, 6]
    assert training.points[1].loss_embedding < start
    twin = Training(table(), TEXT, Mse(), lr=0.5)
    twin.advance(6)
    assert twin.points[6] == training.points[2]
    assert twin.points[3].loss_linear == training.points[1].loss_linear


def test_one_link_gives_the_same_numbers_in_any_slices_of_time() -> None:
    """The same arguments give the same numbers, without the global generator."""
    state = torch.get_rng_state()

    def make() -> Training:
        return Training(table(), TEXT, NextId(V, D, 1), "adam", batches=minibatches(4, 9))

    one, other = make(), make()
    one.advance(30)
    while other.steps < 30:
        other.advance(30 - other.steps, budget_s=0.0)
    assert one.points == other.points
    assert torch.equal(one.tables, other.tables)
    assert torch.equal(torch.get_rng_state(), state)
    assert not torch.equal(one.tables[0], one.start)
    assert torch.equal(one.start, table())


@pytest.mark.parametrize("name", ["momentum", "adamw", "sgd"])
def test_lookups_and_drift_are_those_of_the_tables(name: str) -> None:
    """Rows that no step looked up are counted; their way from the start is measured."""
    training = Training(table(), TEXT, Mse(), name)
    training.advance(12)
    counts = torch.bincount(TEXT.flatten(), minlength=V) * 12
    assert torch.equal(training.lookups, counts)
    assert torch.equal(training.unseen, counts == 0)
    ways = (training.tables - table()).norm(dim=2)[:, counts == 0]
    assert training.drift == float(ways.max())
    assert (training.drift > 0) is (name == "adamw")
    everywhere = Training(table(), torch.arange(V), Mse(), "adamw")
    everywhere.advance(1)
    assert everywhere.drift == 0.0


def test_only_the_last_lookup_counts_for_sgd() -> None:
    """A schedule leaves places out after a step, and the whole text before it."""
    kept = torch.tensor([True, False, True])
    drawn = until(2, kept)(3)
    assert [next(drawn).tolist() for _ in range(4)] == [[0, 1, 2], [0, 1, 2], [0, 2], [0, 2]]
    two = [next(minibatches(3, seed)(100)).tolist() for seed in (1, 1, 2)]
    assert two[0] == two[1] != two[2]


def test_the_budget_and_the_limit_end_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call stops at its budget, after one step at least, and after EMBVIZ_MAX_STEPS steps."""
    training = Training(table(), TEXT, Mse())
    assert (training.advance(50, budget_s=0.0), training.advance(0)) == (1, 0)
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "10")
    assert training.advance(50) == 9
    assert training.finished
    assert not training.failed
    training.most = 12
    assert training.finished
    monkeypatch.undo()
    assert training.advance(50) == 2


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgd_sparse"])
def test_a_diverging_loss_stops_with_a_sentence(name: str) -> None:
    """It stops before a step from a loss that is over the limit, and takes no further one."""
    training = Training(table(), TEXT, Mse(), name, lr=1e5)
    training.advance(200)
    assert 0 < training.steps < 200
    assert f"Stopped at step {training.steps + 1:,}: the loss is" in training.failed
    assert "learning rate of 100000 diverges here" in training.failed
    assert training.points[-1].step == training.steps
    assert training.points[-1].loss_embedding > DIVERGED * training.points[0].loss_embedding
    assert training.advance(1) == 0
    assert bool(training.tables.isfinite().all())


def test_what_is_no_number_any_more_stops_it() -> None:
    """Losses and weights that overflow end a training; its weights stay numbers in the history."""
    training = Training(torch.full((4, 2), 3e38), torch.tensor([0, 1]), Mse())
    assert training.advance(5) == 0
    assert "the losses are inf and inf, no finite numbers" in training.failed
    training = Training(torch.full((4, 2), 1e18), torch.tensor([0, 1]), Mse(), lr=1e6)
    assert training.advance(5) == 1
    assert "the losses are inf and inf" in training.failed
    training = Training(torch.full((4, 2), 1e18), torch.tensor([0, 1]), Mse(), "momentum", 1e6)
    training.embedding.weight.data[3, 0] = torch.inf  # a row that no step looks up
    assert training.advance(5) == 0
    assert "the weights are no longer finite numbers" in training.failed


@pytest.mark.parametrize(
    ("weight", "ids", "more", "words"),
    [
        ((V, D), [1, 2], {"optimizer": "rprop"}, "optimizer='rprop' is not one of: sgd, momentum"),
        ((V, D), [1, 2], {"lr": math.nan}, "A learning rate of nan is not a number above 0"),
        ((V, D), [1, 2], {"lr": 0.0}, "A learning rate of 0.0"),
        ((V, D), [1, 2], {"lr": 1e7}, "up to 1,000,000"),
        ((V, D), [], {}, "There is no token to train on"),
        ((V, D), [1], {"loss": NextId(V, D, 0)}, "takes at least 2 in a line; there is 1"),
        ((V, D), [], {"loss": NextId(V, D, 0)}, "there is none"),
        ((V, D), [1], {"loss": Mse([1.0, 2.0])}, "A target of 2 numbers does not fit rows of 6"),
        ((2_000, 1_001), [1], {}, "2,002,000 numbers; training side by side takes up to 2,000,000"),
        ((100_000, 2), range(81), {}, "A one-hot of 81 tokens x 100,000 rows has 8,100,000"),
        (
            (30_000, 2),
            [1] * 600,
            {"loss": NextId(30_000, 2, 0), "batches": minibatches(200, 1)},
            None,
        ),
    ],
)
def test_what_cannot_be_trained_is_refused_in_a_sentence(
    weight: tuple[int, int], ids: list[int], more: dict, words: str | None
) -> None:
    """Input out of range is refused with the reason; what just fits is trained."""

    def train() -> Training:
        return Training(torch.zeros(weight), torch.tensor([*ids]).long(), **{"loss": Mse()} | more)

    if words is None:
        assert train().advance(1) == 1
        return
    with pytest.raises(Refused) as error:
        train()
    assert words in str(error.value)


def test_an_id_without_a_row_and_another_dtype_are_refused() -> None:
    """Before anything is trained."""
    with pytest.raises(IndexError, match="this table has rows 0 to 19"):
        Training(table(), torch.tensor([20]), Mse())
    with pytest.raises(Refused, match="takes float32 or float64, not bfloat16"):
        Training(table().bfloat16(), TEXT, Mse())
    check_size(1_000, 2_000, "float64")
    with pytest.raises(Refused, match="Choose fewer rows or columns"):
        check_size(1_000, 2_001, "float64")


def test_a_training_over_a_hosted_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that fits with a training that does not is refused, with the head's numbers."""
    weight, ids = torch.zeros(30_000, 30), torch.arange(3)
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "64")
    Training(weight, ids, Mse())
    with pytest.raises(Refused, match=r"12 copies of 1,830,000 numbers and 2 of a one-hot"):
        Training(weight, ids, NextId(30_000, 30, 0))


@pytest.mark.parametrize("loss", ["mse", "next"])
def test_each_route_has_a_loss_of_its_own(loss: str) -> None:
    """The given loss stays as it is, and no number is shared."""
    given = losses()[loss]
    before = [one.detach().clone() for one in given.parameters()]
    training = Training(table(), TEXT, given, "adam")
    training.advance(3)
    for one, start in zip(given.parameters(), before, strict=True):
        assert torch.equal(one, start)
    storages = {
        one.untyped_storage().data_ptr()
        for route in training.routes
        for one in [route.weight, *route.loss.parameters()]
    }
    assert len(storages) == (2 if loss == "mse" else 6)


def test_the_head_is_drawn_as_linear_draws_it() -> None:
    """U(-1/sqrt(D), 1/sqrt(D)), by the seed after the table's, and a bias of 0."""
    head = NextId(500, 4, seed=1)
    numbers = head.weight.detach()
    assert 0.49 < float(numbers.max()) <= 0.5
    assert -0.5 <= float(numbers.min()) < -0.49
    assert not head.bias.any()
    assert torch.equal(head.weight, NextId(500, 4, seed=1).weight)
    assert not torch.equal(head.weight, NextId(500, 4, seed=2).weight)
    for target in ([], [math.inf], math.nan):
        with pytest.raises(Refused, match="is not one or more finite numbers"):
            Mse(target)


def test_every_rule_is_on_offer_by_its_name() -> None:
    """SGD comes first, and each has a rate and a sentence."""
    assert list(OPTIMIZERS) == list(PLAIN)
    assert all(rule.usual_lr > 0 and rule.sentence for rule in OPTIMIZERS.values())
    run: Batches = whole_text
    assert next(run(3)).tolist() == [0, 1, 2]
