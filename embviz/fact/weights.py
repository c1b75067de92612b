"""Weights that a person gives: typed, an array, or a `.npy`, `.npz` or text file.

A table has shape (V, D), a `Linear.weight` (D, V). Both have sizes that `Table` allows and, unless
asked otherwise, finite numbers. Anything else is refused with a sentence that quotes it.
`read_rows` reads what is typed, `read_arrays` a file.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from embviz.fact.table import MAX_EMBEDDING_DIM, MAX_NUM_EMBEDDINGS
from embviz.text.files import read_array, read_arrays
from embviz.text.refused import Refused
from embviz.text.typed import read_rows
from embviz.text.wording import quote

MAX_NUMBERS = 2_000_000
MAX_FILE_BYTES = 8 * MAX_NUMBERS + 4096  # float64, and a header
EXAMPLE = "Write one row a line, as in 8 2 1 9, or nested lists, [[8, 2, 1, 9], [6, 5, 4, 0]]."


class Kind(NamedTuple):
    """A kind of weights.

    Attributes:
        name: in a message.
        rows: how many it may have.
        columns: how many it may have.
    """

    name: str
    rows: int
    columns: int


TABLE = Kind("a table", MAX_NUM_EMBEDDINGS, MAX_EMBEDDING_DIM)  # (V, D)
LINEAR = Kind("a Linear.weight", MAX_EMBEDDING_DIM, MAX_NUM_EMBEDDINGS)  # (D, V)


def parse_weights(typed: str, finite: bool = True, kind: Kind = TABLE) -> torch.Tensor:
    r"""Read typed or pasted weights.

    Args:
        typed: nested lists, or one row a line, as `read_rows` reads them.
        finite: whether NaN and inf are refused.
        kind: what they are.

    Returns:
        float64 tensor, shape (rows, columns).

    Raises:
        Refused: says what was given and what is allowed.

    >>> parse_weights("1 2\n3 4").tolist(), parse_weights("[[1 2] [3 4]]").shape
    ([[1.0, 2.0], [3.0, 4.0]], torch.Size([2, 2]))
    """
    try:
        rows = read_rows(typed, MAX_NUMBERS)
    except Refused as error:
        raise Refused(f"{error} {EXAMPLE}") from None
    if not len(rows):
        raise Refused(f"No weights were given. {EXAMPLE}")
    return check_weights(rows, finite, kind)


def read_weights(
    name: str, content: bytes, finite: bool = True, kind: Kind = TABLE
) -> torch.Tensor:
    """Read an uploaded file: `.npy`, `.npz` with one array, or text as `parse_weights` reads it.

    Args:
        name: the file's name, for its ending and for messages.
        content: its bytes.
        finite: whether NaN and inf are refused.
        kind: what they are.

    Returns:
        float64 tensor, shape (rows, columns).

    Raises:
        Refused: says what is wrong with the file.
    """
    try:
        if name.lower().endswith(".npy"):
            return check_weights(read_array(content, MAX_FILE_BYTES), finite, kind)
        if name.lower().endswith(".npz"):
            arrays = list(read_arrays(content, MAX_FILE_BYTES).values())
            if len(arrays) != 1:
                raise Refused(f"it holds {len(arrays)} arrays; {kind.name} is one.")
            return check_weights(arrays[0], finite, kind)
        return parse_weights(content.decode("utf-8-sig"), finite, kind)
    except UnicodeDecodeError as error:
        raise Refused(f"{quote(name)} is not UTF-8 text (byte {error.start:,}).") from None
    except Refused as error:
        raise Refused(f"{quote(name)}: {error}") from None


def check_weights(
    array: np.ndarray[Any, Any], finite: bool = True, kind: Kind = TABLE
) -> torch.Tensor:
    """The weights of an array.

    Returns:
        float64 tensor, shape (rows, columns).

    Raises:
        Refused: names the type, the shape, or the number that cannot be used.
    """
    if array.dtype.kind not in "fiu":
        raise Refused(f"an array of {array.dtype} is not numbers; floats and integers are.")
    if array.ndim != 2:
        raise Refused(f"a shape of {array.shape} is no table; one of (rows, columns) is.")
    rows, columns = array.shape
    fits = 1 <= rows <= kind.rows and 1 <= columns <= kind.columns
    if not fits or array.size > MAX_NUMBERS:
        said = (
            f"{kind.name} of {rows:,} x {columns:,} is outside 1 to {kind.rows:,} rows, "
            f"1 to {kind.columns:,} columns and {MAX_NUMBERS:,} numbers."
        )
        if kind is LINEAR and columns <= kind.rows < rows:
            said += " It has a row for each output: transpose it."
        raise Refused(said)
    odd = np.argwhere(~np.isfinite(array))
    if finite and len(odd):
        row, column = odd[0].tolist()
        raise Refused(f"{array[row, column]} at row {row}, column {column} is not a finite number.")
    return torch.from_numpy(np.ascontiguousarray(array, dtype=np.float64))
