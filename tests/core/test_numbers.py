"""One reader for typed numbers, whoever asks; one rule for cells of a spreadsheet."""

from collections.abc import Callable
from typing import Any

import pytest

from embviz.bag.matrix import MatrixError, parse_matrix
from embviz.core.ids import parse_ids
from embviz.core.numbers import formula_safe
from embviz.core.weights import WeightsError, parse_weights

READERS: list[Callable[[str], Any]] = [
    lambda typed: parse_weights(typed).tolist(),
    lambda typed: parse_matrix(typed).csr.toarray().tolist(),
    lambda typed: parse_ids(typed, 10).tolist(),
]
WHO = ["weights", "matrix", "ids"]


@pytest.mark.parametrize("read", READERS, ids=WHO)
@pytest.mark.parametrize(
    "typed", ["[[1, 2], [3, 4]]", "[[1 2] [3 4]]", "[[1 2]\n [3 4]]", "[ [1,2],\n[3 ,4] ]"]
)
def test_nested_lists_are_read_as_python_and_numpy_print_them(
    read: Callable[[str], Any], typed: str
) -> None:
    """Weights, matrices and ids take the same lists."""
    assert read(typed) == [[1, 2], [3, 4]]


@pytest.mark.parametrize("read", READERS, ids=WHO)
@pytest.mark.parametrize("typed", ["1,,2", "1,", "[[1,,2]]", "[1, 2", "1_0", "x"])
def test_an_empty_place_is_refused(read: Callable[[str], Any], typed: str) -> None:
    """Two commas are a missing number, never one separator."""
    with pytest.raises(ValueError, match=r"empty|cannot be read|is not|do not match") as refused:
        read(typed)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("read", READERS[:2], ids=WHO[:2])
@pytest.mark.parametrize(
    "typed",
    [
        "1,2\r\n\r\n3,4\n",
        "1;2\r\n3; 4",
        "1e0 2.0\n3 +4",
        "\u3000[1, 2]\n[3, 4]\u00a0",
        "[[1. 2.]\n [3. 4.]]",
        "[[1.e+00 2.e+00]\n [3.e+00 4.e+00]]",
    ],
)
def test_the_ways_to_write_a_table(read: Callable[[str], Any], typed: str) -> None:
    """All notations of a table give the same numbers."""
    assert read(typed) == [[1, 2], [3, 4]]


@pytest.mark.parametrize("read", READERS[:2], ids=WHO[:2])
@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (" ,;\n", "An empty cell in row 0 is not a number"),
        ("[[1, null]]", "An empty cell in row 0"),
        ("1 2\n3 x", "'x' in row 1 is not a number"),
        ("1_000", "'1_000' in row 0 is not a number"),
        ("[[1], [true]]", "'true' in row 1"),
        ('[["1"]]', "'1' in row 0 is not a number"),
        ("[[[1]]]", "A list in row 0 is not a number"),
        ('[[{"a":1}]]', "An object in row 0"),
        ("1 2\n3", "Row 1 has 1 numbers and row 0 has 2"),
        ("[[], []]", "2 x 0 is outside"),
        ("[[1" + "0" * 400 + "]]", "is not a finite number"),
        ("[[Infinity, 1]]", "is not a finite number"),
        ("[1 a]", "'[1 a]' cannot be read as nested lists"),
        ("[" * 5000, "cannot be read as nested lists"),
        ("[[1], 2]", "is not a list of rows"),
        ("9" * 1_000_001, "1,000,001 characters"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(
    read: Callable[[str], Any], typed: str, words: str
) -> None:
    """Text that is no table is refused in one short sentence."""
    with pytest.raises((WeightsError, MatrixError)) as refused:
        read(typed)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize("cell", ["=1", "-1", "@x", "|x", "＝1", " =1", "\t1", "\x00=1"])
def test_a_cell_that_could_be_a_formula_is_quoted(cell: str) -> None:
    """A spreadsheet shows the text and runs nothing."""
    assert formula_safe(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "3", "a=b", "lookup", "'=1"])
def test_other_cells_are_left_alone(cell: str) -> None:
    """Plain text reaches the file unchanged."""
    assert formula_safe(cell) == cell
