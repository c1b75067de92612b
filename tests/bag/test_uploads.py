"""Uploads: sparse `.npz` files that are right, that lie and that break; `.txt` documents."""

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

from embviz.bag.checks import max_unpacked_bytes
from embviz.bag.matrix import MatrixError
from embviz.bag.uploads import read_upload
from tests.core.archives import npy, zipped

FORMATS = ["csr", "csc", "coo"]


def saved(matrix: Any, compressed: bool = True) -> bytes:
    """A matrix as the bytes that scipy.sparse.save_npz writes."""
    stream = io.BytesIO()
    sp.save_npz(stream, matrix, compressed=compressed)
    return stream.getvalue()


ROWS = [[1, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 0.5]]
CSR: dict[str, Any] = {
    "indptr": np.array([0, 2, 2, 4], dtype=np.int32),
    "indices": np.array([0, 2, 1, 3], dtype=np.int32),
    "data": np.array([1, 2, 3, 0.5]),
    "shape": np.array([3, 4]),
    "format": np.array(b"csr"),
}


def csr_file(**changed: Any) -> bytes:
    """A valid csr file with the given parts replaced: an array, raw bytes, or None."""
    parts = {name: part for name, part in {**CSR, **changed}.items() if part is not None}
    return zipped(
        {f"{k}.npy": part if isinstance(part, bytes) else npy(part) for k, part in parts.items()}
    )


def refusal(content: bytes, name: str = "bag.npz") -> str:
    """The message that refuses a file."""
    with pytest.raises(MatrixError) as refused:
        read_upload(name, content, "count")
    assert str(refused.value).startswith(f"'{name}': ")
    assert len(str(refused.value)) < 250
    return str(refused.value)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_what_scipy_saves_is_read(form: str, kind: str) -> None:
    """Each format of save_npz is read, compressed or not."""
    matrix = getattr(sp, f"{form}_{kind}")(np.array(ROWS, dtype=np.float32))
    for compressed in (True, False):
        read = read_upload("bag.NPZ", saved(matrix, compressed), "count")
        assert read.csr.toarray().tolist() == ROWS
        assert read.csr.data.dtype == np.float32
        assert read.csr.data.flags.writeable  # torch.from_numpy warns where it is not
    empty = getattr(sp, f"{form}_{kind}")((3, 4))
    assert read_upload("bag.npz", saved(empty), "count").nnz == 0


def test_other_ways_that_scipy_wrote_or_will_write() -> None:
    """A str format and a coo with coords are read; repeated places of a coo are summed."""
    assert read_upload("bag.npz", csr_file(format=np.array("csr")), "count").nnz == 4
    parts = {"coords": [[0, 0], [1, 1]], "data": [1, 2], "format": b"coo", "shape": [1, 2]}
    content = zipped({f"{name}.npy": npy(np.array(part)) for name, part in parts.items()})
    assert read_upload("bag.npz", content, "count").csr.toarray().tolist() == [[0, 3]]


class Bomb:
    """An object whose unpickling would end the process."""

    def __reduce__(self) -> Any:
        """A call that pickle would make."""
        return (exec, ("raise SystemExit('a pickle was run')",))


HEADER = npy(CSR["data"])


def claiming(shape: str, descr: str = "<f8", content: bytes = CSR["data"].tobytes()) -> bytes:
    """Data under a header of another shape or type."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text = header.ljust(117).encode() + b"\n"
    return HEADER[:8] + struct.pack("<H", len(text)) + text + content


PARTS: list[tuple[dict[str, Any], str]] = [
    ({"data": None}, "a csr matrix needs data, which is missing"),
    ({"arr_0": np.eye(2)}, "'arr_0.npy' is no part of a matrix"),
    ({"format": np.array(b"bsr")}, "format 'bsr' is not one of: csr, csc, coo"),
    ({"format": npy(np.array("csr")).replace(b"c\0\0\0", b"\xff" * 4)}, "format '\ufffd"),
    ({"shape": np.array([2**62, 4])}, "of more than 18 digits x 4 is outside"),
    ({"indptr": np.array([0, 10**9, 2, 4])}, "indptr runs backwards at row 1"),
    ({"data": np.array([1, np.inf, 3, 4])}, "inf in row 0, column 2 is not a finite number"),
    ({"data": np.zeros(20_000_001, dtype=np.int8)}, "20,000,001 stored values are more than"),
    ({"data": np.array([1, Bomb(), 3, 4], dtype=object)}, "data holds Python objects"),
    ({"data": claiming(f"(0, {10**17})")}, "but 32 bytes are there"),
    ({"data": b"\x93NUMPY\2\0\xff\xff\xff\xff"}, "the header that numpy writes"),
    ({"data": b"no array at all"}, "data is not a .npy array"),
    ({"data": HEADER + b"\0"}, "shape (4), but 33 bytes are there"),
]


@pytest.mark.parametrize(("changed", "words"), PARTS)
def test_a_file_with_one_wrong_part(changed: dict[str, Any], words: str) -> None:
    """A file with one wrong part is refused by a sentence about that part."""
    assert words in refusal(csr_file(**changed))


def other(form: str, **parts: Any) -> bytes:
    """A file of another format, 4 x 6 by default."""
    written = {"shape": np.array([4, 6]), "data": np.ones(2), "format": np.array(form), **parts}
    return zipped({f"{name}.npy": npy(part) for name, part in written.items()})


TWO = np.array([0, 1])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            other("csc", indptr=np.array([0, 1, 2, 2, 2, 2, 2]), indices=np.array([0, 4])),
            "Index 4 in column 1 is not one of rows 0 to 3",
        ),
        (other("coo", row=TWO, col=np.array([0, 6])), "col 6 of value 1 is not one of 0 to 5"),
        (other("coo", coords=np.array(3)), "coords has shape ()"),
        (
            other("coo", row=TWO * 0, col=TWO * 0, data=np.full(2, 3e38, dtype=np.float32)),
            "inf in row 0, column 0",
        ),
    ],
)
def test_other_formats_are_checked_as_well(content: bytes, words: str) -> None:
    """Wrong indices are refused in every format."""
    assert words in refusal(content)


def patched(content: bytes, member: str, **fields: int) -> bytes:
    """An archive with a changed directory entry of `member`."""
    at = content.index(member.encode(), content.index(b"PK\1\2")) - 46
    entry = bytearray(content)
    for name, value in fields.items():
        form, place = {"flags": ("<H", 8), "method": ("<H", 10), "size": ("<I", 24)}[name]
        struct.pack_into(form, entry, at + place, value)
    return bytes(entry)


def test_archives_that_lie_or_break() -> None:
    """Broken, encrypted, oddly packed and over-large archives are refused."""
    right = csr_file()
    assert "not a .npz archive" in refusal(right[: len(right) // 2])
    assert "is encrypted" in refusal(patched(right, "data.npy", flags=1))
    assert "packed by method 9" in refusal(patched(right, "data.npy", method=9))
    assert "numpy deflates" in refusal(zipped({"data.npy": HEADER}, zipfile.ZIP_LZMA))
    assert "'../data.npy' is no part" in refusal(zipped({"../data.npy": HEADER}))
    assert "more than 16 members" in refusal(b"PK\1\2".ljust(46) * 1_000_000)
    twice = zipped({"data.npy": HEADER, "dat_.npy": HEADER}).replace(b"dat_", b"data")
    assert "'data.npy' is there twice" in refusal(twice)
    flipped = bytearray(zipped({"data.npy": HEADER}, zipfile.ZIP_STORED))
    flipped[flipped.index(CSR["data"].tobytes()) + 3] ^= 1
    assert "a broken one" in refusal(bytes(flipped))  # by its checksum
    assert "190.7 MiB allowed" in refusal(bytes(200_000_001))


@pytest.mark.parametrize("said", [200, max_unpacked_bytes() + 1])
def test_a_zip_bomb_is_not_unpacked(said: int) -> None:
    """A zip bomb is refused with little memory, even with a forged size."""
    bomb = zipped({"data.npy": claiming("(6000000,)", content=bytes(48_000_000))})
    assert len(bomb) < 100_000
    tracemalloc.start()
    sentence = refusal(patched(bomb, "data.npy", size=said))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ("400,000,000 allowed" in sentence) == (said != 200)
    assert peak < 5_000_000


def test_documents_are_read_from_text() -> None:
    """A file of documents is read as the text field is."""
    for content in ("the cat\r\n\r\nthe the dog\r\n", "\ufeffthe cat\n\nthe the dog"):
        read = read_upload("notes.TXT", content.encode(), "count")
        assert read.columns == ("cat", "dog", "the")
        assert read.documents == ("the cat", "", "the the dog")
        assert read.csr.toarray().tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 2]]
    assert read_upload("n.txt", b"the cat", "tfidf", "english").csr.data.tolist() == [1]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("n.txt", b"\xff\xfea", "this is not UTF-8 text (byte 0)"),
        ("n.txt", b"x" * 4_000_001, "4,000,001 bytes are more than 1,000,000 characters"),
        ("n.csv", b"1,2", "only a .npz of scipy.sparse.save_npz or a .txt"),
    ],
)
def test_text_that_cannot_be_read(name: str, content: bytes, words: str) -> None:
    """A wrong file is refused in one sentence."""
    assert words in refusal(content, name)


WHOLE = {form: saved(getattr(sp, f"{form}_array")(np.array(ROWS)), False) for form in FORMATS}


@given(st.sampled_from(FORMATS), st.data())
@settings(deadline=None, max_examples=200)
def test_a_damaged_member_is_a_matrix_or_a_sentence(form: str, data: st.DataObject) -> None:
    """Any damaged member with a valid checksum gives a sound matrix or a MatrixError."""
    with zipfile.ZipFile(io.BytesIO(WHOLE[form])) as archive:
        members = {name: bytearray(archive.read(name)) for name in archive.namelist()}
    for _ in range(data.draw(st.integers(1, 3))):
        member = members[data.draw(st.sampled_from(sorted(members)))]
        member[data.draw(st.integers(0, len(member) - 1))] = data.draw(st.integers(0, 255))
    content = zipped({name: bytes(part) for name, part in members.items()})
    try:
        csr = read_upload("bag.npz", content, "count").csr
    except MatrixError:
        return
    assert bool(np.isfinite(csr.data).all())
    csr.check_format(full_check=True)
    assert csr.indptr[-1] == len(csr.indices) == len(csr.data)
