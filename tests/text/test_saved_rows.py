"""A saved table is read as it was meant, or refused: no cell changes its place in silence."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from embviz.bag.matrix import parse_matrix
from embviz.fact.weights import Reading, parse_weights
from embviz.text.refused import Refused
from embviz.text.saved import read_saved

Cells = list[list[str]]
FRACTIONS = [[".5", ".25", ".75"], [".1", ".35", ".8"], [".9", ".6", ".45"], [".2", ".4", ".15"]]
WHOLE = [["8", "2", "9"], ["5", "0", "4"], ["7", "6", "1"], ["3", "3", "3"]]
WORDS = ["cat", "dog", "new york", "fox"]
SIGNS = ",", ";", "\t", " "
READERS: dict[str, Callable[[str, str], Any]] = {
    "weights": lambda text, header: parse_weights(text, Reading(header=header), True),
    "matrix": lambda text, header: parse_matrix(text, header, True),
    "words": lambda text, header: parse_weights(text, Reading(header=header, words=True), True),
}


def rows_of(reader: str, text: str, header: str = "auto") -> list[list[float]]:
    """The numbers that a reader finds."""
    found = READERS[reader](text, header)
    rows: list[list[float]] = (found.csr.toarray() if reader == "matrix" else found.weight).tolist()
    return rows


def numbers(cells: Cells) -> list[list[float]]:
    """The numbers of the cells."""
    return [[*map(float, row)] for row in cells]


def table(
    cells: Cells, sign: str, fronts: list[str] | None = None, header: list[str] | None = None
) -> str:
    """The text of a table."""
    rows = [[front, *row] for front, row in zip(fronts, cells, strict=True)] if fronts else cells
    return "\n".join(map(sign.join, [header, *rows] if header else rows))


FRONTS: dict[str, tuple[list[str] | None, list[str] | None]] = {
    "nothing": (None, None),
    "a header": (None, ["a", "b", "c"]),
    "a header that counts": (None, ["0", "1", "2"]),
    "an index": (["0", "1", "2", "3"], ["", "a", "b", "c"]),
    "an index, less a name": (["0", "1", "2", "3"], ["a", "b", "c"]),
    "a named index": (["0", "1", "2", "3"], ["id", "0", "1", "2"]),
    "words": (WORDS, None),
    "words and a header": (WORDS, ["word", "a", "b", "c"]),
    "words, less a name": (WORDS, ["a", "b", "c"]),
}


def broken(cells: Cells) -> Iterator[Cells]:
    """The table with a cell too few or too many, or without a number, in any row."""
    for row in range(len(cells)):
        for change in (cells[row][:-1], [*cells[row], "7"], [*cells[row][:-1], ""]):
            yield [*cells[:row], change, *cells[row + 1 :]]
    yield [*cells[:-1], []]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("reader", READERS)
def test_each_row_has_as_many_numbers_as_the_others(reader: str, front: str, sign: str) -> None:
    """A row of another length is refused, whatever stands in front of it."""
    fronts, header = FRONTS[front]
    if sign == " " and header and header[0] == "":
        header = ['""', *header[1:]]
    if reader == "words" and fronts is not WORDS:
        return
    for cells in (FRACTIONS, WHOLE):
        if cells is FRACTIONS or header != ["0", "1", "2"]:
            assert rows_of(reader, table(cells, sign, fronts, header)) == numbers(cells)
        for wrong in broken(cells):
            if not fronts and not wrong[-1]:
                continue  # a blank line is no row
            text = table(wrong, sign, fronts, header)
            if sign == " " and text.endswith(" "):
                text = text.rstrip()
            with pytest.raises(Refused):
                rows_of(reader, text)


HEADERS = {
    "a,b\n0,5,0,25\n1,5,2,5": "has 2 names, and the next one, '0,5,0,25', has 4 cells",
    ",a,b\n0,0,5,0,25\n1,1,5,2,5": "has 3 names, and the next one, '0,0,5,0,25', has 5 cells",
    "x\n0,5\n1,25": "'x', has 1 name, and the next one, '0,5', has 2 cells.* semicolons",
    "a,b\n.5,.2,.7\n.1,.3,.8": "has 2 names, and the next one, '.5,.2,.7', has 3 cells",
    "a;b\n1;5;7\n1;6;8": "has 2 names, and the next one, '1;5;7', has 3 cells",
    "2 3\ncat .5 .2\ndog .1 .3": "'cat' is not a number",
    '"a,b",c,d\n1,2\n3,4': "has 3 names",
}


@pytest.mark.parametrize("text", HEADERS)
@pytest.mark.parametrize("reader", ["weights", "matrix"])
def test_a_header_has_a_name_for_each_column(reader: str, text: str) -> None:
    """Both counts are in the sentence."""
    with pytest.raises(Refused, match=HEADERS[text]):
        rows_of(reader, text)


@pytest.mark.parametrize("header", ["2,3,4", "2,0,1", "2021,2020,2019", "2018,2020,2022", "7,9,1"])
@pytest.mark.parametrize("index", ["6,7,8,9", "3,1,2,0", "17,4,90,8", "0,2,4,6", ""])
def test_whole_numbers_above_or_beside_fractions_name_them(header: str, index: str) -> None:
    """Each stands once: they are left out of a file, and one press reads them as numbers."""
    fronts = index.split(",") if index else None
    with_index = table(FRACTIONS, ",", fronts)
    with_header = table(FRACTIONS, ",", None, header.split(","))
    for text in {with_index, with_header} - {table(FRACTIONS, ",")}:
        found = READERS["weights"](text, "auto")
        assert found.weight.tolist() == numbers(FRACTIONS)
        assert (found.other, found.said[-12:]) == ("no", "is left out.")
        whole = numbers([line.split(",") for line in text.splitlines()])
        assert rows_of("weights", text, "no") == whole
        typed = parse_weights(text)  # with commas: said, and lost nothing
        assert typed.weight.tolist() == whole or "count" in typed.said
        assert parse_weights(text.replace(",", " ")).weight.tolist() == whole
    years = parse_weights("2019,2020\n.5,.25\n.1,.3")  # they count, so they are left out
    assert years.weight.tolist() == [[0.5, 0.25], [0.1, 0.3]]
    both = table(FRACTIONS, ",", fronts, ["", *header.split(",")]) if fronts else ""
    assert not both or rows_of("matrix", both) == numbers(FRACTIONS)


SAID = {
    "0,0.5,0.25": ([[0, 0.5, 0.25]], "yes"),  # one row: an index, or a number
    "171 2\n.5 .2\n.1 .3": ([[0.5, 0.2], [0.1, 0.3]], "no"),
    "label,0,1\n3.5,.1,.2\n2.5,.3,.4": ([[0.1, 0.2], [0.3, 0.4]], "no"),
    "label,0,1\n3,5,2\n3,8,9": ([[5, 2], [8, 9]], "no"),
    "id,0,1\n7,5,2\n3,8,9": ([[5, 2], [8, 9]], "no"),
    "cat,0,1\ndog,2,0": ([[0, 1], [2, 0]], "words"),
    "cat 0 1\ndog .5 .25": ([[0, 1], [0.5, 0.25]], "words"),
    ",0\n0,0.5\n1,1.5": ([[0.5], [1.5]], "no"),
    "0\t1\t2\n0\t0.5\t0.25\n1\t1.5\t2.5": ([[0.5, 0.25], [1.5, 2.5]], "no"),  # both count
    "0,0,1\n0,0.5,0.25\n1,1.5,2.5": ([[0.5, 0.25], [1.5, 2.5]], "no"),  # the corner is a name
    " 0 1\n0 0.5 0.25\n1 1.0 2.0\n": ([[0.5, 0.25], [1, 2]], "no"),
    "     x     y\n0  0.5  0.25\n1  1.0  2.00": ([[0.5, 0.25], [1, 2]], "no"),
    "# .5 .2\ncat .1 .3\ndog .4 .6": ([[0.5, 0.2], [0.1, 0.3], [0.4, 0.6]], "words"),
    "# x y\n.5 .2": ([[0.5, 0.2]], ""),
    '"new york, ny",.5,.2\ncat,.1,.3': ([[0.5, 0.2], [0.1, 0.3]], "words"),
}


@pytest.mark.parametrize("text", ["?,?\n0.1,0.2", "-,-\n1.5,2", "?\n1.5\n2.5", "x\ny"])
def test_marks_and_words_alone_are_no_header(text: str) -> None:
    """Else the row before would answer for each id, and nothing would say so."""
    with pytest.raises(Refused, match=r"not a number|no word with numbers"):
        READERS["weights"](text, "auto")


@pytest.mark.parametrize("header", ["-3,5,2\n.1,.2,.3", "-3,.5,.25\n1,.1,.2"])
def test_a_sign_makes_a_number_of_its_row(header: str) -> None:
    """No name has one: also a file's row or column with one is read."""
    found = read_saved(header, 99, is_file=True)
    assert found.rows.shape == (2, 3)


@pytest.mark.parametrize(
    "text", ["1,0\n0,2.5", "0.0,1.0\n0.5,0.25", "0,0,1", "1,0\n0,.5\n.5,0", "3,3\n.5,.25"]
)
def test_numbers_alone_are_all_read(text: str) -> None:
    """One whole cell more, an equal one, or a point says that the first line is a row."""
    found = READERS["weights"](text, "auto")
    assert found.weight.tolist() == numbers([line.split(",") for line in text.splitlines()])
    assert found.said == ""


@pytest.mark.parametrize("text", SAID)
def test_what_is_in_front_is_said(text: str) -> None:
    """The sentence says what was taken; the other way is a press where there is one."""
    rows, other = SAID[text]
    found = READERS["weights"](text, "auto")
    assert (found.weight.tolist(), found.other) == (rows, other)
    assert found.said


PRINTS = {
    "  (0, 1)\t5\n  (1, 0)\t3": "The print of a sparse matrix is not a table",
    "<Compressed Sparse Row sparse array of dtype 'int64'\n\twith 1 stored elements and shape "
    "(2, 2)>\n  Coords\tValues\n  (0, 1)\t5": "The print of a sparse matrix",
    "tensor([[0.8]], size=(1, 1), dtype=torch.qint8)": r"quantized tensor.*\.dequantize",
    "     0    1\n0   .5   .2\n..  ...  ...\n9   .1   .2\n\n[10 rows x 2 columns]": "is shortened",
    "     0    1\n0   .5   .2\n..  ...  ...\n9   .1   .2": "is shortened",
    "the .5 .2\nnan .1 .3": "'the' is not a number",
    "cat .5 .2\nfox": "'fox', has 0 numbers after its first cell",
    "cat .5 .2 .7\ndog .1 .3 .8 .9\nfox .4 .1 .3": "'dog .1 .3 .8 .9', has 4 numbers",
}


@pytest.mark.parametrize(("reader", "text"), [*product(["weights", "matrix"], PRINTS)])
def test_the_reason_is_the_true_one(reader: str, text: str) -> None:
    """What is known is named; the line that is wrong is quoted, not the first one."""
    with pytest.raises(Refused, match=PRINTS[text]):
        rows_of(reader, text)


def test_a_header_of_words_and_vectors_is_left_out() -> None:
    """The normal reading offers to look up its words, so that reading takes it too."""
    text = "word,d0,d1\ncat,.5,.2\ndog,.1,.3"
    assert READERS["weights"](text, "auto").other == "words"
    found = READERS["words"](text, "auto")
    assert found.words.encode("dog cat") == [1, 0]
    assert "names the columns: it is left out" in found.said
    typed = parse_weights("cat 0 1\ndog .5 .25", Reading(words=True))
    assert typed.weight.tolist() == [[0, 1], [0.5, 0.25]]
