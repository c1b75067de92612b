"""The learner: bounded, one training a seed, and better than the bigram model."""

import math
import pickle
import string
import time

import pytest
import torch
from torch.nn import functional as F

from embviz.context.similarity import cosine
from embviz.context.tiny import CONTEXT, MAX_ROWS
from embviz.context.transformer import EVERY, MAX_HELD_OUT, Learner
from embviz.core.vocabulary import UnknownCharacterError, Vocabulary
from embviz.training.text import TextError, library_text

torch.set_num_threads(1)  # several threads make small products slow
PRINTABLE = Vocabulary(string.printable)
SHORT = "the cat sat on the mat and the dog sat on the log. " * 40


@pytest.fixture(scope="module")
def english() -> Learner:
    """The page's training after a third of its steps."""
    learner = Learner(0, library_text())
    learner.advance(350)
    return learner


def test_it_beats_the_bigram_model_on_held_out_text(english: Learner) -> None:
    """The transformer beats the bigram model on held-out text.

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
    """Training separates one letter's vectors by what follows it."""
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
    """The user's own words are the places that are compared."""
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
    """One seed gives the same training, whatever happens in between."""
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
    """A pickled learner continues with the same losses."""
    learner = Learner(1, SHORT)
    learner.advance(5)
    kept = pickle.loads(pickle.dumps(learner))  # noqa: S301 - its own bytes
    assert kept.advance(5) == learner.advance(5) == 5
    assert kept.losses == learner.losses


def test_steps_are_bounded() -> None:
    """A call stops at its budget, and the training at its last step."""
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
    """A certain sequence is learned and written."""
    learner = Learner(0, "abcd" * 500, Vocabulary("abcd"), budget_steps=60)
    learner.advance(60)
    assert learner.bigram_loss < 0.02
    assert learner.held_out_loss() < 0.2
    assert learner.sample([0], 7, temperature=0) == [1, 2, 3, 0, 1, 2, 3]
    assert learner.sample([1, 2], 60, temperature=1e-9)[-1] == 2
    assert learner.sample([0, 1], 30, seed=1) == learner.sample([0, 1], 30, seed=1)


def test_it_looks_further_back_than_a_bigram_can() -> None:
    """The transformer uses more than the last character.

    After an a, b and c alternate: a bigram model gives each of them probability one half.
    """
    learner = Learner(0, "abac" * 500, Vocabulary("abc"), budget_steps=120)
    learner.advance(120)
    assert learner.bigram_loss == pytest.approx(math.log(2) / 2, abs=0.02)
    assert learner.held_out_loss() < 0.1


def test_samples_follow_the_chances() -> None:
    """Samples have the frequencies of the model's probabilities."""
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


def test_the_held_out_loss_asks_about_each_pair_once(english: Learner) -> None:
    """The held-out loss counts every pair of the held-out text once."""
    ids, total = english.held_out, 0.0
    assert len(ids) == len(library_text()) // 10 <= MAX_HELD_OUT
    assert len(english.train) + len(ids) == len(library_text())
    with torch.no_grad():
        for start in range(0, len(ids) - 1, CONTEXT):
            window = ids[start : start + CONTEXT + 1]
            logits = english.model(window[None, :-1])[0].double()
            total += float(F.cross_entropy(logits, window[1:], reduction="sum"))
    assert english.held_out_loss() == pytest.approx(total / (len(ids) - 1), abs=1e-5)


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
    """Texts with too little to learn are refused with the reason."""
    with pytest.raises(TextError, match=message):
        Learner(0, text, vocabulary)


def test_every_kind_of_vocabulary_learns() -> None:
    """Vocabularies of bytes, emoji and unknown characters are learned."""
    for vocabulary in (Vocabulary(bytes(range(256))), Vocabulary("a😀é", unk=True)):
        learner = Learner(0, "a😀é!" * 400, vocabulary, budget_steps=3)
        assert learner.advance(9) == 3
        assert math.isfinite(learner.held_out_loss())
    many = Vocabulary("".join(chr(0x4E00 + k) for k in range(MAX_ROWS + 1)))
    with pytest.raises(ValueError, match="2,049 ids cannot be trained"):
        Learner(0, chr(0x4E00) * 999 + chr(0x4E01), many)


def test_what_cannot_be_read_or_written_is_refused() -> None:
    """Ids, lengths and temperatures out of range are refused."""
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
