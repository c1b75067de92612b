"""The content of a file: text, or arrays of a `.npz` or `.npy`, whose every number may be forged.

The first bytes of a file say its kind, and its name only where they do not.
zipfile allocates what a directory claims, and numpy what a header claims. So both are compared with
the bytes that are allowed, or are there, before numpy reads the rest. Nothing is unpickled.
"""

import io
import math
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from embviz.text.refused import Refused

MAX_PACKED_BYTES = 200_000_000
MAX_MEMBERS = 16

Array = np.ndarray[Any, Any]
# Python 3.11 counts the depth of a syntax tree for all threads together: two at once raised
# "SystemError: AST constructor recursion depth mismatch". numpy reads a header as such a tree.
parses = threading.Lock()

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may ask for any memory
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


# First bytes -> what such a file is, and what to save in its place. An archive's members tell more.
_OTHERS = {
    b"PAR1": "a Parquet file. Save a .npy, or a .csv",
    b"\x89HDF": "an HDF5 file. Save a .npy, or a .csv",
    b"\x80": "a pickle, which is not read. Save a .npy",
    b"\x1f\x8b": "compressed by gzip. Decompress it first",
    b"BZh": "compressed by bzip2. Decompress it first",
    b"\xfd7zXZ": "compressed by xz. Decompress it first",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook. Save a sheet as CSV UTF-8",
    b"%%MatrixMarket": "a MatrixMarket file. Read it with scipy.io.mmread, and save_npz it",
    b"MATLAB 5.0": "a MATLAB file. Read it with scipy.io.loadmat, and save a .npy",
    b"RDX": "R's own file. Save it with write.csv",
}
_MEMBERS = {
    b"xl/workbook.xml": "an Excel workbook. Save a sheet as CSV UTF-8",
    b"/data.pkl": "a PyTorch file. Save weight.detach().numpy() by np.save",
    b"content.xml": "an OpenDocument file. Save a sheet as CSV",
}
ENDINGS = ".npy", ".npz", ".csv", ".tsv", ".txt", ".vec"  # Of files, in place of their content.
UTF_16 = b"\xff\xfe", b"\xfe\xff"  # The marks at the start of UTF-16, of both byte orders.


def kind_of(content: bytes, name: str) -> str:
    """`npy`, `npz` or `text`: what a file is.

    Raises:
        Refused: it is a kind that is known and not read.
    """
    for start, what in _OTHERS.items():
        if content.startswith(start):
            raise Refused(f"it is {what}.")
    if content[8:10] == b'{"' and 8 < int.from_bytes(content[:8], "little") < len(content):
        raise Refused("it is a safetensors file. Save a table of load_file() by np.save.")
    if content.startswith(b"PK"):
        for member, what in _MEMBERS.items():
            if member in content[-100_000:]:  # the directory is at the end
                raise Refused(f"it is {what}.")
        return "npz"
    if content.startswith(b"\x93NUMPY"):
        return "npy"
    ending = name.lower().rpartition(".")[2]
    return ending if ending in ("npy", "npz") else "text"


def decoded(content: bytes) -> str:
    """The text of a file: UTF-8, with or without a mark at its start, or UTF-16 with one.

    Raises:
        Refused: it is neither; says which encoding it looks like.

    >>> decoded("é".encode("utf-16")), decoded("é".encode())
    ('é', 'é')
    """
    is_wide = content.startswith(UTF_16)
    try:
        text = content.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        if is_wide:
            raise Refused("it begins as UTF-16, and goes on as no text.") from None
        said = f"it is not UTF-8 text (byte {error.start:,})."
        if any(byte < 32 and byte not in b"\t\n\r\f\x1a" for byte in content[:10_000]):
            raise Refused(f"{said} Save a .npy, or a .csv.") from None
        raise Refused(
            f"{said} It looks like Latin-1 or Windows-1252: save it as UTF-8. In Excel choose CSV "
            "UTF-8."
        ) from None
    if "\0" in text[:1_000]:
        raise Refused("it looks like UTF-16 without its mark, or is no text. Save it as UTF-8.")
    return text


def is_file(given: str) -> bool:
    """Whether a text names a file: one that exists, or would have the ending of a table.

    >>> is_file("1 2"), is_file("nowhere.npy")
    (False, True)
    """
    try:
        exists = Path(given).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        exists = False
    return exists or ("\n" not in given and given.lower().endswith(ENDINGS))


@contextmanager
def one_sentence(what: str) -> Iterator[None]:
    """One refusal for whatever zipfile, numpy and scipy raise at a bad file; one at a time is read.

    Args:
        what: the file should be, such as "a .npy array".

    Raises:
        Refused: it is not that; other refusals pass.
    """
    try:
        with parses:
            yield
    except Refused:
        raise
    except Exception:  # there are many
        raise Refused(f"this is not {what}, or a broken one.") from None


def check_archive(content: bytes, most: int) -> io.BytesIO:
    """The file of a `.npz`, for numpy or scipy to read; to be called within `one_sentence`.

    Args:
        content: its bytes.
        most: bytes that all arrays together may have.

    Raises:
        Refused: it claims more.
        Exception: it is not what numpy writes.
    """
    _check_size(len(content), MAX_PACKED_BYTES)
    # The starts of its directory's entries: zipfile makes an object of each of millions.
    if content.count(b"PK\1\2") > MAX_MEMBERS:
        raise ValueError(f"more than {MAX_MEMBERS} members")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        _check_size(sum(entry.file_size for entry in members), most)
        for entry in members:
            if entry.compress_type not in _METHODS:
                raise ValueError("not packed as numpy does")
            with archive.open(entry) as member:
                _check_header(member, entry.file_size)
    return io.BytesIO(content)


def read_arrays(content: bytes, most: int) -> dict[str, Array]:
    """Read the members of a `.npz`, by name; arguments as of `check_archive`.

    Raises:
        Refused: it claims too much, or is none.
    """
    with (
        one_sentence("a .npz archive"),
        np.load(check_archive(content, most), allow_pickle=False) as archive,
    ):
        return {**archive}


def read_array(content: bytes, most: int) -> Array:
    """Read a `.npy` file of at most `most` bytes.

    Raises:
        Refused: it is larger, or none.
    """
    with one_sentence("a .npy array"):
        _check_size(len(content), most)
        _check_header(io.BytesIO(content), len(content))
        array: Array = np.load(io.BytesIO(content), allow_pickle=False)
        return array


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise Refused(f"it has {size:,} bytes, more than the {most:,} allowed.")


def _check_header(stream: IO[bytes], size: int) -> None:
    """Raise an error if the header of a `.npy` claims more than the `size` bytes of the file."""
    shape, _, dtype = _HEADERS[npy.read_magic(stream)](stream)
    if math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"{dtype} of shape {shape} are more than {size} bytes")
