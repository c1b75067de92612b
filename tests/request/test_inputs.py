"""From settings to tensors: usable inputs, and refusals with their fixes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from embviz.core import o200k
from embviz.core.tokenizers import VOCABULARIES
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.parameters import DEFAULTS


def read(**changes: Any) -> Inputs:
    """The defaults with some settings changed."""
    return read_inputs({**DEFAULTS, **changes})


def test_defaults_give_the_first_screen() -> None:
    """The defaults give the ids and sizes of the first screen."""
    given = read()
    assert given.refusal is None
    assert given.ids is not None
    assert given.ids.shape == (1, 25)
    assert given.config is not None
    assert (given.config.num_embeddings, given.config.embedding_dim) == (100, 10)


def test_with_ids_the_vocabulary_plays_no_part() -> None:
    """Four rows are enough for ids below four, whatever the vocabulary."""
    given = read(input="ids", ids="[[1,3],[0,1]]", rows=4, vocab="bytes", unknown="unk")
    assert given.refusal is None
    assert given.vocabulary is None
    assert given.ids is not None
    assert torch.equal(given.ids, torch.tensor([[1, 3], [0, 1]]))


def test_unknown_characters_get_one_row_where_there_are_some() -> None:
    """The row follows the table, whatever its size, and only while the text needs it."""
    for rows, text, ids in ((120, "a?é", [10, 82, 120]), (100, "a?", [10, 82])):
        given = read(rows=rows, text=text, unknown="unk")
        assert given.config is not None
        assert given.ids is not None
        assert given.ids.tolist() == [ids]
        assert given.config.num_embeddings == rows + given.config.unk == max(rows, ids[-1] + 1)
    own = read(text="é", unknown="unk", init="own", chars="a", vocab="custom", weights="1 2")
    assert own.refusal is not None


REFUSED = [
    ({"text": "hé"}, "'é' (U+00E9) at position 1"),
    ({"rows": 4, "vocab": "digits", "text": "1"}, "10 characters need 10 rows"),
    ({"text": "\\d", "escapes": True}, "'\\d' at position 0"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_each_fix_mends_its_refusal(changes: dict[str, Any], words: str) -> None:
    """After its one fix, a refused input is usable."""
    refusal = read(**changes).refusal
    assert refusal is not None
    assert words in refusal.message
    assert len(refusal.fixes) == 1
    for fix in refusal.fixes.values():
        assert read(**{**changes, **fix}).refusal is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vocab": "custom", "chars": ""}, "at least one character"),
        ({"vocab": "custom", "chars": "aba", "text": "a"}, "'a' (U+0061)"),
        ({"text": "x" * 100_001}, "100,001 characters"),
        ({"text": "a" * 100_000, "dim": 1024}, "over the budget"),
        ({"input": "ids", "ids": "1 2 3 400"}, "Id 400 at position 3"),
    ],
)
def test_refusals_without_a_fix_say_why(changes: dict[str, Any], words: str) -> None:
    """Unusable settings are refused with the reason; nothing is raised."""
    given = read(**changes)
    assert given.refusal is not None
    assert words in given.refusal.message
    assert given.ids is None


def test_a_vocabulary_that_is_not_installed_offers_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its refusal says what to install, keeps the choice, and offers a vocabulary that works."""
    monkeypatch.setattr(o200k, "LIBRARIES", ())
    given = read(vocab="o200k", text="東京")
    assert given.refusal is not None
    assert given.settings["vocab"] == "o200k"
    assert "pip install bpe-openai" in given.refusal.message
    (fix,) = given.refusal.fixes.values()
    assert read(**{"vocab": "o200k", "text": "東京", **fix}).refusal is None


@pytest.mark.parametrize("vocab", [name for name, one in VOCABULARIES.items() if one.knows_all])
def test_a_vocabulary_of_every_text_maps_no_surrogate(vocab: str) -> None:
    """A lone surrogate has no UTF-8: it is refused, without a button that would change nothing."""
    refusal = read(vocab=vocab, text="a\ud800", rows=200_019).refusal
    assert refusal is not None
    assert "lone surrogate (U+D800) at position 1" in refusal.message
    assert refusal.fixes == {}


def test_a_vocabulary_and_a_text_are_bounded_as_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed texts and vocabularies have the limit of tokens."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    for changed in ({"text": "a" * 10_001}, {"vocab": "custom", "chars": "a" * 10_001}):
        given = read(**changed)
        assert given.refusal is not None
        assert "are more than the 10,000 allowed" in given.refusal.message


def test_own_weights_are_kept_for_their_session_alone() -> None:
    """The user's own table is kept per session and never shared."""
    slots: list[tuple[str, object]] = []

    def keep(slot: str, made_of: object, make: Callable[[], torch.Tensor]) -> torch.Tensor:
        slots.append((slot, made_of))
        return make()

    settings = {**DEFAULTS, "init": "own", "input": "ids", "ids": "0", "weights": "1 2\n3 4"}
    table = read_inputs(settings, None, keep).table
    assert table is not None
    assert slots == [("own_table", "1 2\n3 4")]
    again = read_inputs(settings, None, keep).table
    assert again is not None
    assert again.data_ptr() != table.data_ptr()
