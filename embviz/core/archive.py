"""Arrays from an uploaded `.npz` or `.npy` file, whose every number may be forged.

A `.npz` is a zip of `.npy` members. Nothing is unpickled and nothing of the file is evaluated: a
header must match the one line that numpy writes. The size that a member claims is checked
against the limit before anything is allocated, and against the bytes that are unpacked.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Collection
from typing import IO, Any, Literal

import numpy as np

from embviz.core.refused import Refused
from embviz.core.wording import format_bytes, number, quote

MAX_PACKED_BYTES = 200_000_000
MAX_MEMBERS = 16
MAX_HEADER_BYTES = 4096

Array = np.ndarray[Any, Any]

_ENTRY = b"PK\1\2"  # starts every entry of a zip's directory
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the two that numpy uses
_HEADER = re.compile(
    r"\{'descr': (?P<descr>.+?), 'fortran_order': (?P<fortran>True|False), "
    r"'shape': \((?P<shape>[\d, ]{0,80})\),? ?\}\s*"
)
# Numbers, bool and short text.
_KINDS = re.compile(r"'[<>|=](?:f[248]|[iu][1248]|b1|[SU][1-9]\d?)'")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    OSError,
    ValueError,
    OverflowError,
    LookupError,
)


class ArchiveError(Refused):
    """A file that does not hold the arrays it should."""


class UnpackedSizeError(ArchiveError):
    """A file whose arrays are larger than allowed."""


def read_arrays(
    content: bytes, most: int, names: Collection[str] | None = None, what: str = ""
) -> dict[str, Array]:
    """Read the members of a `.npz`.

    Args:
        content: the bytes of the file.
        most: bytes that all arrays together may have.
        names: the arrays it may hold, without `.npy`; None allows any name.
        what: what `names` are parts of, for the refusal of another name.

    Returns:
        arrays of numbers, bool or short text by name, writable, in native byte order.

    Raises:
        ArchiveError: no zip, a broken, encrypted or too large one, an unknown
            member, or one that is not what its header says.
    """
    if len(content) > MAX_PACKED_BYTES:
        raise ArchiveError(
            f"the file has {format_bytes(len(content))}, more than the "
            f"{format_bytes(MAX_PACKED_BYTES)} allowed."
        )
    # Counted before zipfile makes an object of each of millions of entries.
    if content.count(_ENTRY) > MAX_MEMBERS:
        raise ArchiveError(f"the archive has more than {MAX_MEMBERS} members.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _check_members(members, names, what)
            unpacked = sum(info.file_size for info in members)
            if unpacked > most:
                raise UnpackedSizeError(
                    f"unpacked it would have {unpacked:,} bytes, more than the {most:,} allowed."
                )
            arrays = {}
            for info in members:
                name = info.filename[:-4]
                with archive.open(info) as member:
                    arrays[name] = _read(member, name, info.file_size, most)
            return arrays
    except ArchiveError:
        raise
    except _BROKEN:
        raise ArchiveError("this is not a .npz archive, or a broken one.") from None


def read_array(content: bytes, most: int) -> Array:
    """Read a `.npy` file of at most `most` bytes of numbers, as `read_arrays` reads a member.

    Raises:
        ArchiveError: no array, one of Python objects, or one that is not what its header says.
    """
    if len(content) > most + MAX_HEADER_BYTES:
        raise UnpackedSizeError(f"{len(content):,} bytes are more than the {most:,} allowed.")
    return _read(io.BytesIO(content), "this", len(content), most)


def _check_members(
    members: list[zipfile.ZipInfo], names: Collection[str] | None, what: str
) -> None:
    """Check the zip's directory before any member is read."""
    seen: set[str] = set()
    for info in members:
        name = info.filename
        if name[-4:] != ".npy" or (names is not None and name[:-4] not in names):
            raise ArchiveError(f"{quote(name)} is no part of {what or 'a .npz archive'}.")
        if name in seen:
            raise ArchiveError(f"{quote(name)} is there twice.")
        seen.add(name)
        if info.flag_bits & 1 or info.compress_type not in _METHODS:
            raise ArchiveError(
                f"{quote(name)} is encrypted, or packed by method {info.compress_type}; numpy "
                "deflates or stores."
            )


def _read(member: IO[bytes], name: str, size: int, most: int) -> Array:
    """One array of `size` bytes, its header included, or a refusal."""
    start = member.read(8)
    wide = 2 if start[6:7] == b"\1" else 4  # version 1, or 2 and 3
    length = int.from_bytes(member.read(wide), "little")
    if start[:6] != b"\x93NUMPY" or start[6:7] not in (b"\1", b"\2", b"\3"):
        raise ArchiveError(f"{name} is not a .npy array.")
    written = member.read(length) if length <= MAX_HEADER_BYTES else b""
    header = _HEADER.fullmatch(written.decode("latin-1"))
    if header is None:
        raise ArchiveError(f"{name} does not begin with the header that numpy writes.")
    kind = header["descr"].strip("'")
    if not _KINDS.fullmatch(header["descr"]):
        if "O" in kind:
            raise ArchiveError(f"{name} holds Python objects, which are never read.")
        raise ArchiveError(f"{name} is of type {quote(kind)}; floats, integers and bool are read.")
    dtype, size = np.dtype(kind), size - member.tell()
    shape = tuple(int(part) for part in header["shape"].replace(",", " ").split())
    claimed = math.prod(shape) * dtype.itemsize
    if len(shape) > 3 or max(shape, default=0) > most or claimed != size:
        shown = "(" + ", ".join(number(part) for part in shape[:4]) + ")"
        raise ArchiveError(
            f"{name} says it is {dtype} of shape {shown}, but {number(size)} bytes are there."
        )
    # One byte more: reading to the end also checks the zip's checksum.
    if len(raw := member.read(size + 1)) != size:
        ends = f"ends after {len(raw):,} of" if len(raw) < size else "goes on after"
        raise ArchiveError(f"{name} {ends} its {size:,} bytes.")
    order: Literal["F", "C"] = "F" if header["fortran"] == "True" else "C"
    return np.frombuffer(raw, dtype).astype(dtype.newbyteorder("=")).reshape(shape, order=order)
