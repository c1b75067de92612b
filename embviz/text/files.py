"""Arrays from an uploaded `.npz` or `.npy` file, whose every number may be forged.

zipfile allocates what a directory claims, and numpy what a header claims. So both are compared with
the bytes that are allowed, or are there, before numpy reads the rest. Nothing is unpickled.
"""

import io
import math
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
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
