"""Checks of the parts of an uploaded sparse matrix, before scipy gets them.

They look at shapes, lengths and ranges, and allocate nothing larger than the stored values.
"""

from __future__ import annotations

import numpy as np

from embviz.core import bounds
from embviz.core.archive import Array
from embviz.core.refused import Refused
from embviz.core.wording import number

MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000_000
MAX_INDPTR_BYTES = 8 * (MAX_ROWS + 1)


class MatrixError(Refused):
    """Input that is no sparse matrix of counts."""


def max_unpacked_bytes() -> int:
    """Bytes that the arrays of the cells allowed (EMBVIZ_MAX_CELLS) may need."""
    cells = bounds.CELLS.value()  # 16 bytes each at most in csr, and 24 in an int64 coo
    return max(20 * cells, 16 * cells + MAX_INDPTR_BYTES)


def check_shape(rows: int, columns: int) -> None:
    """Refuse (MatrixError) a matrix without rows or columns, or with too many."""
    if not (1 <= rows <= MAX_ROWS and 1 <= columns <= MAX_COLUMNS):
        raise MatrixError(
            f"A matrix of {number(rows)} x {number(columns)} is outside 1 to {MAX_ROWS:,} rows "
            f"and 1 to {MAX_COLUMNS:,} columns."
        )


def check_compressed(
    indptr: Array, indices: Array, data: Array, shape: tuple[int, int], line: str, place: str
) -> None:
    """Refuse (MatrixError) an indptr, indices and data that do not fit together.

    Args:
        indptr: the start of each of `shape[0]` rows; it must rise from 0 to the end.
        indices: places, from 0 to below `shape[1]`.
        data: one value for each place.
        shape: (rows, columns), or (columns, rows) of a csc.
        line: the name of a row in messages, such as `row` or `column`.
        place: the name of a column in messages.
    """
    for name, part in (("indptr", indptr), ("indices", indices)):
        check_whole_numbers(name, part)
    if len(indptr) != shape[0] + 1:
        raise MatrixError(
            f"An indptr of {len(indptr):,} entries does not fit {shape[0]:,} {line}s, "
            f"which need {shape[0] + 1:,}."
        )
    check_lengths("indices", indices, data)
    if indptr[0] != 0 or indptr[-1] != len(indices):
        raise MatrixError(
            f"indptr runs from {indptr[0]:,} to {indptr[-1]:,} and must run from 0 to the "
            f"{len(indices):,} stored values."
        )
    backwards = indptr[1:] < indptr[:-1]
    if backwards.any():
        at = int(backwards.argmax())
        raise MatrixError(
            f"indptr runs backwards at {line} {at:,}: {indptr[at]:,}, then {indptr[at + 1]:,}."
        )
    outside = out_of_range(indices, shape[1])
    if outside is not None:
        at = int(np.searchsorted(indptr, outside, side="right")) - 1
        raise MatrixError(
            f"Index {indices[outside]:,} in {line} {at:,} is not one of {place}s "
            f"0 to {shape[1] - 1:,}."
        )


def check_finite(indptr: Array, indices: Array, values: Array) -> None:
    """Refuse (MatrixError) NaN and inf among the values of a checked indptr and indices."""
    odd = ~np.isfinite(values)
    if odd.any():
        place = int(odd.argmax())
        row = int(np.searchsorted(indptr, place, side="right")) - 1
        raise MatrixError(
            f"{values[place]} in row {row:,}, column {indices[place]:,} is not a finite number."
        )


def check_whole_numbers(name: str, part: Array) -> None:
    """Refuse (MatrixError) anything but a one-dimensional array of integers."""
    if part.ndim != 1 or part.dtype.kind not in "iu":
        raise MatrixError(
            f"{name} is {part.dtype} of shape {part.shape} and must be one line of whole numbers."
        )


def check_lengths(name: str, part: Array, data: Array) -> None:
    """Refuse (MatrixError) different numbers of places and values, or too many values."""
    if data.ndim < 1 or len(part) != len(data):
        raise MatrixError(f"{len(part):,} {name} do not fit data of shape {data.shape}.")
    check_size(data)


def check_size(data: Array) -> None:
    """Refuse (MatrixError) more stored values than EMBVIZ_MAX_CELLS allows."""
    if data.size > (most := bounds.CELLS.value()):
        raise MatrixError(f"{data.size:,} stored values are more than the {most:,} allowed.")


def out_of_range(part: Array, limit: int) -> int | None:
    """The position of the first number outside 0 to `limit` - 1, or None."""
    if not len(part) or (part.min() >= 0 and part.max() < limit):
        return None
    return int(((part < 0) | (part >= limit)).argmax())


def as_floats(numbers: Array) -> Array:
    """Numbers as float32 or float64 of the same value; float32 and float64 are not copied.

    float32 and float64 stay as they are, float16 becomes float32, and whole
    numbers become float32 where that holds every one exactly, else float64.

    Raises:
        MatrixError: complex numbers, text, objects, or whole numbers beyond 2**53.
    """
    kind, native = numbers.dtype.kind, numbers.dtype.newbyteorder("=")
    if kind == "f" and numbers.itemsize in (4, 8):
        return numbers.astype(native, copy=False)
    if kind == "b" or (kind in "fiu" and numbers.itemsize <= 2):
        return numbers.astype(np.float32)
    if kind not in "iu":
        raise MatrixError(f"Data of {numbers.dtype} are not numbers that a layer multiplies.")
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    largest = max(high, -low)
    if largest > 2**53:
        raise MatrixError(f"A count of {number(largest)} is too large to be held exactly.")
    return numbers.astype(np.float32 if largest <= 2**24 else np.float64)
