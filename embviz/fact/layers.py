"""One weight, two layers: `nn.Embedding` and a bias-free `nn.Linear`.

`tie` draws a table by seed with a private generator, because all sessions of a server share
PyTorch's global one. `TiedLayers.lookup` reads rows; `.multiply` multiplies one-hot rows by the
matrix, in slices of bounded size. No whole N x V one-hot is ever held, and nothing is trained.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from embviz.fact.dtypes import dtype_name
from embviz.fact.inits import INITS, Draw
from embviz.fact.table import ONE_HOT_SLICE_BYTES, Table, check_product

# Numbers of a one-hot that is multiplied whole, where equal ids may not share a product: 4 GB in
# float32, slice by slice.
WHOLE_BATCH = 10**9


@dataclass(frozen=True)
class TiedLayers:
    """Two layers with equal weights.

    Attributes:
        embedding: weight of shape (V, D).
        linear: weight of shape (D, V), a contiguous *copy* of the transpose. A `.T`
            view would share storage, and training one layer would move both.
    """

    embedding: nn.Embedding
    linear: nn.Linear

    @cached_property
    def is_finite(self) -> bool:
        """Whether no weight is NaN or inf, computed once."""
        return all(map(math.isfinite, torch.aminmax(self.embedding.weight.detach())))

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """Smallest and largest finite weight, computed once; 0.0 where there is none."""
        weight = self.embedding.weight.detach()
        finite = weight if self.is_finite else weight[weight.isfinite()]
        low, high = torch.aminmax(finite) if len(finite) else (0.0, 0.0)
        return float(low), float(high)

    @cached_property
    def spread(self) -> float:
        """The root of the mean square of all weights, computed once; inf or NaN if one is."""
        weight = self.embedding.weight.detach()
        norm = torch.linalg.vector_norm(
            weight, dtype=torch.promote_types(weight.dtype, torch.float)
        )
        return float(norm) / math.sqrt(weight.numel())

    @cached_property
    def is_same_in_any_batch(self) -> bool:
        """Whether one row of a product has the same bits in a batch of one and of many.

        With PyTorch 2.13 on x86 a matmul of many rows keeps the -0.0 of a table of one row, turns
        subnormal bfloat16 weights into 0, and gives a NaN other bits. A matmul of few rows does
        not.
        """
        weight = self.embedding.weight.detach()
        if len(weight) == 1 or not self.is_finite:
            return False
        if weight.dtype != torch.bfloat16:
            return True
        small = weight.abs() < torch.finfo(weight.dtype).smallest_normal
        return not (small & (weight != 0)).any()

    @torch.no_grad()
    def lookup(self, ids: torch.Tensor) -> torch.Tensor:
        """Read row `ids[...]` of the table for every id.

        Args:
            ids: int64, any shape (...), each from 0 to V - 1.

        Returns:
            Shape (..., D), dtype and device of the weight.
        """
        output: torch.Tensor = self.embedding(self._checked(ids))
        return output

    @torch.no_grad()
    def multiply(self, ids: torch.Tensor, slice_bytes: int = ONE_HOT_SLICE_BYTES) -> torch.Tensor:
        """The same rows by matrix product: `F.linear(one_hot(ids), linear.weight)`.

        Each distinct id is multiplied once, in one-hot slices of at most `slice_bytes` (or one
        row, if a row is larger). Equal ids share the result where a batch of any size gives it,
        and where the one-hot of all would have over WHOLE_BATCH numbers.

        Args:
            ids: int64, any shape (...), each from 0 to V - 1.
            slice_bytes: largest one-hot slice, in bytes.

        Returns:
            Shape (..., D), dtype and device of the weight.

        Raises:
            OverLimitError: too many different ids for a table of this size, where hosted.
        """
        ids = self._checked(ids)
        is_large = ids.numel() * self.linear.in_features > WHOLE_BATCH
        if self.is_same_in_any_batch or is_large:
            distinct, place = torch.unique(ids, return_inverse=True)
        else:
            distinct = ids.flatten()
            place = torch.arange(len(distinct), device=ids.device).reshape(ids.shape)
        weight = self.linear.weight
        columns, rows = weight.shape
        check_product(len(distinct), rows, columns, dtype_name(weight.dtype))
        at_once = max(1, slice_bytes // (rows * weight.element_size()))  # one-hot rows
        buffer = weight.new_zeros(min(at_once, len(distinct)), rows)
        output = weight.new_empty(len(distinct), columns)
        for start in range(0, len(distinct), at_once):
            hot = distinct[start : start + at_once].unsqueeze(1)
            one_hot = buffer[: len(hot)]
            one_hot.scatter_(1, hot, 1.0)
            output[start : start + at_once] = F.linear(one_hot, weight)
            one_hot.scatter_(1, hot, 0.0)
        return output[place]

    def _checked(self, ids: torch.Tensor) -> torch.Tensor:
        # On a GPU an id out of range would break CUDA for the whole process: check first.
        check_range(ids, self.linear.in_features)
        return ids.to(self.linear.weight.device)


def check_range(ids: torch.Tensor, rows: int) -> None:
    """Refuse ids (any shape) that a table with so many rows does not have.

    Raises:
        IndexError: names the least and the largest id.
    """
    least, largest = map(int, ids.aminmax()) if ids.numel() else (0, 0)
    if least < 0 or largest >= rows:
        raise IndexError(
            f"ids run from {least:,} to {largest:,}; this table has rows 0 to {rows - 1:,}."
        )


def tie(table: Table, weights: torch.Tensor | None = None) -> TiedLayers:
    """Build both layers from one seeded draw, or from the user's own weights.

    The numbers are those of `torch.manual_seed(seed)` followed by PyTorch's own
    constructor: `nn.Embedding(V, D)` for `normal`, `nn.Linear(V, D, bias=False)`
    for `kaiming_uniform`. They are drawn on the CPU in float32, then cast and
    moved, so that one seed gives one table for every dtype and device. With `table.unk` the last
    row is the first of a second draw, so that no other number changes. Rows that were learnt are
    read from their file, and `<unk>` is among them.

    Args:
        table: sizes, seed, init, dtype and device.
        weights: those of `init="own"`, shape (V, D), any float dtype; copied. `read_inputs`
            checks it.

    Returns:
        Embedding weight (V, D) and linear weight (D, V), requiring gradients.
    """
    init = INITS[table.init]
    if init.draw:
        weights = _drawn(table, init.draw)
    else:
        assert weights is not None  # The user gives them.
        weights = weights.clone()
    weights = weights.to(table.device, table.torch_dtype)
    weights = weights.contiguous()  # before the copy below, so that a transposed draw is freed
    # A `meta` layer allocates and draws nothing; its weight is set in the next line.
    linear = nn.Linear(table.num_embeddings, table.embedding_dim, bias=False, device="meta")
    linear.weight = nn.Parameter(weights.t().clone(memory_format=torch.contiguous_format))
    return TiedLayers(embedding_of(weights), linear)


def _drawn(table: Table, draw: Draw) -> torch.Tensor:
    init, generator = INITS[table.init], torch.Generator().manual_seed(table.seed)
    if init.recorded:  # `<unk>` is among its rows
        return draw(torch.empty(table.num_embeddings, table.embedding_dim), generator=generator)
    shape = table.known_rows, table.embedding_dim
    weights = draw(torch.empty(shape), generator=generator)
    if table.unk:  # A whole second draw: one row alone would have another scale in some inits.
        draw = INITS[init.unk or init.name].draw or draw
        weights = torch.cat([weights, draw(torch.empty(shape), generator=generator)[:1].clone()])
    return weights


def embedding_of(table: torch.Tensor) -> nn.Embedding:
    """A trainable nn.Embedding over the memory of a (V, D) table."""
    made: nn.Embedding = nn.Embedding.from_pretrained(table, freeze=False)  # type: ignore[no-untyped-call]
    return made


def layouts(layers: TiedLayers) -> list[dict[str, Any]]:
    """The layouts of both weights and of the view `Embedding.weight.T`, one row each."""
    table = layers.embedding.weight
    tensors = {
        "Embedding.weight": table,
        "Linear.weight": layers.linear.weight,
        "Embedding.weight.T (a view)": table.T,
    }
    return [
        {
            "tensor": name,
            "shape": str(tuple(tensor.shape)),
            "stride": str(tensor.stride()),
            "data_ptr": hex(tensor.data_ptr()),
            "contiguous": tensor.is_contiguous(),
            "shares Embedding's storage": tensor.data_ptr() == table.data_ptr(),
        }
        for name, tensor in tensors.items()
    ]
