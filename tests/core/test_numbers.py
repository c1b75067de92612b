"""One reader for typed numbers, whoever asks; one rule for cells of a spreadsheet."""

from collections.abc import Callable
from typing import Any

import pytest

from embviz.bag.matrix import parse_matrix
from embviz.core.ids import parse_ids
from embviz.core.numbers import formula_safe
from embviz.core.weights import parse_weights

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
@pytest.mark.parametrize("typed", ["1,,2", "1,", ",1", "[[1,,2]]", "[[1,]]", "[1, 2", "1_0", "x"])
def test_an_empty_place_is_refused(read: Callable[[str], Any], typed: str) -> None:
    """Two commas are a missing number, never one separator."""
    with pytest.raises(ValueError, match=r"empty|cannot be read|is not|do not match") as refused:
        read(typed)
    assert str(refused.value).isprintable()


DANGEROUS = [
    *["=1", "+1", "-1", "@x", "|x", "%x", "＝1", "＋1", "－1", "＠x"],
    " =1",
    "\t1",
    "\r=1",
    "\n1",
    "\x00=1",
]


@pytest.mark.parametrize("cell", DANGEROUS)
def test_a_cell_that_could_be_a_formula_is_quoted(cell: str) -> None:
    """A spreadsheet shows the text and runs nothing."""
    assert formula_safe(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "3", "a=b", "lookup", "'=1"])
def test_other_cells_are_left_alone(cell: str) -> None:
    """Plain text reaches the file unchanged."""
    assert formula_safe(cell) == cell
