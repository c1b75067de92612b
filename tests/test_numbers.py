"""Every place where a number is typed reads the same spellings of it.

Without it a field that is added would refuse the digits of some keyboards, or read other numbers.
"""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.bag.matrix import parse_matrix
from embviz.bag.page import fields
from embviz.bag.uploads import read_upload
from embviz.fact.ids import parse_ids
from embviz.fact.weights import LINEAR, Reading, parse_weights, read_weights
from embviz.labs import answer
from embviz.labs.question import Question
from embviz.playground.page.one_hot import read_factors
from embviz.settings.kinds import Number, Text
from embviz.settings.pages import SETTINGS
from embviz.text.digits import plain_digits, whole_number
from embviz.text.refused import Refused
from embviz.timing.measure.axes import VARY
from embviz.training import inputs as training

# The settings of text that hold no numbers.
WORDS = {
    *("text", "chars", "docs", "edit", "sentences", "word", "find"),
    *("done", "class", "board"),  # codes and answers that the program writes
}


def target(typed: str) -> list[float]:
    """The target of a loss on rows of three numbers."""
    given = SimpleNamespace(table=SimpleNamespace(embedding_dim=3))
    of = {"loss": "mse", "target": typed}.__getitem__
    found = training.loss_of(given, of).target  # type: ignore[arg-type]
    return found.tolist()  # type: ignore[union-attr]


def pressed(typed: str) -> dict[int, float]:
    """The counts of an address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fields, "setting", {"bag_edit": typed}.__getitem__)
        return fields.pressed()


def values(typed: str) -> list[int]:
    """The sizes of a sweep; a word that is none is refused by the case that has it."""
    found = VARY["vocab"].read(typed)
    if not all(isinstance(one, int) for one in found):
        raise Refused(f"{found} are not whole numbers.")
    return found


def csv(read: Callable[[str, bytes], Any], typed: str) -> Any:
    """What a function reads from an uploaded CSV."""
    return read("n.csv", typed.encode())


ONE = Question("t", "p", (1.0,), "w", tolerance=0.01)
WHOLE = Question("t", "p", (1.0,), "w")
THREE = Question("t", "p", (1.0,), "w", count=3, is_set=True, tolerance=0.01)
Reader = Callable[[str], Any]
OF_TEXT: dict[str, Reader] = {  # by the setting
    "ids": lambda typed: parse_ids(typed, 200),
    "weights": parse_weights,
    "x": parse_matrix,
    "linear": partial(parse_weights, reading=Reading(kind=LINEAR)),
    "bag_edit": pressed,
    "one_hot": lambda typed: read_factors(typed, 200),
    "target": target,
    "values": values,
}
OTHERS: dict[str, Reader] = {
    "one answer": partial(answer.read, ONE),
    "a whole answer": partial(answer.read, WHOLE),
    "three answers": partial(answer.read, THREE),
    "an upload of weights": partial(csv, read_weights),
    "an upload of a matrix": partial(csv, read_upload),
}


READERS = {name: one.read for name, one in SETTINGS.items() if isinstance(one, Number)}
READERS |= {"an option": whole_number} | OF_TEXT | OTHERS


def test_every_text_is_known_to_hold_numbers_or_words() -> None:
    """A setting that is added says here whether numbers are read from it, and by what."""
    texts = {name for name, one in SETTINGS.items() if isinstance(one, Text)}
    assert texts == WORDS | OF_TEXT.keys()


def plain(found: Any) -> Any:
    """What a reader gave, as something that can be compared."""
    found = getattr(found, "csr", getattr(found, "weight", found))
    found = found.toarray() if hasattr(found, "toarray") else found
    return found.tolist() if hasattr(found, "tolist") else found


def outcome(read: Reader, typed: str) -> str:
    """What a reader makes of a text; NaN is like NaN."""
    try:
        return repr(plain(read(typed)))
    except Refused:
        return "refused"


def wide(text: str) -> str:
    """The text in the signs of a keyboard of East Asia."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "full-width": wide,
    "full-width digits": lambda text: "".join(wide(c) if c.isdigit() else c for c in text),
    "full-width signs": lambda text: "".join(c if c.isalnum() else wide(c) for c in text),
    "minus sign": lambda text: text.replace("-", "\u2212"),
    "en dash": lambda text: text.replace("-", "\u2013"),
    "long vowel": lambda text: text.replace("-", "\u30fc"),
    "comma of Japan": lambda text: text.replace(",", "\u3001"),
    "Arabic digits": lambda text: text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
    "Devanagari digits": lambda text: text.translate(str.maketrans("0123456789", "०१२३४५६७८९")),
    "Arabic signs": lambda text: text.replace(",", "،").replace(";", "؛"),
    "wide blanks": lambda text: text.replace(" ", "\u3000"),
}
NUMBERS = [
    "2",
    "5_700",
    "8.0",
    "-3",
    "+4",
    "1.5",
    ".5",
    "-.5",
    "1e2",
    "100",
    "99999999999999999999",
]
TABLES = ["1,2", "1;2", "1 2 -3", "1,5;0,5", "1,5\t0,5", "[[1, 2], [3, -4]]", "1,2\n3,4", "0:3 2:1"]
TABLES += ["0:1 2:0.5"]


@pytest.mark.parametrize("name", READERS)
def test_each_reader_knows_the_same_spellings(name: str) -> None:
    """Each spelling of a number gives what the number in ASCII gives, or both are refused."""
    read = READERS[name]
    found = {typed: outcome(read, typed) for typed in NUMBERS + TABLES}
    assert {*found.values()} != {"refused"}
    for how, spelled in SPELLINGS.items():
        assert {typed: outcome(read, spelled(typed)) for typed in found} == found, how


@pytest.mark.parametrize("name", READERS)
def test_each_reader_quotes_what_was_typed(name: str) -> None:
    """A refusal has the signs that were typed, not those that they stand for."""
    for typed in ("１２ｘ", "٣x", "²", "1_0", "−"):
        with pytest.raises(Refused) as refused:
            READERS[name](typed)
        assert f"'{typed}'" in str(refused.value)


# Signs of numbers, and others that some reader might take for one.
SIGNS = st.text("0123456789+-.,;:[]()eE \n\t_x", max_size=30)


@given(SIGNS, st.data())
def test_any_text_means_the_same_in_any_signs(text: str, data: st.DataObject) -> None:
    """For any text of these signs, each reader gives the same for any mix of spellings."""
    picked = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
    written = "".join(
        wide(sign) if is_wide and sign not in "_x" else sign
        for sign, is_wide in zip(text, picked, strict=True)
    )
    assert plain_digits(written) == text
    for name, read in READERS.items():
        assert outcome(read, written) == outcome(read, text), name


@given(st.text())
def test_no_sign_moves(text: str) -> None:
    """The plain text has each sign in its place, and is plain itself."""
    found = plain_digits(text)
    assert len(found) == len(text)
    assert plain_digits(found) == found
    assert all(one == two or not one.isascii() for one, two in zip(text, found, strict=True))


def test_semicolons_and_decimal_commas_are_the_same_everywhere() -> None:
    """What a spreadsheet saves is read alike from a field, a file and an option."""
    typed, rows = "1,5;0,5;2\n-2,5;1,5;0", [[1.5, 0.5, 2], [-2.5, 1.5, 0]]
    tables = ["weights", "x", "linear"]
    for name in [*tables, "an upload of weights", "an upload of a matrix"]:
        assert plain(READERS[name](typed)) == rows, name
        with pytest.raises(Refused, match="'1,5 0,5' can be read in two ways"):
            READERS[name]("1,5 0,5")
    assert target("1,5;0,5;2") == rows[0]
    for typed in ("0,5", "０，５"):
        with pytest.raises(Refused, match=r"rows of 3.*A comma separates numbers; a decimal has"):
            target(typed)
