"""Rows of numbers: each notation is read as it was meant, or refused with what to write."""

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.text.refused import Refused
from embviz.text.typed import read_rows

READ = {
    # Decimal commas, as spreadsheets of many countries save and copy them.
    "1,5;0,5\n2,5;-1,5": [[1.5, 0.5], [2.5, -1.5]],
    "1,5; 0,5 ;1e1": [[1.5, 0.5, 10]],
    "1;2\r\n3;4": [[1, 2], [3, 4]],
    "1,5\t0,5\n2\t-1,5": [[1.5, 0.5], [2, -1.5]],
    # Commas and blanks that separate.
    "1,2\n3 4": [[1, 2], [3, 4]],
    "1, 5 2": [[1, 5, 2]],
    "1,\t2": [[1, 2]],
    "1.5,2 3": [[1.5, 2, 3]],
    # Lists: commas separate in any case.
    "[1,5 2,5]": [[1, 5, 2, 5]],
    "[[1,5],\n [2 3]]": [[1, 5], [2, 3]],
    "[[]]": [[]],
    # Signs of other keyboards.
    "１，−２\n３　４": [[1, -2], [3, 4]],
    "［［１、２］，［–3 .５］］": [[1, 2], [-3, 0.5]],
    "": [],
    # Any sign that ends a line; tabs around it.
    "1 2\u20283 4\x855 6": [[1, 2], [3, 4], [5, 6]],
    "1\v2\f3\x1c4": [[1], [2], [3], [4]],
    "1\t2\t\n3\t4": [[1, 2], [3, 4]],
    "\t1 2\n\t3 4": [[1, 2], [3, 4]],
    # A comma that is surely a decimal one says it of all.
    "1,234;0,5": [[1.234, 0.5]],
    "1,234;0,234": [[1.234, 0.234]],
}


@pytest.mark.parametrize("typed", READ)
def test_each_notation_is_read_as_it_was_meant(typed: str) -> None:
    """What separates the numbers is decided for the whole text."""
    assert read_rows(typed, 100).tolist() == READ[typed]


REFUSED = {
    "1,5 0,5": ["'1,5 0,5' can be read in two ways", "Write '1 5 0 5' or '1.5 0.5'"],
    "1 2\n1,5e3 2": ["'1,5e3 2' can be read in two ways"],
    "1 2; 3 4": ["'1 2' is not a number. A semicolon separates numbers here"],
    "1,2,3;4,5,6": ["'1,2,3' is not a number. A semicolon separates", "a decimal comma"],
    "1,234;2": ["'1,234' can be read in two ways", "Write '1234' or '1.234'"],
    "2\t1,000\n2,000\t3": ["'1,000' can be read in two ways", "Write '1000' or '1.000'"],
    "[1,2;3]": ["'2;3' is not a number"],
    ",0,1\n0,1.0,2.0": ["',0,1' has nothing before its first comma."],
    "1.0D+00 2.0D+00\n1 2": ["'1.0D+00' is not a number."],
    "1\t\t2\n3\t4\t": ["'1\\t\\t2' has an empty cell between tabs or before them."],
    "\t1\t2\n3\t4\t": ["has an empty cell"],
    "[[[1, 2]]]": ["three levels of brackets. Give what is in the outer ones."],
    "1 2 ... 9": ["The print is shortened"],
    "1,0,": ["'1,0,' has nothing after its last comma."],
    "1,0\n1,,2": ["'1,,2' has nothing between two commas."],
    " ,1": ["',1' has nothing before its first comma."],
    "1;2;\n3;4;": ["'1;2;' has nothing after its last semicolon."],
    "1,5\t\t2": ["has nothing between two tabs."],
    "１，２ｘ": ["'２ｘ' is not a number."],
    "[1, 2": ["'[1, 2' cannot be read: its brackets do not fit together."],
    "[[1], [[2]]]": ["is not a list of rows of numbers."],
    "1 2 3 4\n5": ["Row 1 has 1 number and row 0 has 4"],
    "1 " * 101: ["More than the 100 numbers allowed"],
    " " * 2501: ["2,501 characters are more than the 2,500 allowed"],
}


@pytest.mark.parametrize("typed", REFUSED)
def test_what_is_no_row_is_quoted_as_it_was_typed(typed: str) -> None:
    """The sentence says what is wrong, and what to write where two things are meant."""
    with pytest.raises(Refused) as refused:
        read_rows(typed, 100)
    said = str(refused.value)
    assert [words for words in REFUSED[typed] if words not in said] == []
    assert said.isprintable()


def wide(text: str) -> str:
    """The text in full-width signs, with the minus of books."""
    return "".join("−" if c == "-" else chr(ord(c) + 0xFEE0) if c > " " else c for c in text)


SEPARATED = {
    "lists": lambda rows: str(rows),
    "numpy": lambda rows: "[" + "\n ".join(f"[{' '.join(map(repr, row))}]" for row in rows) + "]",
    "csv": lambda rows: "\r\n".join(",".join(map(repr, row)) for row in rows),
    "excel": lambda rows: "\n".join(";".join(map(repr, row)) for row in rows).replace(".", ","),
    "copied": lambda rows: "\n".join("\t".join(map(repr, row)) for row in rows).replace(".", ","),
}


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2)
            if width == 2
            else st.lists(st.floats(-9, 9), min_size=width, max_size=width),
            min_size=1,
            max_size=4,
        )
    ),
    st.sampled_from([*SEPARATED]),
    st.booleans(),
)
def test_any_table_comes_back_from_any_notation(
    rows: list[list[float]], notation: str, is_wide: bool
) -> None:
    """Every notation and either width of the signs give the same numbers."""
    if len(rows[0]) == 1 and notation in ("excel", "copied"):  # without a mark it is a CSV
        return
    typed = SEPARATED[notation](rows)
    if notation in ("excel", "copied"):
        typed = re.sub(r"(,\d{3})\b", r"\g<1>0", typed)  # else it may be a comma of thousands
    assert read_rows(wide(typed) if is_wide else typed, 100).tolist() == rows


@pytest.mark.parametrize("typed", ["1 " * 10_000, "1\n" * 10_000, f"[{'1,' * 9_999}1]"])
def test_memory_follows_the_text(typed: str) -> None:
    """Each number takes a few bytes, however the lines are cut."""
    tracemalloc.start()
    try:
        rows = read_rows(typed, 10_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert rows.size == 10_000
    assert peak < 8 * len(typed)
