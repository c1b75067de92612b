"""Weights that a person gives: typed, an array, or a `.npy`, `.npz` or text file.

A table has shape (V, D), a `Linear.weight` (D, V). Both have sizes that `Table` allows and, unless
asked otherwise, finite numbers. Anything else is refused with a sentence that quotes it.
`read_saved` reads what is typed, `read_arrays` a file.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from embviz.fact.table import MAX_EMBEDDING_DIM, MAX_NUM_EMBEDDINGS
from embviz.fact.words import OwnWords
from embviz.text.files import decoded, kind_of, read_array, read_arrays
from embviz.text.refused import Refused
from embviz.text.saved import read_saved, read_words
from embviz.text.wording import quote

MAX_NUMBERS = 2_000_000
MAX_FILE_BYTES = 8 * MAX_NUMBERS + 4096  # float64, and a header
# Bytes of a file of words and vectors that are read.
MAX_WORDS_BYTES = 64_000_000
EXAMPLE = "Write one row a line, as in 8 2 1 9, or nested lists, [[8, 2, 1, 9], [6, 5, 4, 0]]."
WORDS_EXAMPLE = "Write a word and its numbers on each line, as in cat 0.5 -1."


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


class Own(NamedTuple):
    """Weights that a person gave.

    Attributes:
        weight: float64, shape (rows, columns).
        said: a sentence about what was left out of a table, or may be no row of it; may be empty.
        other: the choice of `header` for the other way; `words` where words were left out that may
            be looked up; empty where there is no other way.
        words: the words in front of the rows; None where none were asked for.
    """

    weight: torch.Tensor
    said: str = ""
    other: str = ""
    words: OwnWords | None = None

    def has_words(self) -> bool:
        """Whether a letter is in front of any row."""
        return self.words is not None and self.words.has_letters()


class Reading(NamedTuple):
    """How weights are read.

    Attributes:
        finite: whether NaN and inf are refused.
        kind: what they are.
        header: as `read_saved` takes it.
        words: whether a word stands in front of each row.
    """

    finite: bool = True
    kind: Kind = TABLE
    header: str = "auto"
    words: bool = False


USUAL = Reading()


def parse_weights(typed: str, reading: Reading = USUAL, is_file: bool = False) -> Own:
    r"""Read typed or pasted weights, or the text of a file.

    Args:
        typed: nested lists, or one row a line, as `read_saved` reads them.
        reading: what they are.
        is_file: whether it is a file's text.

    Raises:
        Refused: says what was given and what is allowed.

    >>> parse_weights("1 2\n3 4").weight.tolist(), parse_weights("[[1 2] [3 4]]").weight.shape
    ([[1.0, 2.0], [3.0, 4.0]], torch.Size([2, 2]))
    """
    example = WORDS_EXAMPLE if reading.words else EXAMPLE
    try:
        if reading.words:
            saved = read_words(typed, MAX_NUMBERS, reading.header, is_file)
        else:
            saved = read_saved(typed, MAX_NUMBERS, reading.header, is_file)
    except Refused as error:
        raise Refused(f"{error} {example}") from None
    if not len(saved.rows):
        raise Refused(f"No weights were given. {example}")
    weight = check_weights(saved.rows, reading.finite, reading.kind)
    words = OwnWords(saved.words) if reading.words else None
    other = "words" if saved.words and not words else saved.other
    return Own(weight, saved.said, other, words)


def read_weights(name: str, content: bytes, reading: Reading = USUAL) -> Own:
    """Read a file: `.npy`, `.npz` with one array, or text as `parse_weights` reads it.

    Args:
        name: the file's name, for messages.
        content: its bytes.
        reading: what it holds.

    Raises:
        Refused: says what is wrong with the file.
    """
    try:
        kind = kind_of(content, name)
        if kind == "text":
            if reading.words and len(content) > MAX_WORDS_BYTES:
                content = content[: content.rfind(b"\n", 0, MAX_WORDS_BYTES) + 1]
            return parse_weights(decoded(content), reading, True)
        if reading.words:
            raise Refused(f"it has numbers alone. {WORDS_EXAMPLE}")
        if kind == "npy":
            array = read_array(content, MAX_FILE_BYTES)
        else:
            arrays = list(read_arrays(content, MAX_FILE_BYTES).values())
            if len(arrays) != 1:
                raise Refused(f"it holds {len(arrays)} arrays; {reading.kind.name} is one.")
            array = arrays[0]
        return Own(check_weights(array, reading.finite, reading.kind))
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
            f"{kind.name} of {rows:,} × {columns:,} is outside 1 to {kind.rows:,} rows, "
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
