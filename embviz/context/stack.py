"""The smallest contextual embedding: positions, then one self-attention.

A `Stack` uses the playground's own nn.Embedding. Switches add a second nn.Embedding over positions
and one nn.MultiheadAttention, whose output is added to its input (the residual). There is no
LayerNorm, no MLP and no bias: a vector depends on its neighbours without them. Nothing is trained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import torch
from torch import nn

from embviz.core.layers import TiedLayers, embedding_of
from embviz.core.refused import Refused

Mask = Literal["full", "causal"]
MAX_POSITIONS = 256  # rows of the positions' table
# "Posi", "Atte": each part has its own seed, so that a switch changes no other part's numbers.
_POSITIONS, _ATTENTION = 0x506F7369, 0x41747465
KEPT_DIM = 256  # up to here an attention is kept, 2 MB in float64


@dataclass(frozen=True)
class Switches:
    """The parts that the stack adds to the embedding.

    Attributes:
        positions: whether a row for each position is added.
        attention: whether each position attends to others.
        mask: the positions it may attend to: `full` all, `causal` itself and those before it.
    """

    positions: bool = False
    attention: bool = False
    mask: Mask = "full"


@dataclass(frozen=True)
class Step:
    """One line of the computation.

    Attributes:
        name: the result in a few words.
        code: the line of PyTorch that computes it.
        vectors: (N, D), the result.
    """

    name: str
    code: str
    vectors: torch.Tensor


@dataclass(frozen=True)
class Trace:
    """All vectors that the stack computed for one text.

    Attributes:
        steps: in order, each with its line of code.
        attention: (N, N): row i holds the weights with which position i mixes all
            positions; they sum to 1. None without attention.
    """

    steps: list[Step]
    attention: torch.Tensor | None

    @property
    def tokens(self) -> torch.Tensor:
        """(N, D), the rows of nn.Embedding."""
        return self.steps[0].vectors

    @property
    def outputs(self) -> torch.Tensor:
        """(N, D), the stack's output."""
        return self.steps[-1].vectors


class Stack:
    """The playground's embedding with positions and attention on top, by switch.

    Positions and attention have a private generator each, so that a switch adds its part and
    leaves the other's numbers as they are.

    Args:
        layers: the tables; its nn.Embedding is not copied.
        switches: what is added.
        seed: of the positions' and the attention's weights.

    Attributes:
        embedding: `layers.embedding` itself.
        positions: nn.Embedding(256, D), drawn from N(0, 1), or None.
        attention: nn.MultiheadAttention(D, 1, bias=False, batch_first=True), drawn as its
            constructor draws, or None.
        dtype: the dtype of the computation: the table's if float32 or float64, else float32.
        is_cast: whether the table's rows (float16, bfloat16) are cast for that.
    """

    def __init__(self, layers: TiedLayers, switches: Switches, seed: int = 0) -> None:
        weight = layers.embedding.weight
        dim = layers.embedding.embedding_dim
        self.layers, self.switches = layers, switches
        self.embedding = layers.embedding
        self.is_cast = weight.dtype not in (torch.float32, torch.float64)
        self.dtype = torch.float32 if self.is_cast else weight.dtype
        self.positions: nn.Embedding | None = None
        self.attention: nn.MultiheadAttention | None = None
        if switches.positions:
            drawn = torch.empty(MAX_POSITIONS, dim)
            nn.init.normal_(drawn, generator=_generator(seed, _POSITIONS))
            table = drawn.to(weight.device, self.dtype)
            self.positions = embedding_of(table).requires_grad_(False)
        if switches.attention:
            draw = _kept_attention if dim <= KEPT_DIM else _kept_attention.__wrapped__
            self.attention = draw(dim, seed, weight.device, self.dtype)

    @torch.no_grad()
    def trace(self, ids: torch.Tensor) -> Trace:
        """Every vector from the table's rows to the stack's output.

        Args:
            ids: int64 (N,), N from 1 to 256.

        Raises:
            Refused: rows so large that the result is not finite.
            IndexError: an id without a row.
        """
        tokens = self.layers.lookup(ids).to(self.dtype)
        cast = ".float()" if self.is_cast else ""
        steps = [Step("its row of the table", f"x = embedding(ids){cast}", tokens)]
        inputs, weights = tokens, None
        if self.positions is not None:
            places = self.positions(torch.arange(len(ids), device=tokens.device))
            inputs = tokens + places
            steps += [
                Step("the row of its place", "p = positions(torch.arange(N))", places),
                Step("both added", "x = x + p", inputs),
            ]
        outputs = inputs
        if self.attention is not None:
            causal = self.switches.mask == "causal"
            mixed, weights = _attend(self.attention, inputs, causal)
            outputs = inputs + mixed
            hidden = ", attn_mask=later" if causal else ""
            steps += [
                Step("what attention answers", f"a, who = attention(x, x, x{hidden})", mixed),
                Step("answer added", "x = x + a", outputs),
            ]
        if not bool(outputs.isfinite().all()):
            raise Refused(
                f"The rows are too large: the stack's numbers leave {self.dtype}'s range. "
                "Choose a table with smaller numbers."
            )
        return Trace(steps, weights)


def _attend(
    attention: nn.MultiheadAttention, vectors: torch.Tensor, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """One self-attention over one text: its outputs (N, D) and its weights (N, N).

    Each row of the weights sums to 1. If causal, weights above the diagonal are exactly 0.
    """
    later = None
    if causal:
        size = len(vectors)
        later = torch.ones(size, size, dtype=torch.bool, device=vectors.device).triu(1)
    x = vectors.unsqueeze(0)
    answer, weights = attention(x, x, x, attn_mask=later)
    return answer[0], weights[0]


@lru_cache(maxsize=4)
def _kept_attention(
    dim: int, seed: int, device: torch.device, dtype: torch.dtype
) -> nn.MultiheadAttention:
    """The attention of all stacks of one seed and size; nobody changes its weights.

    It has no biases. A private generator draws it as its constructor does.
    """
    # On `meta` the constructor draws nothing from the global generator.
    attention = nn.MultiheadAttention(dim, 1, bias=False, batch_first=True, device="meta")
    attention, generator = attention.to_empty(device="cpu"), _generator(seed, _ATTENTION)
    with torch.no_grad():
        nn.init.xavier_uniform_(attention.in_proj_weight, generator=generator)
        nn.init.kaiming_uniform_(attention.out_proj.weight, a=math.sqrt(5), generator=generator)
    return attention.to(device, dtype).requires_grad_(False).eval()


def _generator(seed: int, part: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed ^ part)
