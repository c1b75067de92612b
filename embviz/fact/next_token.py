"""A small model of the next token: `nn.Embedding(V, D)`, then `nn.Linear(D, V)`.

It reads a token and scores each next one, so it can learn no more than how often each token follows
each other one. Both layers learn, from PyTorch's own start, on the CPU in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

RATE = 0.1  # Adam's learning rate


@dataclass(frozen=True, eq=False)
class Learnt:
    """The model in K states, the start first.

    Attributes:
        rows: float32 (K, V, D), the weight of nn.Embedding.
        weights: float32 (K, V, D), the weight of nn.Linear.
        biases: float32 (K, V), the bias of nn.Linear.
    """

    rows: torch.Tensor
    weights: torch.Tensor
    biases: torch.Tensor

    @property
    def nbytes(self) -> int:
        """Bytes of all numbers."""
        return self.rows.nbytes + self.weights.nbytes + self.biases.nbytes

    def scores(self, ids: torch.Tensor, state: int) -> torch.Tensor:
        """The scores of each next token, float32 (..., V), after tokens with these ids (...)."""
        rows = nn.functional.embedding(ids, self.rows[state])
        return nn.functional.linear(rows, self.weights[state], self.biases[state])

    def expected(self) -> torch.Tensor:
        """The share of each next token (columns) after each (rows) in each state, (K, V, V)."""
        return (self.rows @ self.weights.mT + self.biases[:, None]).softmax(2)

    def nearest(self) -> list[tuple[int, int]]:
        """The ids of the two nearest rows by distance in each state, the smaller first."""
        rows = self.rows.shape[1]
        first, second = torch.triu_indices(rows, rows, offset=1)
        least = (self.rows[:, first] - self.rows[:, second]).norm(dim=2).argmin(1)
        return list(zip(first[least].tolist(), second[least].tolist(), strict=True))


def counted_pairs(ids: torch.Tensor, following: torch.Tensor, num_embeddings: int) -> torch.Tensor:
    """How often each token (columns) follows each (rows), int64 (V, V)."""
    counts = torch.zeros(num_embeddings, num_embeddings, dtype=torch.int64)
    return counts.index_put_((ids, following), torch.tensor(1), accumulate=True)


def begun(num_embeddings: int, embedding_dim: int, seed: int) -> nn.Sequential:
    """The model as both constructors begin it after `torch.manual_seed(seed)`.

    A private generator draws it, because all sessions of a server share PyTorch's global one.
    """
    generator, size = torch.Generator().manual_seed(seed), (num_embeddings, embedding_dim)
    # Layers on `meta` draw nothing; their parameters are set below.
    embedding = nn.Embedding(num_embeddings, embedding_dim, device="meta")
    linear = nn.Linear(embedding_dim, num_embeddings, device="meta")
    rows, weight, bias = torch.empty(size), torch.empty(size), torch.empty(num_embeddings)
    nn.init.normal_(rows, generator=generator)
    nn.init.kaiming_uniform_(weight, a=math.sqrt(5), generator=generator)
    most = 1 / math.sqrt(embedding_dim)
    nn.init.uniform_(bias, -most, most, generator=generator)
    embedding.weight = nn.Parameter(rows)
    linear.weight, linear.bias = nn.Parameter(weight), nn.Parameter(bias)
    return nn.Sequential(embedding, linear)


def train(
    model: nn.Sequential,
    loss: Callable[[nn.Sequential], torch.Tensor],
    steps: int,
    every: int,
    weight_decay: float = 0.0,
) -> Learnt:
    """Train a model by Adam.

    Args:
        model: as `begun` makes it.
        loss: the number that a step makes smaller, for the model as it is.
        steps: of training, a multiple of `every`.
        every: steps between two states that are kept.
        weight_decay: Adam's, as PyTorch names it.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, weight_decay=weight_decay)
    states = [[part.detach().clone() for part in model.parameters()]]
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        loss(model).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % every == 0:
            states.append([part.detach().clone() for part in model.parameters()])
    return Learnt(*(torch.stack(parts) for parts in zip(*states, strict=True)))
