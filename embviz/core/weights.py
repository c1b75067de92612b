"""A table of weights that a person gives: typed, or a `.npy`, `.npz` or text file.

The table has shape (V, D), a size that `Config` allows and, unless asked otherwise, finite numbers;
anything else is refused with a sentence that quotes it. `typed` and `archive` read the numbers.
"""

from typing import Any

import numpy as np
import torch

from embviz.core.archive import read_array, read_arrays
from embviz.core.config import MAX_EMBEDDING_DIM, MAX_NUM_EMBEDDINGS
from embviz.core.refused import Refused
from embviz.core.typed import read_table
from embviz.core.wording import quote

MAX_NUMBERS = 2_000_000
MAX_FILE_BYTES = 8 * MAX_NUMBERS + 4096  # float64, and a header
EXAMPLE = "Write one row a line, as in 8 2 1 9, or nested lists, [[8, 2, 1, 9], [6, 5, 4, 0]]."


def parse_weights(typed: str, finite: bool = True) -> torch.Tensor:
    r"""Read a typed or pasted table.

    Args:
        typed: nested lists, or one row a line with commas, semicolons, tabs or
            spaces between the numbers (CSV without a header).
        finite: whether NaN and inf are refused.

    Returns:
        float64 tensor of shape (V, D).

    Raises:
        Refused: says what was given and what is allowed.

    >>> parse_weights("1 2\n3 4").tolist(), parse_weights("[[1 2] [3 4]]").shape
    ([[1.0, 2.0], [3.0, 4.0]], torch.Size([2, 2]))
    """
    try:
        rows = read_table(typed)
    except Refused as error:
        raise Refused(f"{error} {EXAMPLE}") from None
    if not rows:
        raise Refused(f"No weights were given. {EXAMPLE}")
    return _checked(np.array(rows), finite)


def read_weights(name: str, content: bytes, finite: bool = True) -> torch.Tensor:
    """Read an uploaded file: `.npy`, `.npz` with one array, or text as `parse_weights` reads it.

    Args:
        name: the file's name, for its ending and for messages.
        content: its bytes.
        finite: whether NaN and inf are refused.

    Returns:
        float64 tensor of shape (V, D).

    Raises:
        Refused: says what is wrong with the file.
    """
    try:
        if name.lower().endswith(".npy"):
            return _checked(read_array(content, MAX_FILE_BYTES), finite)
        if name.lower().endswith(".npz"):
            arrays = list(read_arrays(content, MAX_FILE_BYTES).values())
            if len(arrays) != 1:
                raise Refused(f"it holds {len(arrays)} arrays; a table of weights is one.")
            return _checked(arrays[0], finite)
        return parse_weights(content.decode("utf-8-sig"), finite)
    except UnicodeDecodeError as error:
        raise Refused(f"{quote(name)} is not UTF-8 text (byte {error.start:,}).") from None
    except Refused as error:
        raise Refused(f"{quote(name)}: {error}") from None


def _checked(array: np.ndarray[Any, Any], finite: bool) -> torch.Tensor:
    if array.dtype.kind not in "fiu":
        raise Refused(f"an array of {array.dtype} is not numbers; floats and integers are.")
    if array.ndim != 2:
        raise Refused(f"a shape of {array.shape} is no table; one of (rows, columns) is.")
    rows, columns = array.shape
    fits = 1 <= rows <= MAX_NUM_EMBEDDINGS and 1 <= columns <= MAX_EMBEDDING_DIM
    if not fits or rows * columns > MAX_NUMBERS:
        raise Refused(
            f"a table of {rows:,} x {columns:,} is outside 1 to {MAX_NUM_EMBEDDINGS:,} rows, "
            f"1 to {MAX_EMBEDDING_DIM:,} columns and {MAX_NUMBERS:,} numbers."
        )
    odd = np.argwhere(~np.isfinite(array))
    if finite and len(odd):
        row, column = odd[0].tolist()
        raise Refused(f"{array[row, column]} at row {row}, column {column} is not a finite number.")
    return torch.from_numpy(np.ascontiguousarray(array, dtype=np.float64))
