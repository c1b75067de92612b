"""Bytes of a dense matrix and of CSR as the vocabulary grows: computed, never allocated."""

from __future__ import annotations

from dataclasses import dataclass

import torch

COLUMNS = tuple(10**power for power in range(2, 7))


@dataclass(frozen=True)
class Forecast:
    """The bytes of one matrix.

    Attributes:
        columns: words V.
        dense_bytes: of the dense matrix.
        csr_bytes: of `data`, `indices` and `indptr`.
    """

    columns: int
    dense_bytes: int
    csr_bytes: int


def memory_forecast(
    rows: int,
    nnz_per_row: float,
    dtype: torch.dtype = torch.float32,
    columns: tuple[int, ...] = COLUMNS,
) -> list[Forecast]:
    """The bytes for the same documents and a growing number of columns.

    Args:
        rows: documents.
        nnz_per_row: distinct words in a document, on average; more columns add only zeros.
        dtype: of the values.
        columns: numbers of columns.

    Returns:
        one forecast for each of `columns`; ids are int32 up to 2**31 - 1 stored values.

    >>> memory_forecast(1000, 20, columns=(100, 1_000_000))
    ... # doctest: +NORMALIZE_WHITESPACE
    [Forecast(columns=100, dense_bytes=400000, csr_bytes=164004),
     Forecast(columns=1000000, dense_bytes=4000000000, csr_bytes=164004)]
    """
    found = []
    for width in columns:
        stored = round(rows * min(nnz_per_row, width))
        index = 4 if max(stored, width) < 2**31 else 8
        csr_bytes = stored * (dtype.itemsize + index) + (rows + 1) * index
        found.append(Forecast(width, rows * width * dtype.itemsize, csr_bytes))
    return found
