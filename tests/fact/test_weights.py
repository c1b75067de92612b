"""Uploaded weights: files are read, or refused by name."""

import re

import numpy as np
import pytest

from embviz.fact.weights import read_weights
from embviz.text.refused import Refused
from tests.text.archives import npy, zipped

ONE = npy(np.zeros((2, 3)))
FILES = {
    "w.npy": [
        (ONE[:-1], "this is not a .npy array, or a broken one."),
        (npy([[True]]), "is not numbers"),
        (npy([0.0, 0, 0]), "a shape of (3,) is no table"),
        (npy([[np.nan]]), "nan at row 0, column 0"),
        (b"\0" * 16_004_097, "it has 16,004,097 bytes, more than the 16,004,096 allowed."),
        (npy(np.zeros((2_000, 1_001), "f4")), "2,000 x 1,001 is outside"),
    ],
    "w.npz": [
        (b"PK\x05\x06", "this is not a .npz archive, or a broken one."),
        (zipped({"a.npy": ONE, "b.npy": ONE}), "it holds 2 arrays; a table is one."),
        (zipped({"a.npy": ONE[:20] + b"\0" * 50_000_000}), "it has 50,000,020 bytes, more than"),
    ],
    "w.csv": [(b"\xff\xfe1", "is not UTF-8 text")],
}


@pytest.mark.parametrize(
    ("name", "content", "words"), [(name, *case) for name in FILES for case in FILES[name]]
)
def test_a_file_that_is_no_table_is_refused_by_name(name: str, content: bytes, words: str) -> None:
    """Its name, and what is wrong with it."""
    with pytest.raises(Refused, match=f"^'{name}'.*{re.escape(words)}"):
        read_weights(name, content)


def test_files_of_any_number_type_and_the_largest_are_read() -> None:
    """Any byte and memory order keeps its values."""
    for dtype in ("float16", "int64", ">f4"):
        array = np.arange(6).astype(dtype).reshape(3, 2).T
        for name, content in (("W.NPY", npy(array)), ("W.NPZ", zipped({"a.npy": npy(array)}))):
            assert read_weights(name, content).tolist() == array.tolist()
    assert read_weights("w.txt", "\ufeff0 1".encode()).tolist() == [[0, 1]]
    assert read_weights("w.npy", npy(np.zeros((2_000, 1_000)))).shape == (2_000, 1_000)
