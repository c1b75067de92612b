"""Arrays from an uploaded `.npz` or `.npy` file, whose every number may be forged.

A `.npz` is a zip of `.npy` members. Nothing is unpickled. The sizes that the zip and the headers
claim are checked before anything of that size is allocated; numpy reads what is left.
"""

import io
import math
import threading
import zipfile
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.lib import format as npy

from embviz.text.refused import Refused
from embviz.text.wording import format_bytes, number, quote

MAX_PACKED_BYTES = 200_000_000
MAX_MEMBERS = 16
MAX_HEADER_BYTES = 1024

Array = np.ndarray[Any, Any]
# Python 3.11 counts the depth of a syntax tree for all threads together: two at once raised
# "SystemError: AST constructor recursion depth mismatch". numpy reads a header as such a tree.
parses = threading.Lock()

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the two that numpy uses
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_arrays(
    content: bytes, most: int, names: Collection[str] | None = None, what: str = "a .npz archive"
) -> dict[str, Array]:
    """Read the members of a `.npz`.

    Args:
        content: the bytes of the file.
        most: bytes that all arrays together may have.
        names: the arrays it may hold, without `.npy`; None allows any name.
        what: what `names` are parts of, for the refusal of another name.

    Returns:
        arrays of numbers, bool or text by name, writable, in native byte order.

    Raises:
        Refused: no zip, a broken, encrypted or too large one, an unknown member, or one that
            is not what its header says.
    """
    if len(content) > MAX_PACKED_BYTES:
        raise Refused(
            f"the file has {format_bytes(len(content))}, more than the "
            f"{format_bytes(MAX_PACKED_BYTES)} allowed."
        )
    # The starts of its directory's entries: zipfile makes an object of each of millions.
    if content.count(b"PK\1\2") > MAX_MEMBERS:
        raise Refused(f"the archive has more than {MAX_MEMBERS} members.")
    arrays = dict[str, Array]()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if (size := sum(info.file_size for info in archive.infolist())) > most:
                raise Refused(
                    f"unpacked it would have {size:,} bytes, more than the {most:,} allowed."
                )
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name == info.filename or (names is not None and name not in names):
                    raise Refused(f"{quote(info.filename)} is no part of {what}.")
                if name in arrays:
                    raise Refused(f"{quote(info.filename)} is there twice.")
                if info.compress_type not in _METHODS:  # others may ask for any memory
                    raise Refused(f"{quote(name)} is not packed as numpy does.")
                with archive.open(info) as member:  # `read` of a zip unpacks more than it claims
                    # To its end: this checks its checksum.
                    arrays[name] = _array(member.read(info.file_size + 1), name)
    except Refused:
        raise
    except Exception:  # zipfile and zlib have many, and it may be encrypted
        raise Refused("this is not a .npz archive, or a broken one.") from None
    return arrays


def read_array(content: bytes, most: int) -> Array:
    """Read a `.npy` file of at most `most` bytes, as `read_arrays` reads a member.

    Raises:
        Refused: no array, one of Python objects, or one that is not what its header says.
    """
    if len(content) > most:
        raise Refused(f"{len(content):,} bytes are more than the {most:,} allowed.")
    return _array(content, "this")


def _array(content: bytes, name: str) -> Array:
    stream = io.BytesIO(content)
    try:
        with parses:
            header = _HEADERS[npy.read_magic(stream)]
            shape, is_fortran, dtype = header(stream, max_header_size=MAX_HEADER_BYTES)
    except Exception:  # numpy evaluates what is there
        raise Refused(
            f"{name} is not a .npy array: it lacks the header that numpy writes."
        ) from None
    if dtype.hasobject:
        raise Refused(f"{name} holds Python objects, which are never read.")
    if dtype.kind not in "fiubSU" or dtype.itemsize > 400:
        raise Refused(f"{name} is of type {quote(str(dtype))}; floats, integers and bool are read.")
    size = len(content) - stream.tell()
    odd = len(shape) > 3 or not all(0 <= part <= len(content) for part in shape)
    if odd or math.prod(shape) * dtype.itemsize != size:
        shown = ", ".join(map(number, shape[:4]))
        raise Refused(
            f"{name} says it is {dtype} of shape ({shown}), but {number(size)} bytes are there."
        )
    array = np.ndarray(shape, dtype, content, stream.tell(), order="F" if is_fortran else "C")
    return array.astype(dtype.newbyteorder("="))  # a copy, which can be written
