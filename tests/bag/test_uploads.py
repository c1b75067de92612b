"""Uploads: files that are right, that lie and that break."""

import io
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from embviz.bag.uploads import FORMATS, read_upload
from embviz.text.refused import Refused
from tests.text.archives import npy, zipped

ROWS = np.array([[1, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 0.5]])


def saved(matrix: Any, compressed: bool = False) -> bytes:
    """A matrix as the bytes that scipy.sparse.save_npz writes."""
    stream = io.BytesIO()
    sp.save_npz(stream, matrix, compressed=compressed)
    return stream.getvalue()


def members(form: str) -> dict[str, bytes]:
    """The members of a valid file."""
    with zipfile.ZipFile(io.BytesIO(saved(sp.coo_array(ROWS).asformat(form)))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("form", "name", "part", "words"),
    [
        ("csr", "data", None, "scipy cannot read it: ''data is not a file in the archive''"),
        ("csr", "format", None, "its format is ''; csr, csc, coo are read"),
        ("csr", "format", [b"csr", b"csc"], "its format is ''"),
        (
            "csr",
            "format",
            b"http://evil.example/" * 9,
            "its format is 'http://evil.example/http://evil.example/…'",
        ),
        ("csr", "arr_0", 1, "'arr_0.npy' is no part of a matrix"),
        ("bsr", "format", b"bsr", "its format is 'bsr'; csr, csc, coo are read"),
        ("coo", "shape", [9, 10**12], "9 x 1,000,000,000,000 is outside"),
        ("csr", "indices", [0.5, 2, 1, 3], "indices is float64 and must be whole numbers"),
        ("csr", "indptr", [0, 3, 2, 4], "indptr must rise from 0 to 4"),
        ("csr", "indptr", [0, 2**31 - 1, -(2**31), 4], "indptr must rise from 0 to 4"),
        ("csc", "indices", [0, 3, 0, 2], "Index 3 is not one of 0 to 2"),
        ("csr", "indices", [0, 2, 1, 4], "Index 4 is not one of 0 to 3"),
        ("csr", "indices", [0, 2, 1, -1], "Index -1 is not one of 0 to 3"),
        ("csr", "data", [1, np.inf, 3, 4], "inf in row 0, column 2 is not a number"),
        ("csr", "data", ["a"] * 4, "U1 and must be numbers"),
        ("coo", "data", np.ones(1_000_000), "more than the 8,000,104 allowed"),
        ("csc", "shape", [3, 4], "4 stored values are more than the 3 allowed"),
    ],
)
def test_a_file_with_a_wrong_part(
    form: str, name: str, part: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One wrong part is refused by a sentence, in little memory whatever it claims."""
    monkeypatch.setenv("EMBVIZ_MAX_CELLS", "3" if "stored" in words else "4")
    parts = members(form) | {f"{name}.npy": npy(np.array(part))}
    if part is None:
        del parts[f"{name}.npy"]
    assert words in refusal("bag.npz", zipped(parts))


def refusal(name: str, content: bytes) -> str:
    """The message that refuses a file, with its name; few bytes are allocated."""
    tracemalloc.start()
    with pytest.raises(Refused) as refused:
        read_upload(name, content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    said = str(refused.value)
    assert said.startswith(f"{name!r}: ") or "UTF-8" in said
    assert len(said) < 300
    assert "\n" not in said
    return said


def test_a_csv() -> None:
    """It is read with a byte order mark; what is no text, and words, are refused."""
    table = read_upload("n.csv", b"\xef\xbb\xbf1,0\r\n0,2.5\r\n").csr.toarray()
    assert table.tolist() == [[1, 0], [0, 2.5]]
    assert refusal("n.csv", b"1\xff") == "'n.csv' is not UTF-8 text (byte 1)."
    assert "'cat' is not a number" in refusal("n.csv", b"cat")


def test_500_damaged_uploads_are_a_matrix_or_a_sentence() -> None:
    """Files with valid checksums and wrong bytes give a sound matrix or one sentence."""
    draw, said = np.random.default_rng(0), list[str]()
    for seed in range(500):
        parts = members(FORMATS[seed % 3])
        for name in draw.choice([*parts], 1 + seed % 2):
            part = bytearray(parts[name])
            part[-draw.integers(1, min(len(part), 40))] = draw.integers(256)
            parts[name] = bytes(part)
        try:
            csr = read_upload("bag.npz", zipped(parts)).csr
        except Refused as error:
            said.append(str(error))
        else:
            csr.check_format(full_check=True)
            assert bool((np.abs(csr.data) < 2**53).all())
    assert not any("\n" in one for one in said)
    assert 100 < len(said) < 470
