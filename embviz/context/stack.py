"""The smallest contextual embedding: positions, then one self-attention.

A `Stack` uses the playground's own nn.Embedding. Switches add a second nn.Embedding over positions
and one nn.MultiheadAttention, whose output is added to its input (the residual). There is no
LayerNorm, no MLP and no bias: a vector depends on its neighbours without them. Nothing is trained;
`cost` counts the parameters and multiplications of each part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import torch
from torch import nn

from embviz.context.similarity import MAX_POSITIONS
from embviz.core.layers import TiedLayers, embedding_of

Mask = Literal["full", "causal"]
MASKS: tuple[Mask, ...] = get_args(Mask)
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
        heads: parts of the vector with an attention of their own; divides D.

    Raises:
        ValueError: an unknown mask, or heads below 1.
    """

    positions: bool = False
    attention: bool = False
    mask: Mask = "full"
    heads: int = 1

    def __post_init__(self) -> None:
        if self.mask not in MASKS:
            raise ValueError(f"mask={self.mask!r} is not one of: {', '.join(MASKS)}.")
        if isinstance(self.heads, bool) or not isinstance(self.heads, int) or self.heads < 1:
            raise ValueError(f"heads={self.heads!r} is not a whole number from 1.")


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
        attention: (heads, N, N): row i holds the weights with which position i mixes all
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


@dataclass(frozen=True)
class Cost:
    """One part of the stack.

    Attributes:
        part: its name.
        parameters: numbers in its weights.
        multiplications: of one forward pass over N positions; additions are not counted.
        words: the cost in a sentence.
    """

    part: str
    parameters: int
    multiplications: int
    words: str


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
        attention: nn.MultiheadAttention(D, heads, bias=False, batch_first=True), drawn as its
            constructor draws, or None.
        dtype: the dtype of the computation: the table's if float32 or float64, else float32.
        is_cast: whether the table's rows (float16, bfloat16) are cast for that.

    Raises:
        ValueError: heads that do not divide D.
    """

    def __init__(self, layers: TiedLayers, switches: Switches, seed: int = 0) -> None:
        weight = layers.embedding.weight
        dim = layers.embedding.embedding_dim
        if switches.attention and dim % switches.heads:
            raise ValueError(
                f"{switches.heads} heads cannot share {dim} numbers equally; "
                f"heads must divide dim: {', '.join(map(str, possible_heads(dim)))}."
            )
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
            self.attention = draw(dim, switches.heads, seed, weight.device, self.dtype)

    @torch.no_grad()
    def trace(self, ids: torch.Tensor) -> Trace:
        """Every vector from the table's rows to the stack's output.

        Args:
            ids: int64 (N,), N from 1 to 256.

        Raises:
            ValueError: no id or too many, or rows so large that the result is not finite.
            IndexError: an id without a row.
        """
        if ids.ndim != 1 or not 1 <= len(ids) <= MAX_POSITIONS:
            raise ValueError(
                f"The stack takes from 1 to {MAX_POSITIONS} positions in one row; "
                f"got ids of shape {tuple(ids.shape)}."
            )
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
            mixed, weights = attend(self.attention, inputs, causal)
            outputs = inputs + mixed
            hidden = ", attn_mask=later" if causal else ""
            steps += [
                Step("what attention answers", f"a, who = attention(x, x, x{hidden})", mixed),
                Step("answer added", "x = x + a", outputs),
            ]
        if not bool(outputs.isfinite().all()):
            raise ValueError(
                f"The rows are too large: the stack's numbers leave {self.dtype}'s range. "
                "Choose a table with smaller numbers."
            )
        return Trace(steps, weights)


def cost(switches: Switches, dim: int, positions: int, rows: int) -> list[Cost]:
    """The parts that are switched on, from the bottom up.

    Args:
        switches: what the stack adds.
        dim: D, numbers of a vector.
        positions: N, characters of the text.
        rows: V, rows of the table.

    >>> [(c.part, c.parameters, c.multiplications) for c in cost(Switches(True, True), 10, 5, 100)]
    [('embedding', 1000, 0), ('positions', 2560, 0), ('attention', 400, 2500)]
    """
    read = "1 row is" if positions == 1 else f"{positions:,} rows are"
    found = [Cost("embedding", rows * dim, 0, f"A lookup: {read} read, none computed.")]
    if switches.positions:
        words = (
            f"Another lookup and {positions * dim:,} additions; a text can have no more than "
            f"{MAX_POSITIONS:,} positions."
        )
        found.append(Cost("positions", MAX_POSITIONS * dim, 0, words))
    if switches.attention:
        project, look = 4 * positions * dim**2, 2 * positions**2 * dim
        words = (
            f"Four products with {dim} x {dim} weights ({project:,}), and every position with "
            f"every other, twice ({look:,}): twice the text takes four times as many."
        )
        if switches.mask == "causal":
            words += (
                " The causal mask has no parameters; the hidden weights are computed and dropped."
            )
        found.append(Cost("attention", 4 * dim**2, project + look, words))
    return found


def possible_heads(dim: int) -> list[int]:
    """The numbers of heads that divide `dim`.

    >>> possible_heads(10)
    [1, 2, 5, 10]
    """
    return [heads for heads in range(1, dim + 1) if dim % heads == 0]


def attend(
    attention: nn.MultiheadAttention, vectors: torch.Tensor, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """One self-attention over one text.

    Args:
        attention: with `batch_first=True`.
        vectors: (N, D), its queries, keys and values.
        causal: whether a position attends to none after it.

    Returns:
        The outputs (N, D), and the weights (heads, N, N): rows sum to 1 and, if causal, weights
        above the diagonal are exactly 0.
    """
    later = None
    if causal:
        size = len(vectors)
        later = torch.ones(size, size, dtype=torch.bool, device=vectors.device).triu(1)
    x = vectors.unsqueeze(0)
    answer, weights = attention(
        x, x, x, attn_mask=later, need_weights=True, average_attn_weights=False
    )
    return answer[0], weights[0]


def draw_attention(dim: int, heads: int, generator: torch.Generator) -> nn.MultiheadAttention:
    """An attention without biases, drawn as its constructor does, from a private generator.

    Args:
        dim: D, numbers of a vector.
        heads: divides D.
        generator: on the CPU.
    """
    # On `meta` the constructor draws nothing from the global generator.
    attention = nn.MultiheadAttention(dim, heads, bias=False, batch_first=True, device="meta")
    attention = attention.to_empty(device="cpu")
    with torch.no_grad():
        nn.init.xavier_uniform_(attention.in_proj_weight, generator=generator)
        nn.init.kaiming_uniform_(attention.out_proj.weight, a=math.sqrt(5), generator=generator)
    return attention


@lru_cache(maxsize=4)
def _kept_attention(
    dim: int, heads: int, seed: int, device: torch.device, dtype: torch.dtype
) -> nn.MultiheadAttention:
    """The attention of all stacks of one seed and size; nobody changes its weights."""
    drawn = draw_attention(dim, heads, _generator(seed, _ATTENTION))
    return drawn.to(device, dtype).requires_grad_(False).eval()


def _generator(seed: int, part: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed ^ part)
