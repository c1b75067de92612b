"""Uploads: files that are right, that lie and that break."""

import io
import struct
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.bag.uploads import FORMATS, max_unpacked_bytes, read_upload
from embviz.core.refused import Refused
from tests.core.archives import npy, zipped

ROWS = [[1, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 0.5]]


def saved(matrix: Any, compressed: bool = True) -> bytes:
    """A matrix as the bytes that scipy.sparse.save_npz writes."""
    stream = io.BytesIO()
    sp.save_npz(stream, matrix, compressed=compressed)
    return stream.getvalue()


WHOLE = {form: saved(getattr(sp, f"{form}_array")(np.array(ROWS)), False) for form in FORMATS}


def changed(form: str, **parts: Any) -> bytes:
    """A valid file with other parts: arrays, the bytes of a member, or None for none."""
    with zipfile.ZipFile(io.BytesIO(WHOLE[form])) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, part in parts.items():
        members[f"{name}.npy"] = part if isinstance(part, bytes) else npy(np.array(part))
    kept = {name: one for name, one in members.items() if parts.get(name[:-4], 0) is not None}
    return zipped(kept)


def refusal(content: bytes, name: str = "bag.npz") -> str:
    """The message that refuses a file."""
    with pytest.raises(Refused) as refused:
        read_upload(name, content)
    said = str(refused.value)
    assert name in said[:10]
    assert len(said) < 300
    assert said.count("\n") == 0
    return said


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_what_scipy_saves_is_read(form: str, kind: str) -> None:
    """Each format of save_npz is read, compressed or not, of any number type, or without cells."""
    matrix = getattr(sp, f"{form}_{kind}")(np.array(ROWS, dtype=np.float32))
    for compressed in (True, False):
        assert read_upload("bag.NPZ", saved(matrix, compressed)).csr.toarray().tolist() == ROWS
    for data in ([True] * 4, np.ones(4, "i1")):
        assert read_upload("x.npz", changed(form, data=data)).csr.data.tolist() == [1.0] * 4
    empty = getattr(sp, f"{form}_{kind}")((3, 4))
    assert read_upload("bag.npz", saved(empty)).csr.nnz == 0


def test_a_csv_and_a_coo_with_coords_are_read() -> None:
    """A .csv is read as typed numbers are; repeated places are summed, columns sorted."""
    assert read_upload("n.csv", b"\xef\xbb\xbf1,0\r\n0,2.5\r\n").csr.toarray().tolist() == [
        [1, 0],
        [0, 2.5],
    ]
    untidy = read_upload("bag.npz", changed("csr", indices=[2, 0, 1, 1])).csr
    assert (untidy.indices.tolist(), untidy.data.tolist()) == ([0, 2, 1], [2, 1, 3.5])
    parts = {"coords": [[0, 0], [1, 1]], "data": [1, 2], "format": b"coo", "shape": [1, 2]}
    content = zipped({f"{name}.npy": npy(np.array(part)) for name, part in parts.items()})
    assert read_upload("bag.npz", content).csr.toarray().tolist() == [[0, 3]]


def claiming(shape: str, content: bytes = b"") -> bytes:
    """A float64 member whose header claims this shape."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    text = header.ljust(117).encode() + b"\n"
    return npy(np.ones(1))[:8] + struct.pack("<H", len(text)) + text + content


HUGE = 10**12


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (changed("csr", data=None), "scipy cannot read it"),
        (changed("csr", arr_0=np.eye(2)), "'arr_0.npy' is no part of a matrix"),
        (saved(sp.bsr_array(np.array(ROWS))), "its format is 'bsr'; csr, csc, coo are read"),
        (changed("csr", shape=[3, HUGE]), "1,000,000,000,000 is outside"),
        (changed("coo", shape=[HUGE, HUGE]), "1,000,000,000,000 x 1,000,000,000,000 is outside"),
        (changed("csr", indices=[0.5, 2, 1, 3]), "indices is float64 and must be whole numbers"),
        (changed("csr", indptr=[0, 10**9, 0, 0]), "indptr must rise from 0 to"),
        (changed("csr", indptr=[0, 3, 2, 4]), "indptr must rise from 0 to 4"),
        (changed("csc", indices=[0, 3, 0, 2]), "Index 3 is not one of 0 to 2"),
        (changed("csr", indices=[0, 2, 1, 4]), "Index 4 is not one of 0 to 3"),
        (changed("csr", indices=[0, 2, 1, -1]), "Index -1 is not one of 0 to 3"),
        (
            changed("csr", shape=[4, 4], indptr=[0, 2**31 - 1, -(2**31), -1, 4]),
            "indptr must rise from 0 to 4",
        ),
        (changed("coo", coords=[[0] * 4], shape=[4]), "A matrix of 4 is outside"),
        (changed("csr", data=[1, np.inf, 3, 4]), "inf in row 0, column 2 is not a number"),
        (changed("csr", data=["a"] * 4), "U1 and must be numbers"),
        (changed("csr", data=claiming(f"(0, {10**17})")), "but 0 bytes are there"),
        (WHOLE["csr"][:300], "not a .npz archive"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_file_with_a_wrong_part(content: bytes, words: str) -> None:
    """One wrong part is refused by a sentence, in little memory whatever it claims."""
    tracemalloc.start()
    assert words in refusal(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


def test_files_that_are_no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that are no text, words, and archives over the limit of cells are refused."""
    assert "is not UTF-8 text (byte 1)" in refusal(b"1\xff", "n.csv")
    assert "'cat' is not a number" in refusal(b"cat", "n.csv")
    monkeypatch.setenv("EMBVIZ_MAX_CELLS", "3")
    assert max_unpacked_bytes() == 24 * 3 + 8_000_008
    assert "4 stored values are more than the 3 allowed" in refusal(WHOLE["coo"])
    bomb = zipped({"data.npy": claiming("(6000000,)", bytes(48_000_000))})
    assert f"more than the {max_unpacked_bytes():,} allowed" in refusal(bomb)


@given(st.sampled_from(FORMATS), st.data())
@settings(deadline=None, max_examples=500)
def test_a_damaged_member_is_a_matrix_or_a_sentence(form: str, data: st.DataObject) -> None:
    """500 damaged files with valid checksums give a sound matrix or one sentence."""
    with zipfile.ZipFile(io.BytesIO(WHOLE[form])) as archive:
        members = {name: bytearray(archive.read(name)) for name in archive.namelist()}
    for _ in range(data.draw(st.integers(1, 3))):
        member = members[data.draw(st.sampled_from(sorted(members)))]
        member[data.draw(st.integers(0, len(member) - 1))] = data.draw(st.integers(0, 255))
    content = zipped({name: bytes(part) for name, part in members.items()})
    try:
        csr = read_upload("bag.npz", content).csr
    except Refused as error:
        said = str(error)
    else:
        said, _ = "", csr.check_format(full_check=True)
        assert bool((np.abs(csr.data) < 2**53).all())
    assert "\n" not in said
