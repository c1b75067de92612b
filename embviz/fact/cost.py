"""Counts of what each route reads, multiplies and stores, from the shapes alone.

The timing page measures how long that takes; this module does not.
"""

from dataclasses import dataclass

ID_BYTES = 8  # ids are int64


@dataclass(frozen=True)
class Cost:
    """Counts for N tokens, V rows, D columns and a weight of `itemsize` bytes a number.

    >>> cost = Cost(tokens=25, num_embeddings=100, embedding_dim=10, itemsize=4)
    >>> cost.numbers_read, cost.multiplications, cost.multiplications_by_zero
    (250, 25000, 24750)
    """

    tokens: int
    num_embeddings: int
    embedding_dim: int
    itemsize: int

    @property
    def numbers_read(self) -> int:
        """Numbers that lookup copies out of the table: N · D."""
        return self.tokens * self.embedding_dim

    @property
    def multiplications(self) -> int:
        """Multiplications of `one_hot @ weight`: N · V · D."""
        return self.tokens * self.num_embeddings * self.embedding_dim

    @property
    def multiplications_by_zero(self) -> int:
        """Multiplications by a 0 of the one-hot: N · (V - 1) · D."""
        return self.multiplications - self.numbers_read

    @property
    def ids_bytes(self) -> int:
        """Bytes of the int64 ids."""
        return self.tokens * ID_BYTES

    @property
    def one_hot_bytes(self) -> int:
        """Bytes of the whole N x V one-hot in the weight's dtype."""
        return self.tokens * self.num_embeddings * self.itemsize

    @property
    def table_bytes(self) -> int:
        """Bytes of one V x D table in the weight's dtype."""
        return self.num_embeddings * self.embedding_dim * self.itemsize
