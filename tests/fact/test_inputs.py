"""From settings to tensors: usable inputs, and refusals with their fixes."""

from collections.abc import Callable
from typing import Any

import pytest

from embviz.fact.inputs import Inputs, read_inputs
from embviz.fact.table import Table
from embviz.fact.table_rows import rows_of
from embviz.fact.weights import Own, Reading
from embviz.settings.given import defaults
from embviz.text.refused import Refused

OWN = {"init": "own", "input": "ids", "ids": "0"}

TRAINED = {"vocab": "words", "init": "trained"}


def read(**changes: Any) -> Inputs:
    """The defaults with some settings changed."""
    return read_inputs({**defaults(), **changes})


@pytest.mark.parametrize(
    ("changes", "ids", "rows", "unknown"),
    [
        (
            {"input": "ids", "ids": "[[1,3],[0,1]]", "rows": 4, "vocab": "bytes"},
            [[1, 3], [0, 1]],
            4,
            "",
        ),
        ({"text": "1", "vocab": "digits", "rows": 4}, [[1]], 10, ""),
        ({"text": "aéaé😀", "rows": 120}, [[10, 120, 10, 120, 120]], 121, "é😀"),
        ({"text": "a", "rows": 120}, [[10]], 120, ""),
        ({"text": "1\n↵⏎"}, [[1, 96, 96, 97]], 100, ""),
        ({"text": "The  of.", "vocab": "words"}, [[0, 1, 2800]], 2801, "."),
        ({"text": "of the", "vocab": "words", "rows": 5000}, [[1, 0]], 5000, ""),
    ],
)
def test_a_text_has_at_least_the_rows_of_its_vocabulary(
    changes: dict[str, Any], ids: list[list[int]], rows: int, unknown: str
) -> None:
    """Typed ids have exactly those asked for; `<unk>` is one row more, while it is needed."""
    given = read(**changes)
    assert (given.ids.tolist(), given.table.num_embeddings) == (ids, rows)
    assert (given.unknown, given.table.unk) == (tuple(unknown), bool(unknown))
    assert (given.vocabulary is None) == ("ids" in changes)


@pytest.mark.parametrize(
    ("changes", "words", "fixes"),
    [
        ({"input": "ids", "ids": "0 4", "rows": 4}, "Id 4 at index 1", 1),
        ({"text": "aé", "unknown": "error"}, "'é' (U+00E9) at index 1", 2),
        ({"init": "own", "text": "a"}, "has 5 rows, and the vocabulary printable has 100", 2),
        ({"init": "own", "text": "abcdef", "weights": "1\n2"}, "has 2 rows", 1),
        ({"init": "own", "vocab": "custom", "chars": "abcde", "text": "abz"}, "'z'", 2),
        ({"init": "own", "input": "ids", "weights": "1 2\n3 4"}, "ids run from 0 to 1", 1),
        ({"text": "x" * 100_001}, "100,001 characters", 0),
        ({"vocab": "custom", "chars": "a" * 100_001}, "100,001 characters", 0),
        ({**OWN, "weights": "1 -1e30", "dtype": "float16"}, "1e+30", 1),
        ({**OWN, "weights": "1 nan"}, "nan", 0),
        ({"text": "a", "init": "trained"}, "learnt for the vocabulary words; chosen is", 2),
        ({**TRAINED, "text": "The xyz.", "unknown": "error"}, "'xyz' is not among the 2,800", 1),
        ({**TRAINED, "input": "ids", "ids": "2801"}, "ids run from 0 to 2,800", 1),
    ],
)
def test_a_refusal_says_why_and_its_fix_mends_it(
    changes: dict[str, Any], words: str, fixes: int
) -> None:
    """Unusable settings are refused with the reason; after each fix, they are usable."""
    with pytest.raises(Refused) as refused:
        read(**changes)
    assert words in str(refused.value)
    assert len(refused.value.fixes) == fixes
    for fix in refused.value.fixes.values():
        assert read(**{**changes, **fix}).ids is not None


def test_own_weights_are_kept_for_their_session_alone() -> None:
    """The user's own table is kept per session and never shared; a file replaces typed ones."""
    own = {**defaults(), **OWN, "weights": "1 2\n3 4"}
    for file, wanted in ((None, [[10, 20], [30, 40]]), (("w.csv", b"5,6,7"), [[50, 60, 70]])):
        kept: list[object] = []

        def keep(_slot: str, of: object, make: Callable[[], Own]) -> Own:
            kept.append(of)  # noqa: B023
            own = make()
            return own._replace(weight=own.weight * 10)

        given = read_inputs(own, file, keep)
        assert given.weights is not None
        assert given.weights.tolist() == wanted
        assert kept == [(file or own["weights"], Reading())]
        assert given.table.embedding_dim == len(wanted[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "the king"},
        {"text": "xyz", "rows": 7, "dim": 3, "seed": 9},
        {"input": "ids", "ids": "2800", "rows": 4_000, "vocab": "printable"},
    ],
)
def test_learnt_rows_are_one_table_for_all(changes: dict[str, Any]) -> None:
    """The table's sizes are fixed, whatever is typed and set, and `<unk>` is its last row."""
    asked = TRAINED | changes
    given, rows = read(**asked), rows_of(defaults() | asked, ["the king"])
    assert given.table == Table(2801, 384, seed=0, init="trained", unk=True)
    assert (rows.count, rows.least) == (2801, 2801)


def words_of(weights: str, text: str) -> Inputs:
    """Words and vectors, and a text that looks them up."""
    return read(**{"init": "vectors", "weights": weights, "text": text})


@pytest.mark.parametrize(
    ("words", "text", "ids"),
    [
        (["king", "new york", "york"], "new york king york", [1, 0, 2]),
        (["king", "new york", "new york city"], "New York City new york", [2, 1]),
        (["a  b", "c"], "c a b", [1, 0]),
        ([". . .", "."], ". . . .", [0, 1]),
    ],
)
def test_a_word_with_blanks_is_typed_as_it_stands(
    words: list[str], text: str, ids: list[int]
) -> None:
    """The longest run of typed pieces that is a word has its row, and so each row is reached."""
    weights = "\n".join(f"{word} .5 .25" for word in words)
    assert words_of(weights, text).ids.tolist() == [ids]
    for row, word in enumerate(words):
        assert words_of(weights, word).ids.tolist() == [[row]]
    with pytest.raises(Refused) as refused:
        words_of(weights, "unknown")
    for fix in refused.value.fixes.values():  # none leads back to a refusal
        read(**{"init": "vectors", "weights": weights, "text": "x", **fix})


def test_a_text_for_rows_with_words_is_told_of_them() -> None:
    """The table is too small for the vocabulary; its words may be meant."""
    settings = {"init": "own", "weights": "king .5 .2\nnew york .1 .3", "text": "king"}
    with pytest.raises(Refused, match="init=vectors looks them up") as refused:
        read(**settings)
    assert read(**{**settings, "init": "vectors"}).ids.tolist() == [[0]]
    assert refused.value.fixes["Look up the words"] == {"init": "vectors"}
