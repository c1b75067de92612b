"""Reading weights that a person gives: nested lists, lines of numbers, `.npy` or `.npz`.

Always one table of shape (V, D), finite, within the sizes that `Config` allows.
Refuses, quoting the offender: text among the numbers, rows of unequal length,
NaN and inf, another number of dimensions, pickles, archives that lie about
their size. What a file claims is read before anything is allocated.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from typing import Any

import numpy as np
import torch
from numpy.lib import format as npy_format

from embviz.core.config import MAX_EMBEDDING_DIM, MAX_NUM_EMBEDDINGS
from embviz.core.wording import quote

MAX_TYPED = 1_000_000  # characters
MAX_NUMBERS = 2_000_000
EXAMPLE = "Write one row a line, as in 8 2 1 9, or nested lists, [[8, 2, 1, 9], [6, 5, 4, 0]]."


class WeightsError(ValueError):
    """Numbers that cannot be a table of weights."""


def parse_weights(typed: str) -> torch.Tensor:
    r"""Read a typed or pasted table.

    Args:
        typed: nested lists, or one row a line with commas, semicolons, tabs or
            spaces between the numbers (CSV without a header).

    Returns:
        float64 tensor of shape (V, D).

    Raises:
        WeightsError: says what was given and what is allowed.

    >>> parse_weights("1 2\n3 4").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if len(typed) > MAX_TYPED:
        raise WeightsError(f"{len(typed):,} characters of weights are more than {MAX_TYPED:,}.")
    rows = _from_lists(typed) if "[" in typed else _from_lines(typed)
    if not rows:
        raise WeightsError(f"No weights were given. {EXAMPLE}")
    lengths = [len(row) for row in rows]
    for place, length in enumerate(lengths):
        if length != lengths[0]:
            raise WeightsError(
                f"Row {place} has {length:,} numbers and row 0 has {lengths[0]:,}; "
                "all rows of a table are equally long."
            )
    return _checked(np.array(rows, dtype=np.float64).reshape(len(rows), lengths[0]))


def read_weights(name: str, content: bytes) -> torch.Tensor:
    """Read an uploaded file: `.npy`, `.npz` with one array, or text as `parse_weights` reads it.

    Args:
        name: the file's name, for its ending and for messages.
        content: its bytes.

    Returns:
        float64 tensor of shape (V, D).

    Raises:
        WeightsError: says what is wrong with the file.
    """
    try:
        if name.lower().endswith(".npy"):
            return _checked(_read_npy(content))
        if name.lower().endswith(".npz"):
            return _checked(_read_npy(_only_member(content)))
        return parse_weights(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise WeightsError(f"{quote(name)} is not UTF-8 text (byte {error.start:,}).") from None
    except WeightsError as error:
        raise WeightsError(f"{quote(name)}: {error}") from None


def _from_lists(typed: str) -> list[list[float]]:
    try:
        value = json.loads(typed)
    except (ValueError, RecursionError):
        raise WeightsError(f"{quote(typed)} cannot be read as nested lists. {EXAMPLE}") from None
    if not isinstance(value, list) or not value or not all(isinstance(row, list) for row in value):
        raise WeightsError(f"{quote(typed)} is not a list of rows. {EXAMPLE}")
    return [[_plain(item, place) for item in row] for place, row in enumerate(value)]


def _plain(item: Any, row: int) -> float:
    """A number out of a list; whole ones of 400 digits are no float."""
    try:
        if isinstance(item, int | float) and not isinstance(item, bool):
            return float(item)
    except OverflowError:
        raise WeightsError(f"A whole number in row {row} is too large for a weight.") from None
    shown = quote(json.dumps(item, ensure_ascii=False))
    raise WeightsError(f"{shown} in row {row} is not a number. {EXAMPLE}")


def _from_lines(typed: str) -> list[list[float]]:
    rows: list[list[float]] = []
    for line in typed.strip().splitlines():
        words = [word for word in re.split(r"[,;\s]+", line.strip()) if word]
        if words:
            rows.append([_number(word, len(rows)) for word in words])
    return rows


def _number(word: str, row: int) -> float:
    try:
        return float(word.replace("_", "x"))  # Python reads 1_000; nobody else does
    except ValueError:
        raise WeightsError(f"{quote(word)} in row {row} is not a number. {EXAMPLE}") from None


def _read_npy(content: bytes) -> np.ndarray[Any, Any]:
    stream = io.BytesIO(content)
    try:
        version = npy_format.read_magic(stream)
        read = {(1, 0): npy_format.read_array_header_1_0, (2, 0): npy_format.read_array_header_2_0}
        shape, _, dtype = read[version](stream)
    except (ValueError, KeyError, EOFError):
        raise WeightsError("this is not a .npy array.") from None
    if dtype.kind not in "fiu":
        raise WeightsError(f"an array of {dtype} is not numbers; float and integer arrays are.")
    _check_shape(shape)
    if math.prod(shape) * dtype.itemsize > len(content) - stream.tell():
        raise WeightsError(f"the array says it is {shape}, but the file ends before that.")
    stream.seek(0)
    try:
        array: np.ndarray[Any, Any] = np.load(stream, allow_pickle=False)
    except (ValueError, EOFError, OSError):
        raise WeightsError("the array cannot be read.") from None
    return array.astype(np.float64)


def _only_member(content: bytes) -> bytes:
    """The one array of a `.npz`, unpacked only as far as a table may be large."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise WeightsError(f"it holds {len(names)} arrays; a table of weights is one.")
            with archive.open(names[0]) as member:
                limit = 8 * MAX_NUMBERS + 4096
                unpacked = member.read(limit + 1)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, OSError):
        raise WeightsError("this is not a .npz archive.") from None
    if len(unpacked) > limit:
        raise WeightsError(f"its array is larger than the {MAX_NUMBERS:,} numbers allowed.")
    return unpacked


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise WeightsError(f"a shape of {shape} is no table; one of (rows, columns) is.")
    rows, columns = shape
    fits = 1 <= rows <= MAX_NUM_EMBEDDINGS and 1 <= columns <= MAX_EMBEDDING_DIM
    if not fits or rows * columns > MAX_NUMBERS:
        raise WeightsError(
            f"a table of {rows:,} x {columns:,} is outside 1 to {MAX_NUM_EMBEDDINGS:,} rows, "
            f"1 to {MAX_EMBEDDING_DIM:,} columns and {MAX_NUMBERS:,} numbers."
        )


def _checked(array: np.ndarray[Any, Any]) -> torch.Tensor:
    _check_shape(array.shape)
    odd = np.argwhere(~np.isfinite(array))
    if len(odd):
        row, column = odd[0].tolist()
        raise WeightsError(
            f"{array[row, column]} at row {row}, column {column} is not a finite number."
        )
    return torch.from_numpy(np.ascontiguousarray(array))
