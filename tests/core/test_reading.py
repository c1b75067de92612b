"""What a person types or uploads: ids, tables, files and escapes are read or refused in words."""

import ast
import contextlib
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from embviz.core.archive import MAX_MEMBERS, read_arrays
from embviz.core.refused import Refused
from embviz.core.typed import MAX_RANK, MAX_TYPED, parse_ids, read_table, unescape
from embviz.core.weights import parse_weights, read_weights
from tests.core.archives import npy, zipped


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("\u30002 3 1\u00a0", [2, 3, 1]),
        ("2 3,1", [2, 3, 1]),
        ("[7]", [7]),
        ("[[1 3]\n [0 1]]", [[1, 3], [0, 1]]),
        ("[ [1 , 3 ] ,\n[0, 9] ]", [[1, 3], [0, 9]]),
        ("[[[1],[2]]]", [[[1], [2]]]),
        (" \n", []),
        ("[[],[]]", [[], []]),
    ],
)
def test_ids_keep_their_values_and_shape(typed: str, ids: list[object]) -> None:
    """Bare numbers and nested lists of any rank become int64."""
    parsed = parse_ids(typed, 10)
    assert parsed.dtype is torch.int64
    assert parsed.tolist() == ids
    assert parsed.shape == torch.tensor(ids).shape


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("[[1,2],[3]]", "ragged"),
        ("[[1],2]", "ragged"),
        ("[1, 2.0]", "2.0 at position 1 is not an id"),
        ("[[0],[-7]]", "Id -7 is negative"),
        ("[[1,2],[3,1000]]", "Id 1,000 at position 3 is too large"),
        ("10", "Id 10 at position 0 is too large"),
        ("1 2 x", "'x' is not a number"),
        ("1_0", "'1_0'"),
        ("٣", "'٣'"),
        ("1\x1b[31m", "'1\\x1b'"),
        ("[1,\n[2", "brackets"),
        ("1,,2", "commas"),
        ("[1] 2 3]", "brackets"),
        ("9" * 5_000, "'99999"),
        ("9" * 4_000, "of more than 18 digits at position 0 is too large"),
        ("[" * (MAX_RANK + 1) + "1" + "]" * (MAX_RANK + 1), "more than 8 levels"),
        ("[" * 5_000 + "]" * 5_000, "brackets"),
        ("0 " * 100_001, "100,001 ids are more than the 100,000 allowed"),
        ("9" * 900_001, "ids of 9 characters"),
        ("1" + " " * 800_000 + ",", "commas"),
        ("[1]," * 200_000, "brackets"),
    ],
)
def test_bad_ids_are_refused_at_once_in_one_line(typed: str, said: str) -> None:
    """What is no id is quoted in a short, printable sentence, within seconds."""
    start = time.perf_counter()
    with pytest.raises(Refused) as refused:
        parse_ids(typed, 10)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 300
    assert str(refused.value).isprintable()
    assert time.perf_counter() - start < 10


def test_an_id_beyond_the_table_offers_rows_where_there_can_be_so_many() -> None:
    """The fix has one row more than the largest id, up to a million."""
    for token, fixes in ((12, [{"rows": 13}]), (999_999, [{"rows": 1_000_000}]), (10**6, [])):
        with pytest.raises(Refused) as refused:
            parse_ids(f"1 {token} 3", 10)
        assert [*refused.value.fixes.values()] == fixes
    assert parse_ids("[" * MAX_RANK + "9" + "]" * MAX_RANK, 10).dim() == MAX_RANK
    assert len(parse_ids("0 " * 100_000, 1)) == 100_000


@pytest.mark.parametrize(
    "typed",
    [
        "1,2\r\n\r\n3,4\n",
        "1;2\r\n3; 4",
        "1e0 2.0\n3\t+4",
        "\u3000[1, 2]\n[3, 4]\u00a0",
        "[[1. 2.]\n [3. 4.]]",
        "[[1.e+00 2.e+00]\n [.3e+01 4.e+00]]",
    ],
)
def test_the_ways_to_write_a_table(typed: str) -> None:
    """CSV, lines and lists, as Python and numpy print them, give the same float64 numbers."""
    table = parse_weights(typed)
    assert (table.dtype, table.tolist()) == (torch.float64, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "No weights were given"),
        ("1,,2", "commas"),
        ("[[1, null]]", "'null' is not a number"),
        ("1 2\n3 x", "'x'"),
        ("1_000", "'1_000'"),
        ('[["1"]]', "is not a number"),
        ("[[[1]]]", "not a list of rows"),
        ("[[1], 2]", "not a list of rows"),
        ("1 2\n3", "Row 1 has 1 numbers and row 0 has 2"),
        ("[[], []]", "2 x 0 is outside"),
        ("1 " * 1025, "1 x 1,025 is outside"),
        ("[[1" + "0" * 400 + "]]", "inf at row 0, column 0 is not a finite number"),
        ("1 2\n3 nan", "nan at row 1, column 1"),
        ("[" * 5000, "brackets"),
        ("9" * (MAX_TYPED + 1), "1,000,001 characters"),
    ],
)
def test_what_is_no_table_is_refused(typed: str, words: str) -> None:
    """Text that is no table of weights is refused in one short sentence."""
    with pytest.raises(Refused) as refused:
        parse_weights(typed)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 300


HEADER = npy(np.zeros((2, 3)))
BOMB = {"a.npy": HEADER[:20] + b"\0" * 50_000_000}


def lying(size: int) -> bytes:
    """A zip of a member whose directory claims fewer bytes than it unpacks to."""
    content, real = zipped({"a.npy": b"\0" * 50_000_000}), (50_000_000).to_bytes(4, "little")
    return content.replace(real, size.to_bytes(4, "little"))


def version_2(length: int) -> bytes:
    """The start of an array whose header claims this length."""
    return b"\x93NUMPY\2\0" + length.to_bytes(4, "little") + HEADER[10:]


FILES = [
    ("w.npy", b"", "not a .npy array"),
    ("w.npy", b"\x93NUMPX" + HEADER[6:], "not a .npy array"),
    ("w.npy", HEADER[:-1], "but 47 bytes are there"),
    ("w.npy", HEADER + b"\0", "but 49 bytes are there"),
    ("w.npy", HEADER.replace(b"(2, 3)", b"(2, 9)"), "but 48 bytes are there"),
    ("w.npy", HEADER[:-48].replace(b"(2, 3), }         ", b"(0, 9999999999), }"), "says it is"),
    ("w.npy", HEADER.replace(b"(2, 3)", b"(-2,3)"), "but 48 bytes are there"),
    ("w.npy", HEADER.replace(b"'<f8'", b"-------9"), "not a .npy array"),
    ("w.npy", version_2(2**32 - 1), "not a .npy array"),
    ("w.npy", npy(np.array([[{}]], dtype=object)), "Python objects, which are never read"),
    ("w.npy", npy(np.array([["a"]])), "is not numbers"),
    ("w.npy", npy(np.zeros((2, 3), dtype=complex)), "is of type"),
    ("w.npy", npy(np.zeros(3)), "a shape of (3,) is no table"),
    ("w.npy", npy(np.full((2, 2), np.nan)), "nan at row 0, column 0"),
    ("w.npy", b"\0" * 16_100_000, "16,100,000 bytes are more than"),
    ("w.npz", b"PK\x05\x06", "not a .npz archive"),
    ("w.npz", zipped({"a.npy": HEADER, "b.npy": HEADER}), "holds 2 arrays"),
    ("w.npz", zipped({"a.txt": HEADER}), "'a.txt' is no part of"),
    ("w.npz", zipped({"a.npy": HEADER}, zipfile.ZIP_LZMA), "method 14"),
    ("w.npz", zipped({f"{n}.npy": b"" for n in range(MAX_MEMBERS + 1)}), "more than 16 members"),
    ("w.npz", zipped(BOMB), "unpacked it would have"),
    ("w.npz", lying(100), "not a .npz archive"),
    ("w.npz", zipped({"a.npy": HEADER}, 0).replace(b"\0" * 48, b"\1" * 48), "not a .npz archive"),
    ("w.csv", b"\xff\xfe1", "is not UTF-8 text"),
]


@pytest.mark.parametrize(("name", "content", "words"), FILES)
def test_files_that_lie_or_break(name: str, content: bytes, words: str) -> None:
    """A broken or forged file is refused by name, before its claimed size is allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(Refused) as refused:
            read_weights(name, content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(refused.value).startswith(f"'{name}'")
    assert words in str(refused.value)
    assert peak < 2_000_000 + 2 * len(content)


def test_an_archive_holds_the_arrays_it_should() -> None:
    """Members are read by name; others, and two of one name, are refused."""
    content = zipped({"a.npy": npy(np.arange(3)), "b.npy": npy(np.array("csr"))})
    found = read_arrays(content, 10_000, {"a", "b"})
    assert (found["a"].tolist(), str(found["b"])) == ([0, 1, 2], "csr")
    found["a"][0] = 5
    size = len(npy(np.arange(3))) + len(npy(np.array("csr")))
    assert len(read_arrays(content, size)) == 2
    with pytest.raises(Refused, match="unpacked"):
        read_arrays(content, size - 1)
    with pytest.raises(Refused, match=r"'b\.npy' is no part of a box"):
        read_arrays(content, 10_000, {"a"}, "a box")
    twice = content.replace(b"b.npy", b"a.npy")
    with pytest.raises(Refused, match="there twice"):
        read_arrays(twice, 10_000)


@pytest.mark.parametrize(("dtype", "order"), [("float16", "C"), ("int64", "F"), (">f4", "F")])
def test_arrays_of_any_number_type(dtype: str, order: Any) -> None:
    """Arrays of any number type, byte order and memory order keep their values."""
    array = np.arange(6, dtype=dtype).reshape(2, 3, order=order)
    assert read_weights("W.NPY", npy(array)).tolist() == array.tolist()
    assert read_weights("w.npz", zipped({"w.npy": npy(array)})).tolist() == array.tolist()
    assert read_weights("w.txt", "\ufeff0 1".encode()).tolist() == [[0, 1]]


@given(st.text(alphabet='[]{}:"\\, \n;0123456789.-+eEtruefalsnNIyx') | st.text())
@pytest.mark.parametrize("read", [lambda text: parse_ids(text, 50), read_table, parse_weights])
def test_any_text_is_read_or_refused(read: Callable[[str], Any], typed: str) -> None:
    """Nothing that is typed raises anything but a refusal."""
    with contextlib.suppress(Refused):
        read(typed)


@given(st.binary(max_size=200), st.integers(0, 130), st.booleans())
def test_any_damage_is_read_or_refused(noise: bytes, place: int, in_zip: bool) -> None:
    """A file with damage anywhere is a table of finite numbers or a refusal."""
    damaged = HEADER[:place] + noise + HEADER[place + len(noise) :]
    content = zipped({"a.npy": damaged}) if in_zip else damaged
    with contextlib.suppress(Refused):
        assert read_weights("w.npz" if in_zip else "w.npy", content).isfinite().all()


@given(st.text())
def test_any_text_can_be_typed_in_escapes(text: str) -> None:
    """Every text comes back from its escapes."""
    assert unescape(text.encode("unicode_escape").decode("ascii")) == text


@pytest.mark.parametrize("escape", [*(f"\\{c}" for c in "ntr0abfv\\'\""), r"\xE9", r"\U0001f600"])
def test_an_escape_means_what_it_means_in_python(escape: str) -> None:
    """Each escape is the character that Python's source has for it."""
    character = ast.literal_eval(f'"{escape}"')
    assert unescape(f"a{escape}b") == f"a{character}b"


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        (r"a\nb\q", r"'\q' at position 4"),
        ("\\\\\\", r"'\' at position 2"),
        (r"\x1", r"'\x' at position 0"),
        (r"\00", r"'\0' at position 0"),
        (r"\U00110000", r"'\U00110000' at position 0"),
        (r"ab\ud800", r"'\ud800' at position 2"),
        ("a\\\u202e", r"'\\u202e' at position 1"),
    ],
)
def test_what_is_no_escape_is_refused_with_its_place(typed: str, named: str) -> None:
    """An unknown escape is quoted with its position, and can be taken as it is."""
    with pytest.raises(Refused) as refused:
        unescape(typed)
    assert named in str(refused.value)
    assert str(refused.value).isprintable()
    assert [*refused.value.fixes.values()] == [{"escapes": False}]
