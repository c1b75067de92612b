"""The float types that a weight may have: one record each, in the order that pages offer them.

Reading a record needs no PyTorch, so that `--help` stays quick. Rounding and casting are
PyTorch's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from embviz.text.records import by_name

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Dtype:
    """One float type.

    Attributes:
        name: as PyTorch spells it after `torch.`; numpy and scipy know float32 and float64 by it.
        itemsize: bytes of one number.
        missing_on: devices that do not have it.
        slower: about how many times as long as in float32 a product takes on a CPU.
    """

    name: str
    itemsize: int
    missing_on: tuple[str, ...] = ()
    slower: int = 1

    @property
    def torch(self) -> torch.dtype:
        """PyTorch's own object.

        >>> DTYPES["float64"].torch
        torch.float64
        """
        import torch

        dtype: torch.dtype = getattr(torch, self.name)
        return dtype


DTYPES = by_name(
    (
        Dtype("float32", 4),
        Dtype("float64", 8, missing_on=("mps",), slower=2),
        Dtype("bfloat16", 2, slower=5),
        Dtype("float16", 2, slower=5),
    )
)
# The types of at least 32 bits: training, sparse products and scipy need them.
WIDE = {name: dtype for name, dtype in DTYPES.items() if dtype.itemsize >= 4}


def dtype_name(dtype: torch.dtype) -> str:
    """`torch.float32` -> `'float32'`."""
    return str(dtype).removeprefix("torch.")
