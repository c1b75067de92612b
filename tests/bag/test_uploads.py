"""Uploads: files that are right, that lie and that break."""

import io
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from embviz.bag.uploads import FORMATS, read_upload
from embviz.system import bounds
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


BROKEN = "this is not a matrix that scipy.sparse.save_npz writes, or a broken one."


@pytest.mark.parametrize(
    ("form", "name", "part", "words"),
    [
        ("csr", "data", None, BROKEN),
        ("csr", "format", b"http://evil.example/" * 9, BROKEN),
        ("bsr", "format", b"bsr", "its format is bsr; only csr, csc, coo can be read"),
        ("coo", "shape", [9, 10**12], "9 × 1,000,000,000,000 is outside"),
        ("csr", "indptr", [0, 2**31 - 1, -(2**31), 4], "indptr must rise from 0 to 4"),
        ("csc", "indices", [0, 3, 0, 2], "Index 3 is not one of 0 to 2"),
        ("csr", "indices", [0, 2, 1, 4], "Index 4 is not one of 0 to 3"),
        ("csr", "indices", [0, 2, 1, -1], "Index -1 is not one of 0 to 3"),
        ("csr", "data", [1, np.inf, 3, 4], "inf in row 0, column 2 is not a number"),
        ("csr", "data", ["a"] * 4, "U1 and must be numbers"),
        ("csr", "data", [{}] * 4, BROKEN),
        ("coo", "data", np.ones(1_000_000), "more than the 8,000,104 allowed"),
        ("csc", "shape", [3, 4], "4 stored values are more than the 3 allowed"),
    ],
)
def test_a_file_with_a_wrong_part(
    form: str, name: str, part: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One wrong part is refused by a sentence, in little memory whatever it claims."""
    cells = 3 if "stored" in words else 4
    monkeypatch.setattr(bounds, "CELLS", bounds.Fixed(cells, cells))
    parts = members(form) | {f"{name}.npy": npy(np.array(part))}
    if part is None:
        del parts[f"{name}.npy"]
    assert words in refusal("bag.npz", zipped(parts))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("compressed", [False, True])
def test_what_scipy_saves_is_read(form: str, compressed: bool) -> None:
    """An upload may also be a matrix of the older kind."""
    for made in (sp.coo_array(ROWS), sp.coo_matrix(ROWS)):
        found = read_upload("bag.NPZ", saved(made.asformat(form), compressed))
        assert found.csr.toarray().tolist() == ROWS.tolist()


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


@pytest.mark.parametrize("names", [("arr_0",), ("X_train",), ("data",), ("a", "b"), ("row",)])
def test_what_numpy_saves_is_read(names: tuple[str, ...]) -> None:
    """An archive of one array of any name is the matrix; of several it is not known which."""
    content = zipped({f"{name}.npy": npy(ROWS) for name in names})
    if len(names) > 1:
        assert "it holds 2 arrays; a matrix is one" in refusal("X.npz", content)
        return
    assert read_upload("X.npz", content).csr.toarray().tolist() == ROWS.tolist()


def test_a_csv() -> None:
    """It is read with a byte order mark; what is no text, and words, are refused."""
    table = read_upload("n.csv", b"\xef\xbb\xbf1,0\r\n0,2.5\r\n").csr.toarray()
    assert table.tolist() == [[1, 0], [0, 2.5]]
    assert refusal("n.csv", b"1\xff") == (
        "'n.csv': it is not UTF-8 text (byte 1). It looks like Latin-1 or Windows-1252: save it as "
        "UTF-8. In Excel choose CSV UTF-8."
    )
    assert "'cat' is not a number" in refusal("n.csv", b"cat")
