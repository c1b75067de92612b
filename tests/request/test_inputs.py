"""From settings to tensors: usable inputs, and refusals with their fixes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from embviz.core.refused import Refused
from embviz.request.inputs import Inputs, read_inputs, read_text
from embviz.request.settings import defaults


def read(**changes: Any) -> Inputs:
    """The defaults with some settings changed."""
    return read_inputs({**defaults(), **changes})


def refused(**changes: Any) -> Refused:
    """The refusal of the defaults with some settings changed."""
    with pytest.raises(Refused) as found:
        read(**changes)
    return found.value


def test_with_ids_the_vocabulary_plays_no_part() -> None:
    """Four rows are enough for ids below four, whatever the vocabulary; rows are exact."""
    given = read(input="ids", ids="[[1,3],[0,1]]", rows=4, vocab="bytes", unknown="unk")
    assert given.vocabulary is None
    assert torch.equal(given.ids, torch.tensor([[1, 3], [0, 1]]))
    assert given.config.num_embeddings == 4


def test_a_text_has_at_least_as_many_rows_as_its_vocabulary() -> None:
    """`rows` never refuses a vocabulary, and more of them are kept."""
    for vocab, rows, wanted in (("digits", 4, 10), ("digits", 12, 12), ("bytes", 100, 256)):
        assert read(vocab=vocab, rows=rows, text="1").config.num_embeddings == wanted
    assert read(text="a" * 100_000).ids.shape == (1, 100_000)


def test_an_unknown_character_is_one_row_more() -> None:
    """It is the last row, only while the text needs it; each unknown character is named once."""
    given = read(text="aéaé😀", rows=120)
    assert (given.unknown, given.config.unk, given.config.num_embeddings) == ("é😀", True, 121)
    known = read(text="a", rows=120)
    one = int(known.ids)
    assert given.ids.tolist() == [[one, 120, one, 120, 120]]
    assert (known.unknown, known.config.unk, known.config.num_embeddings) == ("", False, 120)
    assert "U+D800" in str(refused(text="a\ud800", unknown="error"))
    assert read(text="é", vocab="bytes").ids.tolist() == [[0xC3, 0xA9]]


@pytest.mark.parametrize(
    ("changes", "words", "fixes"),
    [
        ({"input": "ids", "ids": "0 4", "rows": 4}, "Id 4 at position 1", 1),
        ({"text": "aé", "unknown": "error"}, "'é' (U+00E9) at position 1", 2),
        ({"text": "\\d", "escapes": True}, "'\\d' at position 0", 1),
        ({"vocab": "custom", "chars": "aba", "text": "a"}, "'a' (U+0061)", 1),
        ({"init": "own", "text": "a"}, "need 100 rows", 1),
        ({"init": "own", "vocab": "custom", "chars": "abcde", "text": "abz"}, "'z'", 1),
        ({"vocab": "custom", "chars": ""}, "at least one character", 0),
        ({"text": "x" * 100_001}, "100,001 characters", 0),
        ({"vocab": "custom", "chars": "a" * 100_001}, "100,001 characters", 0),
        ({"text": "a" * 100_000, "dim": 1024}, "over the budget", 0),
        ({"init": "own", "weights": "1 x", "input": "ids", "ids": "0"}, "'x'", 0),
        ({"init": "own", "weights": "1 -1e30", "dtype": "float16"}, "1e+30", 0),
    ],
)
def test_a_refusal_says_why_and_its_fix_mends_it(
    changes: dict[str, Any], words: str, fixes: int
) -> None:
    """Unusable settings are refused with the reason; after each fix, they are usable."""
    error = refused(**changes)
    assert words in str(error)
    assert len(error.fixes) == fixes
    for fix in error.fixes.values():
        assert read(**{**changes, **fix}).ids is not None


def test_escapes_are_read_only_where_they_are_asked_for() -> None:
    r"""`\n` is two characters, or one."""
    for escapes, wanted in ((False, r"a\nb"), (True, "a\nb")):
        assert read_text({"text": r"a\nb", "escapes": escapes}) == wanted


def test_own_weights_are_kept_for_their_session_alone() -> None:
    """The user's own table is kept per session and never shared; a file replaces typed ones."""
    own = {**defaults(), "init": "own", "input": "ids", "ids": "0", "weights": "1 2\n3 4"}
    for file, wanted in ((None, [[1, 2], [3, 4]]), (("w.csv", b"5,6,7"), [[5, 6, 7]])):
        kept: list[object] = []

        def keep(_slot: str, of: object, make: Callable[[], torch.Tensor]) -> torch.Tensor:
            kept.append(of)  # noqa: B023
            return make() * 10

        given = read_inputs(own, file, keep)
        assert given.table is not None
        assert given.table.tolist() == (10 * torch.tensor(wanted)).tolist()
        assert kept == [(file or own["weights"], True)]
        assert given.config.embedding_dim == given.table.shape[1]


def test_odd_weights_are_for_the_playground_alone() -> None:
    """NaN and inf are refused, unless the reader asks for them; too large ones always are."""
    own = {**defaults(), "init": "own", "input": "ids", "ids": "0"}
    odd = {**own, "weights": "nan -inf 1e30"}
    with pytest.raises(Refused, match="nan"):
        read_inputs(odd)
    table = read_inputs(odd, finite=False).table
    assert table is not None
    assert table.isnan().tolist() == [[True, False, False]]
    with pytest.raises(Refused, match=r"1e\+39"):
        read_inputs({**own, "weights": "nan 1e39"}, finite=False)
