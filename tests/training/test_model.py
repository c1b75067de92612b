"""A next-character model in both routes: in lockstep, bounded, repeatable, and stopped in time."""

import math
import string
import time

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config, ConfigError
from embviz.core.layers import tie
from embviz.core.vocabulary import Vocabulary
from embviz.training.model import BATCH, LEARNING_RATE, CharModel
from embviz.training.size_limits import MAX_ROWS, MAX_STEPS
from embviz.training.text import library_text, prepare

torch.set_num_threads(1)  # several threads make small products slow
PRINTABLE = Vocabulary(string.printable)
SMALL = Config("abcd", 4, 3, seed=7)
CYCLE = torch.tensor([0, 1, 2, 3] * 10)


@pytest.fixture(scope="module")
def english() -> torch.Tensor:
    """The page's own text."""
    return prepare(library_text(), PRINTABLE)


def test_it_starts_from_the_table_of_the_playground() -> None:
    """The model starts with the playground's table, the same on both routes."""
    model = CharModel(SMALL, CYCLE)
    assert torch.equal(model.weight, tie(SMALL).embedding.weight.detach())
    assert torch.equal(model.linear.rows(), model.weight)
    assert model.history[0].max_abs_weight_difference == 0
    assert model.history[0].loss_embedding == model.history[0].loss_linear


def test_the_lookup_route_is_plain_pytorch() -> None:
    """The lookup route trains as plain PyTorch layers with Adam do."""
    model = CharModel(SMALL, CYCLE)
    weights = model.state().tensors
    embedding = nn.Embedding.from_pretrained(weights["embedding"], freeze=False)
    head = nn.Linear(3, 4, device="meta")
    head.weight = nn.Parameter(weights["embedding_head"])
    head.bias = nn.Parameter(weights["embedding_bias"])
    net = nn.Sequential(embedding, head)
    optimizer = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    generator = torch.Generator().manual_seed(7)
    for _ in range(20):
        place = torch.randint(len(CYCLE) - 1, (BATCH,), generator=generator)
        optimizer.zero_grad()
        F.cross_entropy(net(CYCLE[place]), CYCLE[place + 1]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    model.advance(20)
    assert torch.equal(model.weight, embedding.weight.detach())
    with torch.no_grad():
        whole = float(F.cross_entropy(net(CYCLE[:-1]), CYCLE[1:]))
    assert model.loss()[0] == pytest.approx(whole, abs=1e-6)


def test_both_routes_learn_in_lockstep(english: torch.Tensor) -> None:
    """Both routes differ by at most 1e-5 while they learn."""
    model = CharModel(Config(string.printable, 100, 16), english)
    model.advance(200)
    last = model.history[-1]
    assert (last.step, len(model.history)) == (200, 21)
    assert last.loss_embedding < model.history[0].loss_embedding - 1
    assert abs(last.loss_embedding - last.loss_linear) < 1e-5
    assert max(record.max_abs_weight_difference for record in model.history) <= 1e-5
    moved = (model.weight - tie(model.config).embedding.weight.detach()).abs().max()
    assert float(moved) > 0.1


def test_english_is_learned_to_near_its_limit(english: torch.Tensor) -> None:
    """500 steps on English lower the loss well below that of single letters, near the limit."""
    model = CharModel(Config(string.printable, 100, 16), english)
    assert 4.5 < model.history[0].loss_embedding < 5.2
    model.advance(500)
    letters = torch.distributions.Categorical(torch.bincount(english).double()).entropy()
    for loss in model.loss():
        assert model.bigram_limit < loss < 2.75 < float(letters)


def test_what_is_certain_is_learned() -> None:
    """A certain sequence is learned, predicted and written."""
    model = CharModel(Config("abcd", 4, 8), CYCLE, lr=0.1)
    model.advance(200)
    assert model.bigram_limit == pytest.approx(0)
    (best, chance), *others = model.next_characters(1)
    assert best == 2
    assert chance > 0.95
    assert len(others) == 3
    assert chance + sum(p for _, p in others) == pytest.approx(1)
    assert model.sample(5, temperature=0, start=2) == [3, 0, 1, 2, 3]
    assert model.sample(4, temperature=0.05) == [1, 2, 3, 0]


def test_the_same_seed_gives_the_same_numbers() -> None:
    """One seed gives the same training, without the global generator."""
    before = torch.random.get_rng_state()
    first, second = CharModel(SMALL, CYCLE), CharModel(SMALL, CYCLE)
    first.advance(30)
    for _ in range(6):  # in other bites, and with others training in between
        second.advance(5)
        CharModel(SMALL, CYCLE).advance(1)
        second.sample(3)
    assert first.history == second.history
    assert torch.equal(first.weight, second.weight)
    assert not torch.equal(first.weight, tie(SMALL).embedding.weight)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_advance_keeps_to_its_budget() -> None:
    """A call stops at its budget."""
    model = CharModel(SMALL, CYCLE)
    started = time.perf_counter()
    done = model.advance(10_000, budget_s=0.05)
    assert time.perf_counter() - started < 5
    assert 0 < done == model.steps < 10_000
    assert model.advance(0) == 0
    assert model.advance(5, budget_s=0) == 1
    assert model.steps_per_second > 0


def test_steps_are_bounded() -> None:
    """Training stops after MAX_STEPS steps."""
    model = CharModel(SMALL, CYCLE)
    model.steps = MAX_STEPS - 2
    assert model.advance(10) == 2
    assert model.advance(10) == 0


@pytest.mark.parametrize("lr", [1e30, 1e4])
def test_a_diverging_loss_stops_with_a_sentence(lr: float) -> None:
    """A diverging loss stops the training with a sentence."""
    model = CharModel(SMALL, CYCLE, lr=lr)
    assert model.advance(50) < 50
    assert "loss is" in model.failed
    assert "smaller learning rate" in model.failed
    assert model.advance(1) == 0
    with pytest.raises(ConfigError, match="Stopped before step"):
        model.sample(3)
    with pytest.raises(ConfigError, match="Stopped before step"):
        model.next_characters(0)


def test_a_start_of_nan_stops_at_once() -> None:
    """Loaded weights too large to multiply are not trained."""
    model, weights = CharModel(SMALL, CYCLE), CharModel(SMALL, CYCLE).state()
    for tensor in weights.tensors.values():
        tensor.fill_(3e38)
    model.load_state(weights)
    assert model.advance(5) == 0
    assert "loss is" in model.failed


def test_loaded_weights_go_on() -> None:
    """Loaded weights have the same loss, and training continues from their step."""
    model = CharModel(SMALL, CYCLE)
    model.advance(20)
    other = CharModel(SMALL, CYCLE)
    other.load_state(model.state())
    assert other.loss() == model.loss()
    assert other.advance(10) == 10
    assert other.steps == 30
    assert other.loss()[0] < model.loss()[0]


@pytest.mark.parametrize(
    ("config", "ids", "settings", "message"),
    [
        (Config("", MAX_ROWS + 1, 2), CYCLE, {}, "num_embeddings=2,049 is too many"),
        (Config("", 4, 257), CYCLE, {}, "embedding_dim=257 is too many"),
        (Config("", 4, 2, dtype="float16"), CYCLE, {}, "choose float32"),
        (SMALL, CYCLE, {"lr": 0.0}, "learning rate of 0 "),
        (SMALL, CYCLE, {"lr": math.nan}, "learning rate of nan"),
        (SMALL, CYCLE[:1], {}, "two characters or more"),
        (SMALL, CYCLE + 1, {}, "ids run from 1 to 4; the table has rows 0 to 3"),
        (SMALL, CYCLE - 1, {}, "ids run from -1 to 2"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    config: Config, ids: torch.Tensor, settings: dict[str, float], message: str
) -> None:
    """Settings out of range are refused with the reason."""
    with pytest.raises(ConfigError, match=message):
        CharModel(config, ids, **settings)


def test_ids_without_a_row_are_refused() -> None:
    """The model answers only for ids that have a row."""
    model = CharModel(SMALL, CYCLE)
    with pytest.raises(IndexError, match="Id 4 has no row"):
        model.next_characters(4)
    with pytest.raises(IndexError, match="Id -1 has no row"):
        model.sample(1, start=-1)
