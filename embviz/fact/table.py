"""The settings of a table as one frozen, validated record, and its limits.

`Table` refuses an unknown init or dtype, sizes out of range, a device that this machine lacks and
tables over the memory budget. The message quotes the bad value, and nothing is allocated before. It
knows no characters and no tensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from embviz.fact.dtypes import DTYPES
from embviz.fact.inits import INITS
from embviz.system import bounds
from embviz.system.bounds import OverLimitError, check_budget, check_count
from embviz.system.devices import available_devices
from embviz.text.refused import Refused
from embviz.text.wording import format_bytes

if TYPE_CHECKING:
    import torch

MAX_NUM_EMBEDDINGS = 1_000_000
MAX_EMBEDDING_DIM = 1024
MAX_SEED = 2**32 - 1

READ = 40  # columns: to read a one-hot takes as long as to multiply it with so many
# One-hot rows are multiplied in slices of this size; one buffer is reused.
ONE_HOT_SLICE_BYTES = 32 * bounds.MIB


@dataclass(frozen=True)
class Table:
    """The settings that rebuild the same weights on any machine.

    Attributes:
        num_embeddings: all rows V of the table, 1 to 1,000,000, and one more with `unk`.
        embedding_dim: columns D of the table, 1 to 1024.
        seed: seed of the private generator that draws the weights, 0 to 2**32 - 1.
        init: a key of `INITS`.
        dtype: a key of `DTYPES`; weights are drawn in float32, then cast.
        device: one of `available_devices()`; weights are drawn on the CPU, then moved.
        unk: whether the last row, appended to the others, is `<unk>`.

    Raises:
        Refused: quotes the bad value and says what is allowed.

    >>> Table(num_embeddings=4, embedding_dim=5, seed=123).torch_dtype
    torch.float32
    >>> Table(num_embeddings=10, unk=True).unk_id
    9
    """

    num_embeddings: int = 100
    embedding_dim: int = 10
    seed: int = 123
    init: str = "normal"
    dtype: str = "float32"
    device: str = "cpu"
    unk: bool = False

    def __post_init__(self) -> None:
        values, rows, dim = vars(self), self.num_embeddings, self.embedding_dim
        more = 1 if self.unk else 0  # rows, beside those of known symbols
        for name, about, low, high in (
            ("num_embeddings", "rows", 1 + more, MAX_NUM_EMBEDDINGS + more),
            ("embedding_dim", "dim", 1, MAX_EMBEDDING_DIM),
            ("seed", "seed", 0, MAX_SEED),
        ):
            if type(values[name]) is not int or not low <= values[name] <= high:
                raise Refused(
                    f"{name}={values[name]!r} is not a whole number from {low:,} to {high:,}.",
                    about=about,
                )
        devices = ["cpu"]
        if self.device not in devices:
            devices = available_devices()  # asks PyTorch
        choices = ("init", [*INITS]), ("dtype", [*DTYPES]), ("device", devices)
        for name, allowed in choices:
            if values[name] not in allowed:
                said = f"{name}={values[name]!r} is not one of: {', '.join(allowed)}."
                raise Refused(said, about=name)
        init = INITS[self.init]
        sizes = init.sizes
        if sizes and sizes != (rows if init.recorded else rows - more, dim):
            raise Refused(
                f"init={self.init!r} is a table of {sizes[0]:,} × {sizes[1]:,}, not of "
                f"{rows:,} × {dim:,}.",
                about="init",
            )
        if self.device in DTYPES[self.dtype].missing_on:
            raise Refused(
                f"dtype={self.dtype!r} does not exist on device {self.device!r}.",
                {"Use float32": {"dtype": "float32"}},
                "dtype",
            )
        check_budget(
            self.tie_bytes,
            f"Two tables of {rows:,} × {dim:,} {self.dtype} need {rows:,} · {dim:,} · "
            f"{self.tie_bytes // rows // dim} B = {format_bytes(self.tie_bytes)}",
            "rows",
        )

    @property
    def known_rows(self) -> int:
        """Rows without `<unk>`."""
        return self.num_embeddings - 1 if self.unk else self.num_embeddings

    @property
    def unk_id(self) -> int | None:
        """Id of the row `<unk>`, or None without one."""
        return self.num_embeddings - 1 if self.unk else None

    @property
    def torch_dtype(self) -> torch.dtype:
        """`dtype` as PyTorch's own object."""
        return DTYPES[self.dtype].torch

    @property
    def tie_bytes(self) -> int:
        """Peak bytes while both tables are built."""
        size, draw = self.torch_dtype.itemsize, 4  # bytes of a number; it is drawn in float32
        peaks = [2 * size, draw + size]  # both tables, or the draw beside one while it is cast
        if self.unk:
            peaks.append(2 * draw)
        return self.num_embeddings * self.embedding_dim * max(peaks)


def check_work_bytes(table: Table, tokens: int, about: str = "") -> None:
    """Refuse outputs that would exceed the budget together with the tables.

    Args:
        table: of both weights.
        tokens: number of ids N. In memory at once are the outputs of both routes, the products of
            the distinct ids (at most N rows), one bool a value for the comparison, and one slice
            of one-hot rows.
        about: the setting that asks for the tokens, for the refusal.

    Raises:
        OverLimitError: shows the arithmetic; nothing has been allocated.
    """
    check_count(tokens, "tokens", about)
    size = table.torch_dtype.itemsize
    outputs = tokens * table.embedding_dim * (3 * size + 1)
    row = table.num_embeddings * size
    one_hot = min(tokens * row, max(ONE_HOT_SLICE_BYTES, row))
    total = table.tie_bytes + outputs + one_hot
    check_budget(
        total,
        f"{tokens:,} tokens of {table.embedding_dim:,} {table.dtype} numbers need "
        f"{tokens:,} · {table.embedding_dim:,} · {3 * size + 1} B = {format_bytes(outputs)}, "
        f"their one-hot slice {format_bytes(one_hot)} and the tables "
        f"{format_bytes(table.tie_bytes)}: {format_bytes(total)}",
        about,
    )


def check_product(ids: int, rows: int, dim: int, dtype: str) -> None:
    """Refuse a product of one-hot rows and a table that takes a public server too long.

    Args:
        ids: one-hot rows; equal ids mostly share one.
        rows: of the table, V.
        dim: columns of the table, D.
        dtype: of both.

    Raises:
        OverLimitError: names how many of these ids are taken.
    """
    most = bounds.PRODUCT.value() // (rows * (dim + READ) * DTYPES[dtype].slower)
    if ids > most:
        raise OverLimitError(
            f"{ids:,} one-hot rows are more than the {most:,} that this server multiplies with a "
            f"table of {rows:,} × {dim:,} {dtype}. Choose fewer rows, or fewer different ids.",
            about="rows",
        )


def origin(table: Table) -> str:
    """The origin of the numbers of a table, such as `random (seed 123): nothing is learnt yet`."""
    return INITS[table.init].origin or f"random (seed {table.seed}): nothing is learnt yet"
