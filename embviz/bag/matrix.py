"""A sparse matrix of counts, kept in CSR exactly as it was stored.

Unsorted and repeated column indices, stored zeros, int32 or int64 indices and float32 or float64
data stay as they are, so that the routes can show their effect. Every Matrix made here is checked;
no check builds the dense matrix. Refused, naming the row: text among the numbers, rows of unequal
length, NaN and inf, indices out of range, an indptr that runs backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from embviz.bag.checks import MatrixError as MatrixError
from embviz.bag.checks import as_floats, check_compressed, check_finite, check_shape
from embviz.core.archive import Array
from embviz.core.refused import Refused
from embviz.core.typed import read_table
from embviz.core.wording import number

MAX_DENSE_COLUMNS = 100_000  # of a row that is written out
MAX_CELLS = 1_000_000  # of a typed matrix
EXAMPLE = "Write one row a line, as in 1 0 1 0, or nested lists, [[1, 0, 1, 0], [0, 0, 1, 1]]."


@dataclass(frozen=True, eq=False)
class Row:
    """One row as CSR stores it: `data[k]` stands in column `indices[k]`.

    Attributes:
        index: its number in the matrix, from 0.
        indices: int32 or int64, shape (nnz of the row,); a view, in stored order.
        data: float32 or float64, same shape; a view.
        num_columns: columns of the matrix.
        columns: the word of each column, or None.
    """

    index: int
    indices: Array
    data: Array
    num_columns: int
    columns: tuple[str, ...] | None = None

    def dense(self) -> Array:
        """The row written out, repeated indices summed.

        Returns:
            array of shape (num_columns,), of the dtype of `data`.

        Raises:
            MatrixError: there are more than `MAX_DENSE_COLUMNS` columns.
        """
        if self.num_columns > MAX_DENSE_COLUMNS:
            raise MatrixError(
                f"A row of {self.num_columns:,} columns is too long to write out; "
                f"{MAX_DENSE_COLUMNS:,} are allowed."
            )
        cells = np.zeros(self.num_columns, dtype=self.data.dtype)
        with np.errstate(over="ignore"):
            np.add.at(cells, self.indices, self.data)
        return cells

    @property
    def binary(self) -> bool:
        """Whether every stored value is 1; then the indices alone define the row."""
        return bool((self.data == 1).all())

    @property
    def has_duplicates(self) -> bool:
        """Whether a column is stored more than once."""
        return len(np.unique(self.indices)) < len(self.indices)

    @property
    def has_explicit_zeros(self) -> bool:
        """Whether a zero is stored."""
        return bool((self.data == 0).any())

    @property
    def is_sorted(self) -> bool:
        """Whether the indices never run backwards."""
        return bool((self.indices[1:] >= self.indices[:-1]).all())


@dataclass(frozen=True, eq=False)
class Matrix:
    r"""Rows of counts in CSR, made by `parse_matrix`, `from_parts` or `check`.

    Attributes:
        csr: `scipy.sparse.csr_array` of shape (R, C), R and C at least 1; not canonical.
        columns: C words, or None where the columns are plain numbers.
        documents: the text of each row, shortened, or None.

    Raises:
        MatrixError: the words do not match the columns, or the documents the rows.

    >>> matrix = parse_matrix("1 0 2\n0 0 0")
    >>> matrix.shape, matrix.nnz, matrix.row(0).indices.tolist(), matrix.row(0).data.tolist()
    ((2, 3), 2, [0, 2], [1.0, 2.0])
    """

    csr: scipy.sparse.csr_array
    columns: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        rows, columns = self.shape
        if self.columns is not None and len(self.columns) != columns:
            raise MatrixError(f"{len(self.columns):,} words cannot name {columns:,} columns.")
        if self.documents is not None and len(self.documents) != rows:
            raise MatrixError(f"{len(self.documents):,} documents are not {rows:,} rows.")

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        rows, columns = self.csr.shape
        return int(rows), int(columns)

    @property
    def nnz(self) -> int:
        """Number of stored values, with zeros and repeated ones."""
        return int(self.csr.indptr[-1])

    @property
    def csr_bytes(self) -> int:
        """Bytes of `indptr`, `indices` and `data`."""
        return int(self.csr.indptr.nbytes + self.csr.indices.nbytes + self.csr.data.nbytes)

    @property
    def dense_bytes(self) -> int:
        """Bytes of the dense matrix; computed, never allocated."""
        rows, columns = self.shape
        return rows * columns * int(self.csr.data.itemsize)

    def row(self, index: int) -> Row:
        """Row `index`, from 0.

        Raises:
            MatrixError: there is no such row.
        """
        rows, columns = self.shape
        if not 0 <= index < rows:
            raise MatrixError(f"Row {number(index)} is not one of rows 0 to {rows - 1:,}.")
        start, end = self.csr.indptr[index : index + 2].tolist()
        indices, data = self.csr.indices[start:end], self.csr.data[start:end]
        return Row(index, indices, data, columns, self.columns)


def parse_matrix(text: str) -> Matrix:
    r"""Read a typed or pasted matrix.

    Args:
        text: nested lists, as Python or numpy prints them, or one row a line
            with commas, semicolons or spaces between the numbers.

    Returns:
        float32 where that holds every number exactly, else float64; zeros not stored.

    Raises:
        MatrixError: quotes the input and says what is allowed.

    >>> parse_matrix("[[1, 0, 1, 0], [0, 0, 1, 1]]").csr.indices.tolist()
    [0, 2, 2, 3]
    """
    try:
        rows = read_table(text)
    except Refused as error:
        raise MatrixError(f"{error} {EXAMPLE}") from None
    if not rows:
        raise MatrixError(f"No matrix was given. {EXAMPLE}")
    count, width = len(rows), len(rows[0])
    check_shape(count, width)
    if count * width > MAX_CELLS:
        raise MatrixError(
            f"{count:,} x {width:,} cells are more than the {MAX_CELLS:,} that can be read."
        )
    exact = np.array(rows)
    with np.errstate(over="ignore"):
        short = exact.astype(np.float32)
    return check(scipy.sparse.csr_array(short if (short == exact).all() else exact))


def check(matrix: Any) -> Matrix:
    """A Matrix of a CSR of unknown origin, after every part is checked.

    Args:
        matrix: a Matrix (its words and documents are kept), `csr_matrix` or `csr_array`.

    Raises:
        MatrixError: as `from_parts`.
    """
    csr = matrix.csr if isinstance(matrix, Matrix) else matrix
    if csr.format != "csr":
        raise MatrixError(f"A matrix of format {csr.format} is not CSR; tocsr() makes it so.")
    checked = from_parts(csr.shape, csr.indptr, csr.indices, csr.data)
    return Matrix(checked.csr, matrix.columns, matrix.documents) if matrix is not csr else checked


def from_parts(shape: Sequence[int], indptr: Array, indices: Array, data: Array) -> Matrix:
    """A Matrix of the three arrays of a CSR, after every part is checked.

    Args:
        shape: (rows, columns).
        indptr: whole numbers, shape (rows + 1,): row i is stored at indptr[i] to indptr[i + 1].
        indices: whole numbers, shape (nnz,): the column of each value.
        data: bool, integers or floats, shape (nnz,).

    Returns:
        a Matrix; it shares the arrays' memory where the types allow it.

    Raises:
        MatrixError: names the wrong part and the place.
    """
    if len(shape) != 2:
        raise MatrixError(f"A shape of {tuple(shape)} is no matrix; one of (rows, columns) is.")
    rows, columns = (int(size) for size in shape)
    check_shape(rows, columns)
    check_compressed(indptr, indices, data, (rows, columns), "row", "column")
    if data.ndim != 1:
        raise MatrixError(f"Data of shape {data.shape} are not one value for each index.")
    values = as_floats(data)
    check_finite(indptr, indices, values)
    # torch and scipy take int32 or int64 indices only.
    wide = np.int64 if np.int64 in (indptr.dtype, indices.dtype) else np.int32
    parts = (values, indices.astype(wide, copy=False), indptr.astype(wide, copy=False))
    return Matrix(scipy.sparse.csr_array(parts, shape=(rows, columns)))
