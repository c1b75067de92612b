"""Uploads: a `.npz` as `scipy.sparse.save_npz` writes it, or a `.txt` of documents.

csr, csc and coo become CSR without a dense matrix. A csr keeps its order, its repeated
indices and its zeros; repeated places of a coo are summed, as scipy does. Every part is checked
before scipy gets it, because a wrong index would make compiled code read outside of the array.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import scipy.sparse

from embviz.bag.checks import (
    MatrixError,
    as_floats,
    check_compressed,
    check_lengths,
    check_shape,
    check_size,
    check_whole_numbers,
    max_unpacked_bytes,
    out_of_range,
)
from embviz.bag.documents import MAX_TEXT, Kind, StopWords, vectorize
from embviz.bag.matrix import Matrix, check, from_parts
from embviz.core.archive import Array, read_arrays
from embviz.core.refused import Refused
from embviz.core.wording import quote

Parts = dict[str, Array]
Shape = tuple[int, int]


def read_upload(name: str, content: bytes, kind: Kind, stop_words: StopWords = None) -> Matrix:
    """Read an uploaded file.

    Args:
        name: the file's name, for its ending and for messages.
        content: its bytes.
        kind: how the documents of a `.txt` are counted, a key of `KINDS`.
        stop_words: as `vectorize` takes them.

    Returns:
        a checked Matrix; a `.txt` also gives words and documents.

    Raises:
        MatrixError: the file's name and what is wrong with it.
    """
    try:
        if name.lower().endswith(".npz"):
            return _read_npz(content)
        if name.lower().endswith(".txt"):
            return _read_txt(content, kind, stop_words)
        raise MatrixError(
            "only a .npz of scipy.sparse.save_npz or a .txt of documents, one a line, is read."
        )
    except MatrixError as error:
        raise MatrixError(f"{quote(name)}: {error}") from None


def _read_txt(content: bytes, kind: Kind, stop_words: StopWords) -> Matrix:
    if len(content) > 4 * MAX_TEXT:  # UTF-8 has four bytes a character at most
        raise MatrixError(f"{len(content):,} bytes are more than {MAX_TEXT:,} characters.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MatrixError(f"this is not UTF-8 text (byte {error.start:,}).") from None
    return vectorize(text, kind, stop_words)


def _read_npz(content: bytes) -> Matrix:
    try:
        parts = read_arrays(
            content, max_unpacked_bytes(), _NAMES, "a matrix that scipy.sparse.save_npz writes"
        )
    except Refused as error:
        raise MatrixError(str(error)) from None
    form = _format(parts)
    needed, convert = _FORMATS[form]
    if form == "coo" and "coords" in parts:
        needed = ("coords", "data")
    for key in ("shape", *needed):
        if key not in parts:
            raise MatrixError(f"a {form} matrix needs {key}, which is missing.")
    for key in parts:
        if key not in (*needed, *_COMMON):
            raise MatrixError(f"a {form} matrix has no {key}.")
    shape = _shape(parts["shape"])
    check_size(parts["data"])  # before as_floats makes 4 bytes of 1
    return convert(shape, {**parts, "data": as_floats(parts["data"])})


def _format(parts: Parts) -> str:
    if "format" not in parts:
        raise MatrixError("format is missing; scipy.sparse.save_npz writes it.")
    written = parts["format"]
    if written.shape != () or written.dtype.kind not in "SU":
        raise MatrixError(f"format is {written.dtype} of shape {written.shape} and must be a word.")
    # numpy's item() would make a broken str of code points above U+10FFFF.
    codec = "latin-1" if written.dtype.kind == "S" else f"utf-32-{sys.byteorder[0]}e"
    form = written.tobytes().decode(codec, "replace").rstrip("\0")
    if form not in _FORMATS:
        raise MatrixError(f"format {quote(form)} is not one of: {', '.join(_FORMATS)}.")
    return form


def _shape(written: Array) -> Shape:
    check_whole_numbers("shape", written)
    if len(written) != 2:
        raise MatrixError(f"a shape of {len(written)} sizes is no matrix; rows and columns are.")
    rows, columns = written.tolist()
    check_shape(rows, columns)
    return rows, columns


def _from_csr(shape: Shape, parts: Parts) -> Matrix:
    return from_parts(shape, parts["indptr"], parts["indices"], parts["data"])


def _from_csc(shape: Shape, parts: Parts) -> Matrix:
    indptr, indices, data = parts["indptr"], parts["indices"], parts["data"]
    check_compressed(indptr, indices, data, shape[::-1], "column", "row")
    _check_dimensions(data)
    return check(scipy.sparse.csc_array((data, indices, indptr), shape=shape).tocsr())


def _from_coo(shape: Shape, parts: Parts) -> Matrix:
    data = parts["data"]
    _check_dimensions(data)
    places = [parts["row"], parts["col"]] if "row" in parts else _two(parts["coords"])
    for name, places_there, limit in zip(("row", "col"), places, shape, strict=True):
        check_whole_numbers(name, places_there)
        check_lengths(name, places_there, data)
        outside = out_of_range(places_there, limit)
        if outside is not None:
            raise MatrixError(
                f"{name} {places_there[outside]:,} of value {outside:,} is not one of "
                f"0 to {limit - 1:,}."
            )
    return check(scipy.sparse.coo_array((data, tuple(places)), shape=shape).tocsr())


def _two(coords: Array) -> list[Array]:
    if coords.ndim != 2 or len(coords) != 2:
        raise MatrixError(f"coords has shape {coords.shape} and must have two lines.")
    return list(coords)


def _check_dimensions(data: Array) -> None:
    if data.ndim != 1:
        raise MatrixError(f"data has shape {data.shape} and must be one line of numbers.")


_COMMON = ("format", "shape", "_is_array")
_FORMATS: dict[str, tuple[tuple[str, ...], Callable[[Shape, Parts], Matrix]]] = {
    "csr": (("indptr", "indices", "data"), _from_csr),
    "csc": (("indptr", "indices", "data"), _from_csc),
    "coo": (("row", "col", "data"), _from_coo),
}
_NAMES = {*_COMMON, "coords", *(name for needed, _ in _FORMATS.values() for name in needed)}
