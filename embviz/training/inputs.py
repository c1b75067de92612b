"""A soft one-hot row is trained through a frozen table until it picks a row; ids cannot be trained.

A soft one-hot row is softmax(logits / temperature): V shares whose sum is 1, except for rounding.
Each is above 0, but a small one may round to 0 in a short dtype. The gradient of an input row of
`nn.Linear` is G W^T, where G (1, D) is the gradient of its output and W (V, D) the table. Only the
V logits change. Nothing is sampled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.comparison import Comparison
from embviz.core.config import check_budget
from embviz.core.layers import TiedLayers
from embviz.core.wording import format_bytes
from embviz.training.size_limits import check_numbers
from embviz.training.stepwise import Stepwise

TEMPERATURES = {"0.1": 0.1, "0.3": 0.3, "1": 1.0, "3": 3.0}
LR = 0.3  # Adam's; with 0.1, 100 steps left a share of 94 % at temperature 1 (V = 100, D = 10)
COPIES = 10  # tensors of V numbers: logits, gradient, Adam's moments, shares and their gradients


@dataclass(frozen=True)
class Picked:
    """The row with the largest share.

    Attributes:
        token: its id.
        share: its share, from 0 to 1.
        rest: the sum of all other shares.
        soft: its row by lookup, compared with soft row x weight; both (1, D).
        hard: its row by lookup, compared with one-hot x weight; both (1, D).
    """

    token: int
    share: float
    rest: float
    soft: Comparison
    hard: Comparison


class SoftRow(Stepwise[float]):
    """A soft one-hot row and the table's row that it shall become.

    The loss is the squared distance between soft row x weight and the target row. Logits and loss
    are float32, or float64 for a float64 table; the product has the table's dtype.

    Args:
        layers: weights (V, D) and (D, V), any float dtype; they are not changed.
        token: the id of the target row.
        temperature: divides the logits; above 0.

    Attributes:
        logits: (V,), 0 at the start: all shares are 1 / V.
        history: the loss before each step.
        failed: why training stopped, or `""`.

    Raises:
        ConfigError: a table over `size_limits.MAX_NUMBERS` or the memory budget.
        IndexError: the token has no row.
    """

    def __init__(self, layers: TiedLayers, token: int, temperature: float) -> None:
        weight = layers.linear.weight
        dtype = torch.promote_types(weight.dtype, torch.float32)
        dim, rows = weight.shape
        check_numbers(rows, dim, "an input is trained through up to")
        needed = COPIES * rows * dtype.itemsize
        check_budget(
            needed,
            f"Training an input holds {COPIES} tensors of {rows:,} numbers: {format_bytes(needed)}",
            " Choose fewer rows.",
        )
        self.target = layers.lookup(torch.tensor([token])).to(dtype)
        self.token, self.temperature, self._layers = token, temperature, layers
        self.logits = nn.Parameter(weight.new_zeros(rows, dtype=dtype))
        self._optimizer = torch.optim.Adam([self.logits], lr=LR)
        self.history: list[float] = []
        self.failed = ""

    def _step(self) -> None:
        loss = self._loss(self._row())
        (self.logits.grad,) = torch.autograd.grad(loss, self.logits)
        value = float(loss.detach())
        if math.isfinite(value) and bool(self.logits.grad.isfinite().all()):
            self._optimizer.step()
            self.history.append(value)
            return
        self.failed = (
            f"Stopped before step {self.steps + 1:,}: the loss is {value:g}, and it or its "
            "gradient is not finite. Choose smaller weights."
        )

    @torch.no_grad()
    def shares(self, temperature: float | None = None) -> torch.Tensor:
        """(V,), the shares of the rows now, or of the same logits at another temperature."""
        return torch.softmax(self.logits / (temperature or self.temperature), 0)

    @torch.no_grad()
    def loss(self) -> float:
        """The loss now."""
        return float(self._loss(self._row()))

    def input_gradient(self) -> Comparison:
        """The gradient of the soft row, (1, V): G W^T by hand, compared with autograd's."""
        row = self._row().detach().requires_grad_()
        output = self._product(row)
        (gradient,) = torch.autograd.grad(self._distance(output), row)
        above = (2 * (output.detach().to(self.target.dtype) - self.target)).to(row.dtype)
        return Comparison(above @ self._layers.embedding.weight.detach().T, gradient)

    @torch.no_grad()
    def picked(self) -> Picked:
        """The row with the largest share, now."""
        shares = self.shares().double()
        token = int(shares.argmax())
        share = float(shares[token])
        shares[token] = 0.0
        one = torch.tensor([token])
        row = self._layers.lookup(one)
        soft, hard = self._product(self._row()), self._layers.multiply(one)
        return Picked(
            token, share, float(shares.sum()), Comparison(row, soft), Comparison(row, hard)
        )

    def _row(self) -> torch.Tensor:
        """The soft row, (1, V), in the table's dtype."""
        shares = torch.softmax(self.logits / self.temperature, 0)
        return shares.to(self._layers.linear.weight.dtype).unsqueeze(0)

    def _product(self, row: torch.Tensor) -> torch.Tensor:
        return F.linear(row, self._layers.linear.weight.detach())

    def _loss(self, row: torch.Tensor) -> torch.Tensor:
        return self._distance(self._product(row))

    def _distance(self, output: torch.Tensor) -> torch.Tensor:
        return (output.to(self.target.dtype) - self.target).square().sum()


def refusal_of_ids(ids: torch.Tensor) -> str:
    """PyTorch's error message when ids (int64) are asked for a gradient; `""` if it accepts them.

    >>> refusal_of_ids(torch.tensor([1]))
    'RuntimeError: only Tensors of floating point dtype can require gradients'
    """
    try:
        ids.detach().clone().requires_grad_()
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    return ""
