"""The least that makes an embedding contextual: positions, then one self-attention.

A `Stack` stands on the very nn.Embedding of the playground and adds, by
switch, a second nn.Embedding over positions and one nn.MultiheadAttention
whose answer is added to what went in (the residual). There is no LayerNorm,
no MLP and no bias: none is needed for a vector to depend on its neighbours.
It trains nothing; `cost` says what each part takes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import nn

from embviz.context.similarity import MAX_POSITIONS
from embviz.core.layers import TiedLayers, embedding_of

Mask = Literal["full", "causal"]
MASKS: tuple[Mask, ...] = get_args(Mask)
_POSITIONS, _ATTENTION = 0x506F7369, 0x41747465  # "Posi", "Atte": one switch moves no other's draw


@dataclass(frozen=True)
class Switches:
    """What the stack adds to the embedding.

    Attributes:
        positions: whether each place adds a row of its own.
        attention: whether each position looks at the others.
        mask: whom it may look at: `full` everybody, `causal` itself and those before.
        heads: in how many parts of the vector it looks separately; divides D.

    Raises:
        ValueError: a mask or a number of heads that cannot be.
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
    """One stage of the way through the stack.

    Attributes:
        name: the stage, in a few words.
        code: the line of PyTorch that computes it.
        vectors: shape (N, D), after this line.
    """

    name: str
    code: str
    vectors: torch.Tensor


@dataclass(frozen=True)
class Trace:
    """All that the stack computed for one text.

    Attributes:
        ids: int64 (N,).
        tokens: (N, D), the rows that nn.Embedding gave.
        positions: (N, D), the rows of the places, or None without them.
        inputs: (N, D), their sum.
        attention: (heads, N, N), who looks at whom: row i holds the weights with which
            position i mixes all; they sum to 1. None without attention.
        mixed: (N, D), what attention answered, or None.
        outputs: (N, D), what the stack says: `inputs + mixed`.
        steps: the same in order, each with its line of code.
    """

    ids: torch.Tensor
    tokens: torch.Tensor
    positions: torch.Tensor | None
    inputs: torch.Tensor
    attention: torch.Tensor | None
    mixed: torch.Tensor | None
    outputs: torch.Tensor
    steps: list[Step]


@dataclass(frozen=True)
class Cost:
    """One part of the stack.

    Attributes:
        part: its name.
        parameters: numbers that it holds.
        multiplications: products of one forward pass over N positions; sums are not counted.
        words: what it costs, in a sentence.
    """

    part: str
    parameters: int
    multiplications: int
    words: str


class Stack:
    """The playground's embedding with positions and attention on top, by switch.

    One seed is one stack: the positions and the attention have a generator each, so that
    a switch adds its part and leaves the numbers of the other as they are.

    Args:
        layers: the tables; its nn.Embedding is used as it is, not copied.
        switches: what is added.
        max_positions: rows of the position table, 1 to 256.
        seed: of the positions' and the attention's weights.

    Attributes:
        embedding: the very `layers.embedding`.
        positions: nn.Embedding(max_positions, D), drawn from N(0, 1), or None.
        attention: nn.MultiheadAttention(D, heads, bias=False, batch_first=True), drawn as
            its constructor draws, or None.
        dtype: what it computes in: the table's dtype if float32 or float64, else float32.
        is_cast: whether the table's rows (float16, bfloat16) were cast for that.

    Raises:
        ValueError: heads that do not divide D, or positions out of range.
    """

    def __init__(
        self,
        layers: TiedLayers,
        switches: Switches,
        max_positions: int = MAX_POSITIONS,
        seed: int = 0,
    ) -> None:
        weight = layers.embedding.weight
        dim = layers.embedding.embedding_dim
        if not 1 <= max_positions <= MAX_POSITIONS:
            raise ValueError(f"max_positions={max_positions} is not from 1 to {MAX_POSITIONS}.")
        if switches.attention and dim % switches.heads:
            raise ValueError(
                f"{switches.heads} heads cannot share {dim} numbers equally; "
                f"heads must divide dim: {', '.join(map(str, possible_heads(dim)))}."
            )
        self.layers, self.switches, self.max_positions = layers, switches, max_positions
        self.embedding = layers.embedding
        self.is_cast = weight.dtype not in (torch.float32, torch.float64)
        self.dtype = torch.float32 if self.is_cast else weight.dtype
        self.positions: nn.Embedding | None = None
        self.attention: nn.MultiheadAttention | None = None
        if switches.positions:
            # All are drawn, so that a shorter table begins with the same rows.
            drawn = torch.empty(MAX_POSITIONS, dim)
            nn.init.normal_(drawn, generator=_generator(seed, _POSITIONS))
            table = drawn[:max_positions].to(weight.device, self.dtype)
            self.positions = embedding_of(table).requires_grad_(False)
        if switches.attention:
            self.attention = draw_attention(dim, switches.heads, _generator(seed, _ATTENTION))
            self.attention.to(weight.device, self.dtype).requires_grad_(False).eval()

    @torch.no_grad()
    def trace(self, ids: torch.Tensor) -> Trace:
        """Every vector on the way from ids to what the stack says.

        Args:
            ids: int64 (N,), N from 1 to `max_positions`.

        Raises:
            ValueError: no id or too many, or rows so large that the result is not finite.
            IndexError: an id that has no row.
        """
        if ids.ndim != 1 or not 1 <= len(ids) <= self.max_positions:
            raise ValueError(
                f"The stack takes from 1 to {self.max_positions} positions in one row; "
                f"got ids of shape {tuple(ids.shape)}."
            )
        tokens = self.layers.lookup(ids).to(self.dtype)
        cast = ".float()" if self.is_cast else ""
        steps = [Step("its row of the table", f"x = embedding(ids){cast}", tokens)]
        inputs, places, weights, mixed = tokens, None, None, None
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
        return Trace(ids, tokens, places, inputs, weights, mixed, outputs, steps)

    def parameters(self) -> dict[str, int]:
        """How many numbers each part that is switched on holds, counted in the modules."""
        parts = {
            "embedding": self.embedding,
            "positions": self.positions,
            "attention": self.attention,
        }
        return {
            name: sum(p.numel() for p in module.parameters())
            for name, module in parts.items()
            if module is not None
        }


def cost(
    switches: Switches, dim: int, positions: int, rows: int, max_positions: int = MAX_POSITIONS
) -> list[Cost]:
    """The parts that are switched on, from the bottom up.

    Args:
        switches: what the stack adds.
        dim: D, numbers a vector.
        positions: N, characters of the text.
        rows: V, rows of the table.
        max_positions: rows of the position table.

    >>> [(c.part, c.parameters, c.multiplications) for c in cost(Switches(True, True), 10, 5, 100)]
    [('embedding', 1000, 0), ('positions', 2560, 0), ('attention', 400, 2500)]
    """
    read = "1 row is" if positions == 1 else f"{positions:,} rows are"
    found = [Cost("embedding", rows * dim, 0, f"A lookup: {read} read, none computed.")]
    if switches.positions:
        words = (
            f"Another lookup and {positions * dim:,} additions; a text can have no more than "
            f"{max_positions:,} positions."
        )
        found.append(Cost("positions", max_positions * dim, 0, words))
    if switches.attention:
        project, look = 4 * positions * dim**2, 2 * positions**2 * dim
        words = (
            f"Four products with {dim} x {dim} weights ({project:,}), and every position with "
            f"every other, twice ({look:,}): twice the text, four times of that."
        )
        if switches.mask == "causal":
            words += " The causal mask holds no number; what it hides is computed and thrown away."
        found.append(Cost("attention", 4 * dim**2, project + look, words))
    return found


def possible_heads(dim: int) -> list[int]:
    """The numbers of heads that a vector of `dim` numbers can be shared among.

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
        vectors: (N, D), asking and asked alike.
        causal: whether those after a position are hidden from it.

    Returns:
        What it answers, (N, D), and its weights, (heads, N, N), rows summing to 1 and, if
        causal, exactly 0 above the diagonal.
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
    """An attention without biases, drawn as its constructor does but by one's own generator.

    Args:
        dim: D, numbers a vector.
        heads: divides D.
        generator: on the CPU.
    """
    # On `meta` the constructor draws nothing from the generator that all sessions share.
    attention = nn.MultiheadAttention(dim, heads, bias=False, batch_first=True, device="meta")
    attention = attention.to_empty(device="cpu")
    with torch.no_grad():
        nn.init.xavier_uniform_(attention.in_proj_weight, generator=generator)
        nn.init.kaiming_uniform_(attention.out_proj.weight, a=math.sqrt(5), generator=generator)
    return attention


def _generator(seed: int, part: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed ^ part)
