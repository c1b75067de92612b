"""A person's own weights: files are read, or refused by name; the bounds of both kinds."""

import re

import numpy as np
import pytest

from embviz.fact.weights import (
    LINEAR,
    MAX_FILE_BYTES,
    Reading,
    check_weights,
    parse_weights,
    read_weights,
)
from embviz.text.refused import Refused
from embviz.ui.elements.widgets import FILE_MB
from tests.text.archives import npy, zipped

OF_LINEAR = Reading(kind=LINEAR)
ONE = npy(np.zeros((2, 3)))
FILES = {
    "w.npy": [
        (npy([[True]]), "is not numbers"),
        (npy([0.0, 0, 0]), "a shape of (3,) is no table"),
        (npy([[np.nan]]), "nan at row 0, column 0"),
        (npy(np.zeros((2_000, 1_001), "f4")), "2,000 × 1,001 is outside"),
    ],
    "w.npz": [
        (zipped({"a.npy": ONE, "b.npy": ONE}), "it holds 2 arrays; a table is one."),
    ],
    "w.csv": [
        (b"\xff\xfe1", "it begins as UTF-16, and goes on as no text."),
    ],
}


@pytest.mark.parametrize(
    ("name", "content", "words"), [(name, *case) for name in FILES for case in FILES[name]]
)
def test_a_file_that_is_no_table_is_refused_by_name(name: str, content: bytes, words: str) -> None:
    """The refusal has the file's name, and what is wrong with it."""
    with pytest.raises(Refused, match=f"^'{name}'.*{re.escape(words)}"):
        read_weights(name, content)


def test_files_of_any_number_type_and_the_largest_are_read() -> None:
    """Any byte and memory order keeps its values."""
    for dtype in ("float16", "int64", ">f4"):
        array = np.arange(6).astype(dtype).reshape(3, 2).T
        for name, content in (("W.NPY", npy(array)), ("W.NPZ", zipped({"a.npy": npy(array)}))):
            assert read_weights(name, content).weight.tolist() == array.tolist()
    assert read_weights("w.txt", "\ufeff0 1".encode()).weight.tolist() == [[0, 1]]
    assert read_weights("w.npy", npy(np.zeros((2_000, 1_000)))).weight.shape == (2_000, 1_000)


def test_a_linear_weight_has_a_column_for_each_word() -> None:
    """The bounds are those of a table, turned; a table of many words is told to be transposed."""
    text = "\n".join(" ".join(["-0.12345678901234567"] * 20_000) for _ in range(3))
    for given in (
        parse_weights(text, OF_LINEAR),
        read_weights("w.npy", npy(np.zeros((3, 20_000))), OF_LINEAR),
        read_weights("w.csv", text.encode(), OF_LINEAR),
    ):
        assert given.weight.shape == (3, 20_000)
    for shape in ((2, 1_000_000), (1_024, 1_000)):
        assert check_weights(np.zeros(shape, "f4"), kind=LINEAR).shape == shape
    for shape, words in {
        (1_025, 1): "a Linear.weight of 1,025 × 1 is outside 1 to 1,024 rows, 1 to 1,000,000",
        (20_000, 3): "outside.* It has a row for each output: transpose it",
        (1, 1_000_001): "1,000,001 is outside",
        (3, 666_667): "and 2,000,000 numbers",
    }.items():
        with pytest.raises(Refused, match=words):
            check_weights(np.zeros(shape), kind=LINEAR)
    with pytest.raises(Refused, match=re.escape("a table of 3 × 20,000 is outside")):
        parse_weights(text)


def test_an_upload_may_have_the_largest_file() -> None:
    """The page's limit on a file of weights lets the largest array through."""
    assert 0 <= FILE_MB * 2**20 - MAX_FILE_BYTES < 2**20
