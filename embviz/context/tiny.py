"""A tiny causal transformer over characters, made to be trained.

It has token and position rows, blocks of attention and a small network, and a head that scores the
next character. Two parts are not in the stack, and it does not learn without them: LayerNorm before
each part, and the small network. It holds no text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from embviz.context.stack import draw_attention
from embviz.core.layers import check_range, embedding_of

CONTEXT = 48  # the most characters that it sees
DIM = 64
HEADS = 4
BLOCKS = 1
MAX_ROWS = 2_048
_ROW_SPREAD, _HEAD_SPREAD = 0.5, 0.02  # of N(0, s): smaller rows learn more slowly


class Block(nn.Module):
    """Attention, then a small network; each output is added to its input.

    Args:
        dim: D, numbers of a vector.
        heads: of the attention.
        generator: draws the weights; on the CPU.
    """

    def __init__(self, dim: int, heads: int, generator: torch.Generator) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = draw_attention(dim, heads, generator)
        self.expand = _linear(dim, 4 * dim, generator)
        self.contract = _linear(4 * dim, dim, generator)

    def forward(
        self, x: torch.Tensor, later: torch.Tensor, keep_weights: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The next vectors (B, N, D), and the attention's weights (B, heads, N, N) if kept."""
        normed = self.norm_1(x)
        mixed, weights = self.attention(
            normed,
            normed,
            normed,
            attn_mask=later,
            is_causal=not keep_weights,
            need_weights=keep_weights,
            average_attn_weights=False,
        )
        x = x + mixed
        return x + self.contract(F.gelu(self.expand(self.norm_2(x)))), weights


class TinyTransformer(nn.Module):
    """Characters in, logits of the next character out.

    Args:
        rows: V, number of ids, 2 to 2,048.
        generator: draws all weights; on the CPU.
        dim: D.
        heads: divides D.
        blocks: how many, 1 or more.

    Raises:
        ValueError: rows out of range.
    """

    def __init__(
        self,
        rows: int,
        generator: torch.Generator,
        dim: int = DIM,
        heads: int = HEADS,
        blocks: int = BLOCKS,
    ) -> None:
        super().__init__()
        if not 2 <= rows <= MAX_ROWS:
            raise ValueError(
                f"A vocabulary of {rows:,} ids cannot be trained here; it takes 2 to {MAX_ROWS:,}."
            )
        self.rows = rows
        self.embedding = embedding_of(_normal(rows, dim, generator))
        self.positions = embedding_of(_normal(CONTEXT, dim, generator))
        self.blocks = nn.ModuleList(Block(dim, heads, generator) for _ in range(blocks))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, rows, bias=False, device="meta")
        self.head.weight = nn.Parameter(_normal(rows, dim, generator, _HEAD_SPREAD))
        self._later = torch.ones(CONTEXT, CONTEXT, dtype=torch.bool).triu(1)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits (B, N, V) of what follows each of the ids (B, N), N up to 48."""
        logits: torch.Tensor = self.head(self.norm(list(self._layers(ids))[-1][0]))
        return logits

    @torch.no_grad()
    def look(self, ids: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """The vectors and the attention of one text.

        Args:
            ids: int64 (N,), N from 1 to 48, each from 0 to V - 1.

        Returns:
            The rows of the table, then the vectors after each block, each (N, D); and each
            block's attention, (heads, N, N), exactly 0 above the diagonal.

        Raises:
            ValueError: no id, or too many.
            IndexError: an id without a row.
        """
        self.check(ids)
        found = list(self._layers(ids.unsqueeze(0), keep_weights=True))
        return [x[0] for x, _ in found], [weights[0] for _, weights in found if weights is not None]

    @torch.no_grad()
    def layers(self, ids: torch.Tensor) -> list[torch.Tensor]:
        """The vectors that `look` returns, for B texts at once.

        Args:
            ids: int64 (B, N), B from 1.

        Returns:
            The rows of the table, then the vectors after each block, each (B, N, D).

        Raises:
            ValueError, IndexError: as `look`.
        """
        self.check(ids[0])  # all have one length; nn.Embedding checks the other ids
        return [x for x, _ in self._layers(ids)]

    def check(self, ids: torch.Tensor) -> None:
        """Raise for ids of one text that the model cannot read, as `look` does."""
        if ids.ndim != 1 or not 1 <= len(ids) <= CONTEXT:
            raise ValueError(
                f"The model reads from 1 to {CONTEXT} characters in one row; "
                f"got ids of shape {tuple(ids.shape)}."
            )
        check_range(ids, self.rows)

    def _layers(
        self, ids: torch.Tensor, keep_weights: bool = False
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
        """The rows of the table, then each block's vectors and, if kept, its attention."""
        size = ids.shape[1]
        x = self.embedding(ids)
        yield x, None
        x = x + self.positions.weight[:size]
        for block in self.blocks:
            x, weights = block(x, self._later[:size, :size], keep_weights)
            yield x, weights


def _normal(
    rows: int, dim: int, generator: torch.Generator, spread: float = _ROW_SPREAD
) -> torch.Tensor:
    return nn.init.normal_(torch.empty(rows, dim), std=spread, generator=generator)


def _linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    """A layer drawn as nn.Linear's constructor does, from a private generator."""
    linear = nn.Linear(inputs, outputs, device="meta").to_empty(device="cpu")
    nn.init.kaiming_uniform_(linear.weight, a=math.sqrt(5), generator=generator)
    bound = 1 / math.sqrt(inputs)
    nn.init.uniform_(linear.bias, -bound, bound, generator=generator)
    return linear
