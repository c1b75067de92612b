"""What a person types or uploads: ids, tables and files are read or refused in words."""

import ast
import contextlib
import re
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.fact.ids import parse_ids
from embviz.fact.weights import parse_weights, read_weights
from embviz.text.files import read_array, read_arrays
from embviz.text.refused import Refused
from tests.text.archives import npy, zipped

DEEP = "[" * 8 + "9" + "]" * 8


def ten(typed: str) -> torch.Tensor:
    """Ids of a table with ten rows."""
    return parse_ids(typed, 10)


def test_ids_and_tables_keep_their_values_and_shape() -> None:
    """Bare numbers, lines and lists, as Python and numpy print them."""
    for typed, ids in [
        ("\u30002 3,+1\u00a0", [2, 3, 1]),
        ("[7]", [7]),
        ("[ [1 , 3 ]\n [0, 9] ]", [[1, 3], [0, 9]]),
        (" \n", []),
        ("[[],[]]", [[], []]),
        (DEEP, ast.literal_eval(DEEP)),
        ("0 " * 100_000, [0] * 100_000),
        ("2; 3;1", [2, 3, 1]),
        ("1 2 3" + " " * 1_000_000, [1, 2, 3]),
    ]:
        assert (ten(typed).dtype, ten(typed).tolist()) == (torch.int64, ids)
    for typed in [
        "1,2\r\n\r\n3,4\n",
        "1;2\r\n3; 4",
        "1e0 2.0\n3\t+4",
        "\u3000[1, 2]\n[3, 4]\u00a0",
        "[[1.e+00 2.]\n [.3e+01 4.]]",
    ]:
        table = parse_weights(typed)
        assert (table.dtype, table.tolist()) == (torch.float64, [[1, 2], [3, 4]])
    assert parse_weights("[1, 2]").tolist() == [[1, 2]]
    assert parse_weights("1 " * 1024 + " " * 997_952).shape == (1, 1024)


REFUSED = {
    ten: {
        "[[1,2],[3]]": "ragged",
        "[1, 2.0]": "2.0 at index 1 is not an id",
        "[[1,2],[3,1000]]": "Id 1,000 at index 3 is too large",
        "10": "Id 10 at index 0 is too large",
        "1_0": "'1_0' is not a number",
        "٣": "'٣'",
        "1\x1b[31m": "'1\\x1b'",
        "[1,\n[2": "brackets",
        "9" * 5_000: "'99999",
        "9" * 4_000: "of more than 18 digits at index 0 is too large",
        f"[{DEEP}]": "more than 8 levels",
        "[" * 5_000 + "]" * 5_000: "nested in",
        "0 " * 100_001: "100,001 ids are more than the 100,000 allowed",
        "9" * 900_001: "is not a number. Write ids as 2 3 1",
        "1" + " " * 800_000 + ",": "has nothing after its last comma",
        "[1]," * 99_000: "brackets",
        "[1]," * 200_000: "200,000 ids are more than the 100,000 allowed",
        "1 " * 3 + " " * 2_000_000: "2,000,006 characters of ids are more than the 1,900,000",
        "1,2;3,4": "has semicolons, and commas or blanks between its numbers. Write ids as",
        "1,２ｘ": "'２ｘ' is not a number",
    },
    parse_weights: {
        "": "No weights were given",
        "1,,2": "'1,,2' has nothing between two commas",
        "[[1, null]]": "'null' is not a number",
        "[[[1]]]": "not a list of rows",
        "[[1], 2]": "not a list of rows",
        "1 2\n3": "Row 1 has 1 numbers and row 0 has 2",
        "[[], []]": "2 x 0 is outside",
        "1 " * 1025: "a table of 1 x 1,025 is outside",
        "[[1" + "0" * 400 + "]]": "inf at row 0, column 0 is not a finite number",
        "1 2\n3 nan": "nan at row 1, column 1",
        "9" * 1_000_001: "inf at row 0, column 0 is not a finite number",
        " " * 50_000_001: "50,000,001 characters are more than the 50,000,000 allowed",
    },
}


def test_what_is_neither_ids_nor_a_table_is_refused_at_once() -> None:
    """It is quoted in a short, printable sentence, within seconds; an id may have a fix."""
    for read, cases in REFUSED.items():
        for typed, said in cases.items():
            start = time.perf_counter()
            with pytest.raises(Refused, match=re.escape(said)) as refused:
                read(typed)
            assert time.perf_counter() - start < 10
            assert len(str(refused.value)) < 300
            assert str(refused.value).isprintable()
    for token, fixes in ((12, [{"rows": 13}]), (999_999, [{"rows": 1_000_000}]), (10**6, [])):
        with pytest.raises(Refused) as refused:
            ten(f"1 {token} 3")
        assert [*refused.value.fixes.values()] == fixes


def test_blanks_are_no_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hosted, ids are counted, not the characters around them, before they are read."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert ten("1 2 3" + " " * 80_000).tolist() == [1, 2, 3]
    assert ten("[[1,\n" + " " * 80_000 + "2]]").tolist() == [[1, 2]]
    for typed in ("1 " * 10_001, "[" + "1," * 10_000 + "x]", "１，" * 10_001):
        with pytest.raises(Refused, match="10,001 ids are more than the 10,000 allowed"):
            ten(typed)
    with pytest.raises(Refused, match="2,000,000 characters of ids are more than the 90,000"):
        ten(" " * 2_000_000)


HEADER = npy(np.zeros((2, 3)))
ONE = zipped({"a.npy": HEADER})


def lying(real: bytes, claimed: bytes, content: bytes = HEADER) -> bytes:
    """A file with other bytes in the place of its own, of the same length or before blanks."""
    real = real.ljust(len(claimed))
    assert real in content
    return content.replace(real, claimed)


FILES = {
    "w.npy": [
        (lying(b"NUMPY", b"NUMPX"), "not a .npy array"),
        (HEADER[:-1], "but 47 bytes are there"),
        (lying(b"(2, 3), }", b"(0, 9999999999999999999999), }")[:-48], "but 0 bytes are there"),
        (lying(b"(2, 3), }", b"(-2,-3),}"), "but 48 bytes are there"),
        (lying(b"(2, 3), }", b"(1, 1, 2, 3), }"), "says it is"),
        (npy([[{}]]), "Python objects, which are never read"),
        (npy([[True]]), "is not numbers"),
        (npy([0.0, 0, 0]), "a shape of (3,) is no table"),
        (npy([[np.nan]]), "nan at row 0, column 0"),
        (b"\0" * 16_004_097, "16,004,097 bytes are more than"),
        (npy(np.zeros((2_000, 1_001), "f4")), "2,000 x 1,001 is outside"),
    ],
    "w.npz": [
        (b"PK\x05\x06", "not a .npz archive"),
        (zipped({"a.npy": HEADER, "b.npy": HEADER}), "holds 2 arrays"),
        (zipped({"a.txt": HEADER}), "'a.txt' is no part of"),
        (zipped({f"{n}.npy": b"" for n in range(17)}), "more than 16 members"),
        (zipped({"a.npy": HEADER[:20] + b"\0" * 50_000_000}), "unpacked it would have"),
        (  # its directory claims less than it unpacks to: 50 million bytes
            lying(b"\x80\xf0\xfa\2", b"d\0\0\0", zipped({"a.npy": b"\0" * 50_000_000})),
            "not a .npz archive",
        ),
    ],
    "w.csv": [(b"\xff\xfe1", "is not UTF-8 text")],
}


@pytest.mark.parametrize(
    ("name", "content", "words"), [(name, *case) for name in FILES for case in FILES[name]]
)
def test_files_that_lie_or_break(name: str, content: bytes, words: str) -> None:
    """A broken or forged file is refused by name, before its claimed size is allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match=f"^'{name}'.*{re.escape(words)}"):
            read_weights(name, content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000 + 2 * len(content)


def test_files_of_any_number_type_and_the_largest_are_read() -> None:
    """Any byte and memory order keeps its values; members of an archive are read by name."""
    for dtype in ("float16", "int64", ">f4"):
        array = np.arange(6).astype(dtype).reshape(3, 2).T
        for name, content in (("W.NPY", npy(array)), ("W.NPZ", zipped({"a.npy": npy(array)}))):
            assert read_weights(name, content).tolist() == array.tolist()
    assert read_weights("w.txt", "\ufeff0 1".encode()).tolist() == [[0, 1]]
    assert read_array(HEADER, len(HEADER)).shape == (2, 3)
    assert read_weights("w.npy", npy(np.zeros((2_000, 1_000)))).shape == (2_000, 1_000)
    members = {"a.npy": npy([0, 1, 2]), "b.npy": npy("csr")}
    content, size = zipped(members), sum(map(len, members.values()))
    found = read_arrays(content, size, {"a", "b"})
    found["a"][0] = 5
    assert (found["a"].tolist(), str(found["b"])) == ([5, 1, 2], "csr")
    for file, most, names, words in [
        (content, size - 1, None, "unpacked"),
        (content, size, {"a"}, r"'b\.npy' is no part of a box"),
        (lying(b"b.npy", b"a.npy", content), size, None, "there twice"),
    ]:
        with pytest.raises(Refused, match=words):
            read_arrays(file, most, names, "a box")


@settings(deadline=None)
@given(st.text(alphabet='[]{}:"\\, \n;0123456789.-+eEtruefalsnNIyx') | st.text())
@pytest.mark.parametrize("read", REFUSED)
def test_any_text_is_read_or_refused(read: Any, typed: str) -> None:
    """Nothing that is typed raises anything but a refusal."""
    with contextlib.suppress(Refused):
        read(typed)
