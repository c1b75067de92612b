"""The tiny transformer: causal, bounded, one training a seed, and better than the bigram model."""

import math
import pickle
import string
import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from embviz.context.bigram import SMOOTHING, bigram_loss
from embviz.context.letters import Place, places_of, plane, separation
from embviz.context.similarity import cosine
from embviz.context.tiny import CONTEXT, MAX_ROWS, TinyTransformer
from embviz.context.transformer import EVERY, MAX_HELD_OUT, Learner
from embviz.core.vocabulary import UnknownCharacterError, Vocabulary
from embviz.training.text import TextError, library_text

torch.set_num_threads(1)  # threads that wait for each other would make small products slow
PRINTABLE = Vocabulary(string.printable)
SHORT = "the cat sat on the mat and the dog sat on the log. " * 40


@pytest.fixture(scope="module")
def english() -> Learner:
    """The page's training, a third of the way."""
    learner = Learner(0, library_text())
    learner.advance(350)
    return learner


def ids_of(text: str) -> torch.Tensor:
    """A text as the page's ids."""
    return torch.tensor(PRINTABLE.encode(text))


def test_it_beats_the_bigram_model_on_held_out_text(english: Learner) -> None:
    """The page's claim, that looking back helps, would not hold.

    A third of the steps is enough; the whole training of three seeds is in the benchmarks.
    """
    assert english.evaluations[0].held_out == pytest.approx(math.log(100), abs=0.1)
    assert 2.5 < english.bigram_loss < 2.8
    assert english.held_out_loss() < english.bigram_loss - 0.1
    assert [one.step for one in english.evaluations] == [0, 100, 200, 300]
    assert len(english.losses) == english.steps == 350
    assert sum(english.losses[-20:]) < 0.6 * sum(english.losses[:20])
    assert not english.finished


def test_a_letter_separates_by_what_follows(english: Learner) -> None:
    """The same letter in different words would stay one vector, as it is statically."""
    new = Learner(0, library_text())
    for letter in "tai":
        found, start = english.separation(letter), new.separation(letter)
        assert 100 < len(found.places) <= 256
        for within, across in [(found.within, found.across), (start.within, start.across)]:
            assert within[0] == across[0] == 1.0  # the static rows
        assert found.within[-1] is not None
        assert found.across[-1] is not None
        assert start.within[-1] is not None
        assert start.across[-1] is not None
        assert found.within[-1] - found.across[-1] > 0.02  # 0.15 to 0.25 at the end
        assert abs(start.within[-1] - start.across[-1]) < 0.002  # untrained


def test_the_same_letter_in_chosen_words(english: Learner) -> None:
    """The user's own words would not be those that are compared."""
    words = ["the other", "the only one", "an order"]
    found = english.separation("o", words)
    places = [(PRINTABLE.decode(p.context.tolist()), p.position) for p in found.places]
    assert places == [(words[0], 4), (words[1], 4), (words[1], 9), (words[2], 3)]
    assert [PRINTABLE.decode([p.following]) for p in found.places] == list("tnnr")
    for place, vector in zip(found.places, found.vectors[-1], strict=True):
        alone = english.model.look(place.context)[0][-1][place.position]
        torch.testing.assert_close(vector, alone)  # computed with others its last bits may differ
    assert found.within[-1] == pytest.approx(float(cosine(found.vectors[-1])[1, 2]))
    with pytest.raises(ValueError, match="stands nowhere"):
        english.separation("q", words)
    with pytest.raises(ValueError, match="stands nowhere"):
        english.separation("r", ["her"])  # with nothing after it
    with pytest.raises(UnknownCharacterError):
        english.separation("é", words)
    with pytest.raises(ValueError, match="from 1 to 48"):
        english.separation("o", ["o" * 49])


def test_the_same_seed_gives_the_same_numbers() -> None:
    """Two visits under one link would see different trainings."""
    before = torch.random.get_rng_state()
    first, second = Learner(5, SHORT), Learner(5, SHORT)
    first.advance(12)
    for _ in range(6):  # in other bites, with others training and asking in between
        second.advance(2)
        Learner(6, SHORT).advance(1)
        second.held_out_loss()
        second.sample([1, 2], 3)
        second.separation("t")
    assert first.losses == second.losses
    assert first.held_out_loss() == second.held_out_loss()
    assert first.losses != Learner(6, SHORT).losses
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_learner_can_be_kept_and_go_on() -> None:
    """A session's training could not be stored and taken up again."""
    learner = Learner(1, SHORT)
    learner.advance(5)
    kept = pickle.loads(pickle.dumps(learner))  # noqa: S301 - its own bytes
    assert kept.advance(5) == learner.advance(5) == 5
    assert kept.losses == learner.losses


def test_steps_are_bounded() -> None:
    """A fragment would stand still for a whole training, or a forgotten tab train for ever."""
    learner = Learner(0, SHORT, budget_steps=5)
    assert learner.advance(0) == 0
    assert learner.advance(3, budget_s=0) == 1
    started = time.perf_counter()
    assert learner.advance(10_000) == 4
    assert learner.finished
    assert learner.advance(1) == 0
    assert 0 < learner.seconds < time.perf_counter() - started + 5
    assert [one.step for one in learner.evaluations] == [0, 5]
    assert EVERY > 5


def test_what_is_certain_is_learned() -> None:
    """It would train without learning, or write something else than it learned."""
    learner = Learner(0, "abcd" * 500, Vocabulary("abcd"), budget_steps=60)
    learner.advance(60)
    assert learner.bigram_loss < 0.02
    assert learner.held_out_loss() < 0.2
    assert learner.sample([0], 7, temperature=0) == [1, 2, 3, 0, 1, 2, 3]
    assert learner.sample([1, 2], 60, temperature=1e-9)[-1] == 2
    assert learner.sample([0, 1], 30, seed=1) == learner.sample([0, 1], 30, seed=1)


def test_it_looks_further_back_than_a_bigram_can() -> None:
    """It would be a bigram model with more parameters.

    After an a comes b or c in turn: a bigram model can only toss a coin.
    """
    learner = Learner(0, "abac" * 500, Vocabulary("abc"), budget_steps=120)
    learner.advance(120)
    assert learner.bigram_loss == pytest.approx(math.log(2) / 2, abs=0.02)
    assert learner.held_out_loss() < 0.1


def test_samples_follow_the_chances() -> None:
    """The text shown would not be the model's."""
    learner = Learner(0, SHORT, budget_steps=40)
    learner.advance(40)
    prefix = PRINTABLE.encode("sat o")
    with torch.no_grad():
        logits = learner.model(torch.tensor(prefix)[None])[0, -1].double()
    best = int(logits.argmax())
    firsts = [learner.sample(prefix, 1, seed=s)[0] for s in range(300)]
    share, expected = firsts.count(best) / 300, float(logits.softmax(dim=0)[best])
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / 300)
    long = learner.sample(prefix * 20, 3, temperature=0)  # more than it can read
    assert long == learner.sample((prefix * 20)[-CONTEXT:], 3, temperature=0)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 19), min_size=2, max_size=CONTEXT), st.data())
def test_a_later_edit_never_changes_an_earlier_vector(ids: list[int], data: st.DataObject) -> None:
    """The model would learn from the answer that it is asked for."""
    model = TinyTransformer(20, torch.Generator().manual_seed(0), dim=16, heads=2, blocks=2)
    place = data.draw(st.integers(1, len(ids) - 1))
    before = torch.tensor(ids)
    after = before.clone()
    after[place] = (after[place] + 1) % 20
    for one, other in zip(model.look(before)[0][1:], model.look(after)[0][1:], strict=True):
        assert torch.equal(one[:place], other[:place])
        assert bool((one[place:] != other[place:]).any(dim=1).all())


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_what_it_shows_is_what_it_computes(blocks: int) -> None:
    """The pictures would be of another computation than the one that is trained."""
    generator = torch.Generator().manual_seed(3)
    model = TinyTransformer(30, generator, dim=32, heads=4, blocks=blocks)
    ids = torch.randint(30, (CONTEXT,), generator=generator)
    vectors, attention = model.look(ids)
    assert [tuple(v.shape) for v in vectors] == [(CONTEXT, 32)] * (blocks + 1)
    assert torch.equal(vectors[0], model.embedding.weight[ids])
    with torch.no_grad():
        logits = model(ids[None])[0]
        torch.testing.assert_close(model.head(model.norm(vectors[-1])), logits)
    assert len(attention) == blocks
    for weights in attention:
        assert weights.shape == (4, CONTEXT, CONTEXT)
        assert float(weights.triu(1).abs().max()) == 0.0
        torch.testing.assert_close(weights.sum(dim=2), torch.ones(4, CONTEXT))


def test_a_block_is_that_of_pytorch() -> None:
    """The page would call something a transformer that is none."""
    model = TinyTransformer(30, torch.Generator().manual_seed(3))
    block = model.blocks[0]
    theirs = nn.TransformerEncoderLayer(
        64, 4, 256, dropout=0, activation="gelu", batch_first=True, norm_first=True, device="meta"
    ).to_empty(device="cpu")
    weights = block.state_dict()  # type: ignore[union-attr]
    names = {
        "self_attn": "attention",
        "linear1": "expand",
        "linear2": "contract",
        "norm1": "norm_1",
        "norm2": "norm_2",
    }
    state = theirs.state_dict()
    for name in state:
        first, _, rest = name.partition(".")
        state[name] = weights.get(f"{names[first]}.{rest}", torch.zeros_like(state[name]))
    theirs.load_state_dict(state)
    x = torch.randn(2, 9, 64, generator=torch.Generator().manual_seed(4))
    later = torch.ones(9, 9, dtype=torch.bool).triu(1)
    with torch.no_grad():
        torch.testing.assert_close(block(x, later)[0], theirs(x, src_mask=later))


def test_the_held_out_loss_asks_about_each_pair_once(english: Learner) -> None:
    """Both models would be asked about different characters."""
    ids, total = english.held_out, 0.0
    assert len(ids) == len(library_text()) // 10 <= MAX_HELD_OUT
    assert len(english.train) + len(ids) == len(library_text())
    with torch.no_grad():
        for start in range(0, len(ids) - 1, CONTEXT):
            window = ids[start : start + CONTEXT + 1]
            logits = english.model(window[None, :-1])[0].double()
            total += float(F.cross_entropy(logits, window[1:], reduction="sum"))
    assert english.held_out_loss() == pytest.approx(total / (len(ids) - 1), abs=1e-5)


def test_the_bigram_model_is_one() -> None:
    """The transformer would be compared with a model that nobody would use."""
    train = torch.tensor([0, 1, 0, 1, 0, 2, 1, 0, 1, 1])
    held_out = torch.tensor([0, 1, 2, 0, 0])
    losses = []
    left_out = []
    for s in SMOOTHING:

        def chance(a: int, b: int, s: float = s, less: int = 0) -> float:
            pairs = list(zip(train[:-1].tolist(), train[1:].tolist(), strict=True))
            alone = (train.tolist().count(b) + 1) / (10 + 3)
            n = pairs.count((a, b)) - less
            return (n + s * alone) / (sum(p[0] == a for p in pairs) - less + s)

        for a in range(3):
            assert sum(chance(a, b) for b in range(3)) == pytest.approx(1)
        asked = list(zip(held_out[:-1].tolist(), held_out[1:].tolist(), strict=True))
        losses.append(-sum(math.log(chance(a, b)) for a, b in asked) / 4)
        known = list(zip(train[:-1].tolist(), train[1:].tolist(), strict=True))
        left_out.append(-sum(math.log(chance(a, b, less=1)) for a, b in known))
    best = min(range(len(SMOOTHING)), key=lambda k: left_out[k])
    assert bigram_loss(train, held_out, 3) == pytest.approx(losses[best])


def test_an_unseen_character_costs_and_does_not_break() -> None:
    """One new character in the held-out text would make the loss infinite."""
    assert math.isfinite(bigram_loss(torch.tensor([0, 1] * 20), torch.tensor([0, 2, 1, 2]), 3))


@pytest.mark.parametrize(
    ("text", "vocabulary", "message"),
    [
        ("ab" * 499, None, "998 characters are too few"),
        ("a" * 2_000, None, "nothing to learn"),
        ("é" * 2_000, None, "None of the 2,000 characters"),
        ("", None, "There is no text"),
    ],
)
def test_texts_that_cannot_be_learned_from_are_refused(
    text: str, vocabulary: Vocabulary | None, message: str
) -> None:
    """A short text of the user's own would be a traceback."""
    with pytest.raises(TextError, match=message):
        Learner(0, text, vocabulary)


def test_every_kind_of_vocabulary_learns() -> None:
    """Bytes, emoji or an unknown character would be a traceback."""
    for vocabulary in (Vocabulary(bytes(range(256))), Vocabulary("a😀é", unk=True)):
        learner = Learner(0, "a😀é!" * 400, vocabulary, budget_steps=3)
        assert learner.advance(9) == 3
        assert math.isfinite(learner.held_out_loss())
    many = Vocabulary("".join(chr(0x4E00 + k) for k in range(MAX_ROWS + 1)))
    with pytest.raises(ValueError, match="2,049 ids cannot be trained"):
        Learner(0, chr(0x4E00) * 999 + chr(0x4E01), many)


def test_what_cannot_be_read_or_written_is_refused() -> None:
    """A forged setting would be a traceback from deep inside, or write without end."""
    learner = Learner(0, SHORT)
    for ids in (torch.zeros(0, dtype=torch.int64), torch.zeros(CONTEXT + 1, dtype=torch.int64)):
        with pytest.raises(ValueError, match="from 1 to 48"):
            learner.model.look(ids)
    with pytest.raises(IndexError, match="rows 0 to 99"):
        learner.model.look(torch.tensor([100]))
    with pytest.raises(IndexError, match="rows 0 to 99"):
        learner.sample([-1], 2)
    with pytest.raises(ValueError, match="from 1 to 48"):
        learner.sample([], 2)
    for length, temperature in [(-1, 1.0), (1_001, 1.0), (5, -1.0), (5, math.nan)]:
        with pytest.raises(ValueError, match=r"is no|is not"):
            learner.sample([1], length, temperature)
    assert learner.sample([1], 0) == []


def test_places_have_something_after_them() -> None:
    """A letter at the end, where nothing follows, would be counted."""
    found = places_of(1, [torch.tensor([1, 1, 0, 1]), torch.tensor([0, 1])])
    assert [(p.position, p.following) for p in found] == [(0, 1), (1, 0)]
    assert len(places_of(1, [torch.ones(300, dtype=torch.int64)])) == 256


def test_separation_is_the_mean_over_pairs() -> None:
    """The two figures would be of other pairs than they are said to be."""
    table = torch.tensor([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]])
    places = [Place(torch.tensor([k, f]), 0) for k, f in [(0, 7), (1, 7), (2, 8)]]
    found = separation([torch.ones(3, 2), table], 0, places)
    assert found.within == [pytest.approx(1), pytest.approx(0)]
    assert found.across == [pytest.approx(1), pytest.approx((0.6 + 0.8) / 2)]
    alone = separation([table[:1]], 0, places[:1])
    assert (alone.within, alone.across) == ([None], [None])


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 8).flatmap(
        lambda dim: st.lists(
            st.lists(st.floats(-100, 100, width=32), min_size=dim, max_size=dim),
            min_size=1,
            max_size=9,
        )
    )
)
def test_the_plane_is_the_best_view(rows: list[list[float]]) -> None:
    """The picture would show another side of the vectors than the widest."""
    vectors = torch.tensor(rows, dtype=torch.float64)
    flat = plane(vectors)
    assert flat.shape == (len(rows), 2)
    assert bool(flat.isfinite().all())
    torch.testing.assert_close(flat.sum(dim=0), torch.zeros(2).double(), atol=1e-8, rtol=0)
    centred = vectors - vectors.mean(dim=0)
    values = torch.linalg.svdvals(centred)[:2].square()
    torch.testing.assert_close(flat.square().sum(), values.sum(), atol=1e-7, rtol=1e-7)
    assert torch.equal(flat, plane(vectors))


def test_equal_vectors_are_one_point() -> None:
    """The static rows of one letter would be spread over the picture by rounding."""
    row = torch.randn(64, generator=torch.Generator().manual_seed(0))
    assert plane(row.expand(50, 64)).abs().max() == 0
