"""The arrays of a stranger's `.npz`, read without trusting a number in it.

A `.npz` is a zip of `.npy` members. Nothing is unpickled and nothing of the
file is evaluated: a header is matched against the one line that numpy writes.
What a member says of its size is held against the limits before anything is
allocated, and against the bytes that come while they are unpacked.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Collection
from typing import IO, Literal

import numpy as np

from embviz.bag.checks import MAX_ROWS, Array, MatrixError
from embviz.core import bounds
from embviz.core.wording import format_bytes, number, quote

MAX_PACKED_BYTES = 200_000_000
MAX_INDPTR_BYTES = 8 * (MAX_ROWS + 1)
MAX_MEMBERS = 16
MAX_HEADER_BYTES = 4096
CHUNK_BYTES = 1024**2

_ENTRY = b"PK\1\2"  # starts every entry of a zip's directory
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what numpy writes
_HEADER = re.compile(
    r"\{'descr': (?P<descr>.+?), 'fortran_order': (?P<fortran>True|False), "
    r"'shape': \((?P<shape>[\d, ]{0,80})\),? ?\}\s*"
)
_NUMBERS = re.compile(r"'[<>|=](?:f[248]|[iu][1248]|b1)'")
_TEXT = re.compile(r"'[<>|=][SU][1-9]\d?'")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    RuntimeError,
    OSError,
    ValueError,
    OverflowError,
    LookupError,
)


def read_arrays(content: bytes, names: Collection[str]) -> dict[str, Array]:
    """Read the members of a `.npz`.

    Args:
        content: the bytes of the file.
        names: the arrays it may hold, without `.npy`; any other is refused.

    Returns:
        arrays of numbers, bool or short text by name, writable, in native byte order.

    Raises:
        MatrixError: no zip, a broken, encrypted or too large one, an unknown
            member, or one that is not what its header says.
    """
    if len(content) > MAX_PACKED_BYTES:
        raise MatrixError(
            f"the file has {format_bytes(len(content))}, more than the "
            f"{format_bytes(MAX_PACKED_BYTES)} allowed."
        )
    # Counted before zipfile makes an object of each of millions of entries.
    if content.count(_ENTRY) > MAX_MEMBERS:
        raise MatrixError(f"the archive has more than {MAX_MEMBERS} members.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _check_members(members, names)
            return {info.filename[:-4]: _read(archive, info) for info in members}
    except MatrixError:
        raise
    except _BROKEN:
        raise MatrixError("this is not a .npz archive, or a broken one.") from None


def max_unpacked_bytes() -> int:
    """Of all members together: what the cells that are allowed (EMBVIZ_MAX_CELLS) may need."""
    cells = bounds.CELLS.value()  # 16 bytes each at most in csr, and 24 in an int64 coo
    return max(20 * cells, 16 * cells + MAX_INDPTR_BYTES)


def _check_members(members: list[zipfile.ZipInfo], names: Collection[str]) -> None:
    """Hold what the directory says against what may be there, before reading any of it."""
    seen: set[str] = set()
    for info in members:
        name = info.filename
        if name[-4:] != ".npy" or name[:-4] not in names:
            raise MatrixError(
                f"{quote(name)} is no part of a matrix that scipy.sparse.save_npz writes."
            )
        if name in seen:
            raise MatrixError(f"{quote(name)} is there twice.")
        seen.add(name)
        if info.flag_bits & 1:
            raise MatrixError(f"{quote(name)} is encrypted.")
        if info.compress_type not in _METHODS:
            raise MatrixError(
                f"{quote(name)} is packed by method {info.compress_type}; numpy deflates or stores."
            )
    unpacked = sum(info.file_size for info in members)
    if unpacked > (most := max_unpacked_bytes()):
        bounds.CELLS.refused()
        raise MatrixError(
            f"unpacked it would have {unpacked:,} bytes, more than the {most:,} allowed."
        )


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    """One member, of the size that both its header and the directory name, or a refusal."""
    name = info.filename[:-4]
    with archive.open(info) as member:
        header = _header(member, name)
        dtype, size = np.dtype(_dtype(name, header["descr"])), info.file_size - member.tell()
        shape = tuple(int(part) for part in header["shape"].replace(",", " ").split())
        claimed = math.prod(shape) * dtype.itemsize
        if len(shape) > 3 or max(shape, default=0) > max_unpacked_bytes() or claimed != size:
            shown = "(" + ", ".join(number(part) for part in shape[:4]) + ")"
            raise MatrixError(
                f"{name} says it is {dtype} of shape {shown}, but {number(size)} bytes are there."
            )
        # Of its own type from the start: scipy copies a small view of a large base.
        flat = np.empty(math.prod(shape), dtype=dtype)
        _fill(member, name, flat.view(np.uint8).data)
    order: Literal["F", "C"] = "F" if header["fortran"] == "True" else "C"
    return flat.reshape(shape, order=order).astype(dtype.newbyteorder("="), copy=False)


def _header(member: IO[bytes], name: str) -> dict[str, str]:
    """The three entries of a `.npy` header, as they are written."""
    start = member.read(8)
    wide = 2 if start[6:7] == b"\1" else 4  # version 1, or 2 and 3
    length = int.from_bytes(member.read(wide), "little")
    if start[:6] != b"\x93NUMPY" or start[6:7] not in (b"\1", b"\2", b"\3"):
        raise MatrixError(f"{name} is not a .npy array.")
    written = member.read(length) if length <= MAX_HEADER_BYTES else b""
    matched = _HEADER.fullmatch(written.decode("latin-1"))
    if matched is None:
        raise MatrixError(f"{name} does not begin with the header that numpy writes.")
    return matched.groupdict()


def _dtype(name: str, descr: str) -> str:
    """A dtype of numbers, bool or short text, or a refusal that says what else it is."""
    if _NUMBERS.fullmatch(descr) or _TEXT.fullmatch(descr):
        return descr.strip("'")
    if "O" in descr:
        raise MatrixError(f"{name} holds Python objects, which are never read.")
    shown = quote(descr.strip("'"))
    raise MatrixError(f"{name} is of type {shown}; floats, integers and bool are read.")


def _fill(member: IO[bytes], name: str, view: memoryview) -> None:
    """Unpack exactly as many bytes as there is room for; then the checksum was held, too."""
    filled, size = 0, len(view)
    while filled < size:
        part = member.read(min(CHUNK_BYTES, size - filled))
        if not part:
            raise MatrixError(f"{name} ends after {filled:,} of its {size:,} bytes.")
        view[filled : filled + len(part)] = part
        filled += len(part)
    if member.read(1):
        raise MatrixError(f"{name} goes on after the {size:,} bytes that it says it has.")
