"""A next-character model in both routes: in lockstep, bounded and repeatable."""

import math
import string
from collections import Counter

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.vocabulary import Vocabulary
from embviz.training.model import BATCH, LEARNING_RATE, CharModel
from embviz.training.space import cluster_quality, groups
from embviz.training.text import library_text, prepare

torch.set_num_threads(1)  # several threads make small products slow
PRINTABLE = Vocabulary(string.printable)
SMALL = Config("abcd", 4, 3, seed=7)
CYCLE = torch.tensor([0, 1, 2, 3] * 10)


@pytest.fixture(scope="module")
def english() -> torch.Tensor:
    """The page's own text."""
    return prepare(library_text(), PRINTABLE)


def test_the_lookup_route_is_plain_pytorch() -> None:
    """It starts with the playground's table and trains as plain PyTorch layers with Adam do."""
    model = CharModel(SMALL, CYCLE)
    assert torch.equal(model.weight, tie(SMALL).embedding.weight.detach())
    assert torch.equal(model.linear.rows(), model.weight)
    embedding = nn.Embedding.from_pretrained(model.weight, freeze=False)
    head = nn.Linear(3, 4)
    head.load_state_dict(model.embedding.head.state_dict())
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
        chances = net(torch.arange(4)).double().softmax(dim=1)
    assert model.loss()[0] == pytest.approx(whole, abs=1e-6)
    likely = dict(model.next_characters(1))
    assert likely == pytest.approx(dict(enumerate(chances[1].tolist())))
    assert list(likely.values()) == sorted(likely.values(), reverse=True)
    for token, times in Counter(model.sample(1, 1, seed)[0] for seed in range(800)).items():
        spread = math.sqrt(likely[token] * (1 - likely[token]) / 800)
        assert abs(times / 800 - likely[token]) < 4 * spread


def test_english_is_learned_in_lockstep_to_near_its_limit(english: torch.Tensor) -> None:
    """500 steps on English come near the limit; both routes differ by at most 1e-5."""
    model = CharModel(Config(string.printable, 100, 16), english)
    assert 4.5 < model.history[0].loss_embedding < 5.2
    model.advance(500)
    assert (model.history[-1].step, len(model.history)) == (500, 51)
    letters = torch.distributions.Categorical(torch.bincount(english).double()).entropy()
    for loss in model.loss():
        assert model.bigram_limit < loss < 2.75 < float(letters)
    for record in model.history:
        assert record.max_abs_weight_difference <= 1e-5
        assert abs(record.loss_embedding - record.loss_linear) < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_characters_of_one_kind_come_together(english: torch.Tensor, seed: int) -> None:
    """Training brings rows of one kind nearer to each other than rows of different kinds."""
    model = CharModel(Config(string.printable, 100, 16, seed=seed), english)
    kinds = groups(PRINTABLE, model.occurring)
    quality = cluster_quality(model.weight, kinds)
    assert abs(quality) < 0.05
    model.advance(500)
    assert cluster_quality(model.weight, kinds) > quality + 0.03


def test_what_is_certain_is_learned() -> None:
    """A certain sequence is learned, predicted and written."""
    model = CharModel(Config("abcd", 4, 8), CYCLE)
    model.advance(1_000)
    assert model.bigram_limit == pytest.approx(0)
    (best, chance), *others = model.next_characters(1)
    assert (best, len(others)) == (2, 3)
    assert chance > 0.95
    assert model.sample(5, start=2) == [3, 0, 1, 2, 3]


def test_the_same_seed_gives_the_same_numbers() -> None:
    """One seed gives the same training, without the global generator."""
    before = torch.random.get_rng_state()
    first, second = CharModel(SMALL, CYCLE), CharModel(SMALL, CYCLE)
    first.advance(30)
    for _ in range(6):  # in other bites, and with others training in between
        second.advance(5)
        CharModel(SMALL, CYCLE).advance(1)
        second.sample(3, 0)
    assert first.history == second.history
    assert torch.equal(first.weight, second.weight)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call stops at its budget; training stops after 20,000 steps, or fewer where hosted."""
    model = CharModel(SMALL, CYCLE)
    assert (model.advance(0), model.advance(5, budget_s=0)) == (0, 1)
    model.steps = 19_998
    assert (model.advance(10), model.advance(10)) == (2, 0)
    model.steps = 4_999
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert (model.advance(10), model.finished) == (1, True)
