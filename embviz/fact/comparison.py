"""Two results compared bit for bit, with the places and sizes of their differences.

Bit patterns are compared through an integer view, because `torch.equal` calls -0.0 and 0.0 the
same and NaN different from itself. A `Pair` keeps both tensors and computes every figure from them;
no tolerance is applied. A `Comparison` is the pair of both routes.
"""

from dataclasses import dataclass
from functools import cached_property

import torch

# The integer type by the bytes of a number, to look at its bits.
INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def bits(values: torch.Tensor) -> torch.Tensor:
    """The bit patterns of a tensor's numbers as integers, of the same shape.

    >>> bits(torch.tensor([1.0, -0.0])).tolist()
    [1065353216, -2147483648]
    """
    return values.detach().contiguous().view(INTEGERS[values.element_size()])


@dataclass(frozen=True)
class Pair:
    """Two results of one shape and dtype, and how they differ.

    Attributes:
        first: shape (..., D).
        second: same shape, dtype and device.

    Raises:
        ValueError: shapes or dtypes differ.
    """

    first: torch.Tensor
    second: torch.Tensor

    def __post_init__(self) -> None:
        first, second = (f"{tuple(s.shape)} {s.dtype}" for s in (self.first, self.second))
        if first != second:
            raise ValueError(f"Cannot compare {first} with {second}.")

    @cached_property
    def differs(self) -> torch.Tensor:
        """Bool, shape (..., D): True where the bit patterns differ."""
        return bits(self.first) != bits(self.second)

    @property
    def num_values(self) -> int:
        """Number of values compared."""
        return self.first.numel()

    @cached_property
    def num_equal(self) -> int:
        """Number of values with the same bit pattern in both."""
        return self.num_values - int(self.differs.sum())

    @property
    def bitwise_equal(self) -> bool:
        """Whether all bit patterns are the same."""
        return self.num_equal == self.num_values

    @cached_property
    def differing_tokens(self) -> list[int]:
        """Flat positions (C order over all but the last axis) of tokens that differ."""
        places: list[int] = self.differs.any(dim=-1).flatten().nonzero().flatten().tolist()
        return places

    @cached_property
    def max_abs_error(self) -> float:
        """Largest |first - second| in float64 where bits differ, else 0.0; NaN with a NaN."""
        a, b = (side.double() for side in self._differing())
        return float((a - b).abs().max()) if len(a) else 0.0

    @cached_property
    def max_ulp(self) -> int | None:
        """Largest distance in representable numbers; None if a NaN differs.

        -0.0 and 0.0 are the same number, so they are 0 ulp apart though their bits differ.
        """
        a, b = self._differing()
        if (a - b).isnan().any():
            return None
        return max(map(abs, map(int.__sub__, _ranks(a), _ranks(b))), default=0)

    def _differing(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self.first[self.differs].cpu(), self.second[self.differs].cpu()


class Comparison(Pair):
    """The outputs of both routes."""

    @property
    def lookup(self) -> torch.Tensor:
        """The output of nn.Embedding, shape (..., D)."""
        return self.first

    @property
    def matmul(self) -> torch.Tensor:
        """The output of one-hot x nn.Linear, same shape, dtype and device."""
        return self.second


def _ranks(values: torch.Tensor) -> list[int]:
    """Each float's rank among all floats of its dtype as a Python int; both zeros are 0."""
    patterns = bits(values)
    sign = torch.iinfo(patterns.dtype).min
    return [place if place >= 0 else sign - place for place in patterns.tolist()]
