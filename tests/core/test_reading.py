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
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.archive import MAX_MEMBERS, read_array, read_arrays
from embviz.core.refused import Refused
from embviz.core.typed import MAX_RANK, MAX_TYPED, parse_ids, read_table, unescape
from embviz.core.weights import parse_weights, read_weights
from tests.core.archives import npy, zipped

DEEP = "[" * MAX_RANK + "9" + "]" * MAX_RANK


def ten(typed: str) -> torch.Tensor:
    """Ids of a table with ten rows."""
    return parse_ids(typed, 10)


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("\u30002 3 1\u00a0", [2, 3, 1]),
        ("2 3,+1", [2, 3, 1]),
        ("[7]", [7]),
        ("[ [1 , 3 ]\n [0, 9] ]", [[1, 3], [0, 9]]),
        (" \n", []),
        ("[[],[]]", [[], []]),
        (DEEP, ast.literal_eval(DEEP)),
        ("0 " * 100_000, [0] * 100_000),
    ],
)
def test_ids_keep_their_values_and_shape(typed: str, ids: list[object]) -> None:
    """Bare numbers and nested lists of any rank become int64."""
    expected = torch.tensor(ids, dtype=torch.int64)
    torch.testing.assert_close(ten(typed), expected, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("read", "typed", "said"),
    [
        *(
            (ten, typed, said)
            for typed, said in [
                ("[[1,2],[3]]", "ragged"),
                ("[[1],2]", "ragged"),
                ("[1, 2.0]", "2.0 at position 1 is not an id"),
                ("[[0],[-1]]", "Id -1 is negative"),
                ("[[1,2],[3,1000]]", "Id 1,000 at position 3 is too large"),
                ("10", "Id 10 at position 0 is too large"),
                ("1 2 x", "'x' is not a number"),
                ("1_0", "'1_0'"),
                ("٣", "'٣'"),
                ("1\x1b[31m", "'1\\x1b'"),
                ("[1,\n[2", "brackets"),
                ("9" * 5_000, "'99999"),
                ("9" * 4_000, "of more than 18 digits at position 0 is too large"),
                (f"[{DEEP}]", "more than 8 levels"),
                ("[" * 5_000 + "]" * 5_000, "brackets"),
                ("0 " * 100_001, "100,001 ids are more than the 100,000 allowed"),
                ("9" * 900_001, "ids of 9 characters"),
                ("1" + " " * 800_000 + ",", "commas"),
                ("[1]," * 200_000, "brackets"),
            ]
        ),
        *(
            (parse_weights, typed, said)
            for typed, said in [
                ("", "No weights were given"),
                ("1,,2", "commas"),
                ("[[1, null]]", "'null' is not a number"),
                ("1_000", "'1_000'"),
                ('[["1"]]', "is not a number"),
                ("[[[1]]]", "not a list of rows"),
                ("[[1], 2]", "not a list of rows"),
                ("1 2\n3", "Row 1 has 1 numbers and row 0 has 2"),
                ("1\n2 3", "Row 1 has 2 numbers and row 0 has 1"),
                ("[[], []]", "2 x 0 is outside"),
                ("1 " * 1025, "1 x 1,025 is outside"),
                ("[[1" + "0" * 400 + "]]", "inf at row 0, column 0 is not a finite number"),
                ("1 2\n3 nan", "nan at row 1, column 1"),
                ("[" * 5000, "brackets"),
                ("9" * (MAX_TYPED + 1), "1,000,001 characters"),
            ]
        ),
    ],
)
def test_what_is_neither_ids_nor_a_table_is_refused_at_once(
    read: Callable[[str], Any], typed: str, said: str
) -> None:
    """It is quoted in a short, printable sentence, within seconds."""
    start = time.perf_counter()
    with pytest.raises(Refused) as refused:
        read(typed)
    words = str(refused.value)
    assert said in words
    assert (len(words) < 300, words.isprintable()) == (True, True)
    assert time.perf_counter() - start < 10


def test_an_id_beyond_the_table_offers_rows_where_there_can_be_so_many() -> None:
    """The fix has one row more than the largest id, up to a million."""
    for token, fixes in ((12, [{"rows": 13}]), (999_999, [{"rows": 1_000_000}]), (10**6, [])):
        with pytest.raises(Refused) as refused:
            ten(f"1 {token} 3")
        assert [*refused.value.fixes.values()] == fixes


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
    assert parse_weights("[1, 2]").tolist() == [[1, 2]]
    assert parse_weights("1 " * 1024 + " " * (MAX_TYPED - 2048)).shape == (1, 1024)


HEADER = npy(np.zeros((2, 3)))


def lying(size: int) -> bytes:
    """A zip of a member whose directory claims fewer bytes than it unpacks to."""
    content, real = zipped({"a.npy": b"\0" * 50_000_000}), (50_000_000).to_bytes(4, "little")
    return content.replace(real, size.to_bytes(4, "little"))


def of_shape(shape: bytes) -> bytes:
    """An array whose header claims another shape."""
    return HEADER.replace(b"(2, 3), }".ljust(len(shape)), shape)


FILES = {
    "w.npy": [
        (b"", "not a .npy array"),
        (b"\x93NUMPX" + HEADER[6:], "not a .npy array"),
        (HEADER[:-1], "but 47 bytes are there"),
        (HEADER + b"\0", "but 49 bytes are there"),
        (of_shape(b"(2, 9), }"), "but 48 bytes are there"),
        (of_shape(b"(0, 9999999999999999999999), }")[:-48], "but 0 bytes are there"),
        (of_shape(b"(-2,-3),}"), "but 48 bytes are there"),
        (of_shape(b"(1, 1, 2, 3), }"), "says it is"),
        (HEADER.replace(b"'<f8'", b"-------9"), "not a .npy array"),
        (b"\x93NUMPY\2\0" + b"\xff" * 4 + HEADER[10:], "not a .npy array"),
        (npy(np.array([[{}]], dtype=object)), "Python objects, which are never read"),
        (npy(np.array([["a"]])), "is not numbers"),
        (npy(np.zeros((2, 3), dtype=complex)), "is of type"),
        (npy(np.array(["a" * 101])), "is of type"),
        (npy(np.zeros(3)), "a shape of (3,) is no table"),
        (npy(np.full((2, 2), np.nan)), "nan at row 0, column 0"),
        (b"\0" * 16_100_000, "16,100,000 bytes are more than"),
        (npy(np.zeros((2_000, 1_001), dtype=bool)), "is not numbers"),
        (npy(np.zeros((2_000, 1_001), dtype="f4")), "2,000 x 1,001 is outside"),
    ],
    "w.npz": [
        (b"PK\x05\x06", "not a .npz archive"),
        (zipped({"a.npy": HEADER, "b.npy": HEADER}), "holds 2 arrays"),
        (zipped({"a.txt": HEADER}), "'a.txt' is no part of"),
        (zipped({"a.npy": HEADER}, zipfile.ZIP_LZMA), "method 14"),
        (
            zipped({"a.npy": HEADER}).replace(b"PK\1\2\x14\3\x14\0\0", b"PK\1\2\x14\3\x14\0\1"),
            "encrypted",
        ),
        (zipped({f"{n}.npy": b"" for n in range(MAX_MEMBERS + 1)}), "more than 16 members"),
        (zipped({"a.npy": HEADER[:20] + b"\0" * 50_000_000}), "unpacked it would have"),
        (lying(100), "not a .npz archive"),
        (zipped({"a.npy": HEADER}, 0).replace(b"\0" * 48, b"\1" * 48), "not a .npz archive"),
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
        with pytest.raises(Refused) as refused:
            read_weights(name, content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(refused.value).startswith(f"'{name}'")
    assert words in str(refused.value)
    assert peak < 2_000_000 + 2 * len(content)


def test_an_archive_holds_the_arrays_it_should() -> None:
    """Members are read by name; others, two of one name, and too much are refused."""
    members = {"a.npy": npy(np.arange(3)), "b.npy": npy(np.array("csr"))}
    content, size = zipped(members), sum(map(len, members.values()))
    found = read_arrays(content, size, {"a", "b"})
    assert (found["a"].tolist(), str(found["b"])) == ([0, 1, 2], "csr")
    found["a"][0] = 5
    for given_, most, names, words in [
        (content, size - 1, None, "unpacked"),
        (content, size, {"a"}, r"'b\.npy' is no part of a box"),
        (content.replace(b"b.npy", b"a.npy"), size, None, "there twice"),
    ]:
        with pytest.raises(Refused, match=words):
            read_arrays(given_, most, names, "a box")
    sixteen = {f"{n}.npy": HEADER for n in range(MAX_MEMBERS)}
    assert len(read_arrays(zipped(sixteen), 10_000)) == MAX_MEMBERS


@pytest.mark.parametrize(("dtype", "order"), [("float16", "C"), ("int64", "F"), (">f4", "F")])
def test_arrays_of_any_number_type(dtype: str, order: Any) -> None:
    """Arrays of any number type, byte order and memory order keep their values."""
    array = np.arange(6, dtype=dtype).reshape(2, 3, order=order)
    assert read_weights("W.NPY", npy(array)).tolist() == array.tolist()
    assert read_weights("w.npz", zipped({"w.npy": npy(array)})).tolist() == array.tolist()
    assert read_weights("w.txt", "\ufeff0 1".encode()).tolist() == [[0, 1]]


def test_what_is_just_small_enough_is_read() -> None:
    """The largest file and table are read."""
    assert read_array(HEADER, len(HEADER)).shape == (2, 3)
    assert read_weights("w.npy", npy(np.zeros((2_000, 1_000), "f4"))).shape == (2_000, 1_000)


@settings(deadline=None)
@given(st.text(alphabet='[]{}:"\\, \n;0123456789.-+eEtruefalsnNIyx') | st.text())
@pytest.mark.parametrize("read", [ten, read_table, parse_weights])
def test_any_text_is_read_or_refused(read: Callable[[str], Any], typed: str) -> None:
    """Nothing that is typed raises anything but a refusal."""
    with contextlib.suppress(Refused):
        read(typed)


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(0, 130), st.booleans())
def test_any_damage_is_read_or_refused(noise: bytes, place: int, in_zip: bool) -> None:
    """A file with damage anywhere is a table of finite numbers or a refusal."""
    damaged = HEADER[:place] + noise + HEADER[place + len(noise) :]
    content = zipped({"a.npy": damaged}) if in_zip else damaged
    with contextlib.suppress(Refused):
        assert read_weights("w.npz" if in_zip else "w.npy", content).isfinite().all()


@given(st.text())
def test_any_text_can_be_typed_in_escapes(text: str) -> None:
    """Every text comes back from its escapes, and each escape means what it does in Python."""
    assert unescape(text.encode("unicode_escape").decode("ascii")) == text
    for escape in [*(f"\\{c}" for c in "ntr0abfv\\'\""), r"\xE9", r"\u00e9", r"\U0001f600"]:
        assert unescape(f"a{escape}b") == ast.literal_eval(f'"a{escape}b"')


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
