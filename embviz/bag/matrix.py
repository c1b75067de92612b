"""A sparse matrix of counts in CSR: typed, of documents or uploaded, and changed by hand.

Every part is checked before compiled code gets it: a wrong index would read outside of an array.
No check makes the matrix dense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse

from embviz.system import bounds
from embviz.text.refused import Refused
from embviz.text.saved import read_saved
from embviz.text.wording import counted, number

MAX_SIZE = 1_000_000  # rows, and columns
MAX_TYPED = 25_000_000  # numbers that are typed or in a CSV, zeros too: 50 MB of text
LARGEST = 2**53  # below it float64 holds every whole number
EXAMPLE = "Write one row a line, as in 1 0 1 0, or nested lists, [[1, 0, 1, 0], [0, 0, 1, 1]]."


@dataclass(frozen=True, eq=False)
class Matrix:
    """Rows of counts.

    Attributes:
        csr: `scipy.sparse.csr_array` of float64, shape (R, V), R and V at least 1; the columns of a
            row are sorted, each once.
        columns: V words, or none where the columns are plain numbers.
        documents: the text of each row, or none.
        said: a sentence about what was left out of a table, or may be no row of it; may be empty.
        other: the choice of `header` for the other way; empty where there is none.
    """

    csr: scipy.sparse.csr_array
    columns: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    said: str = ""
    other: str = ""

    def changed(self, index: int, counts: Mapping[int, float]) -> Matrix:
        """The matrix with other counts in row `index`, by column; a count of 0 is not stored.

        Raises:
            Refused: there is no such column.
        """
        if not counts:
            return self
        if (last := max(counts)) >= (columns := self.csr.shape[1]):
            raise Refused(f"Column {last:,} of edit is not one of 0 to {columns - 1:,}.")
        row = self.csr[[index]].toarray()
        row[0, [*counts]] = [*counts.values()]
        parts = self.csr[:index], scipy.sparse.csr_array(row), self.csr[index + 1 :]
        return replace(self, csr=scipy.sparse.vstack(parts, format="csr"))


def parse_matrix(text: str, header: str = "auto", is_file: bool = False) -> Matrix:
    r"""Read a typed or pasted matrix.

    Args:
        text: nested lists, or one row a line, as `read_saved` reads them.
        header: as `read_saved` takes it.
        is_file: whether it is a file's text.

    Raises:
        Refused: quotes the input and says what is allowed.

    >>> parse_matrix("[[1, 0, 1, 0], [0, 0, 1, 1]]").csr.indices.tolist()
    [0, 2, 2, 3]
    """
    try:
        saved = read_saved(text, MAX_TYPED, header, is_file)
    except Refused as error:
        raise Refused(f"{error} {EXAMPLE}") from None
    if not len(saved.rows):
        raise Refused(f"No matrix was given. {EXAMPLE}")
    matrix = checked(scipy.sparse.csr_array(saved.rows))
    return replace(matrix, said=saved.said, other=saved.other)


def checked(sparse: Any) -> Matrix:
    """A Matrix of a scipy csr, csc or coo whose every number may be forged.

    scipy's constructors have checked the lengths of its parts. Repeated places are summed. Its
    argument may be changed.

    Raises:
        Refused: names what is wrong, and the place.
    """
    if len(sparse.shape) != 2:
        found = counted(len(sparse.shape), "dimension")
        raise Refused(
            f"An array of shape {tuple(sparse.shape)} has {found}; a matrix has two, (rows, "
            "columns). In scipy, X.reshape(1, -1) makes one row."
        )
    if not all(1 <= size <= MAX_SIZE for size in sparse.shape):
        sizes = " × ".join(map(number, sparse.shape))
        raise Refused(f"A matrix of {sizes} is outside 1 to {MAX_SIZE:,} rows and columns.")
    if sparse.data.dtype.kind not in "biuf":
        raise Refused(f"Its data are {sparse.data.dtype} and must be numbers.")
    if sparse.data.size > (most := bounds.CELLS.value()):
        raise Refused(f"{sparse.data.size:,} stored values are more than the {most:,} allowed.")
    if sparse.format != "coo":  # scipy looks at a coo's places, and at a csr's not always
        indptr, places = sparse.indptr, sparse.indices
        if (indptr[1:] < indptr[:-1]).any():
            raise Refused(
                f"indptr must rise from 0 to {sparse.data.size:,}, the number of stored values."
            )
        limit = sparse.shape[sparse.format == "csr"]
        if (outside := (places < 0) | (places >= limit)).any():
            raise Refused(f"Index {places[outside.argmax()]:,} is not one of 0 to {limit - 1:,}.")
    sparse.data = sparse.data.astype(np.float64)
    csr = scipy.sparse.csr_array(sparse)
    csr.sum_duplicates()
    if len(odd := np.flatnonzero(~(np.abs(csr.data) < LARGEST))):
        row = np.searchsorted(csr.indptr, odd[0], "right") - 1
        raise Refused(
            f"{csr.data[odd[0]]:g} in row {row:,}, column {csr.indices[odd[0]]:,} is not a number "
            f"between -{LARGEST:,} and {LARGEST:,}."
        )
    return Matrix(csr)
