"""Equal tokens of one text: whether they come out of a stack equal or different."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from embviz.context.stack import Mask, Switches, stacked
from embviz.fact.layers import TiedLayers

# Share of the outputs' largest number. A sum in another order differs in its last bits, by less;
# what places do is a thousand times as large.
ROUNDING = 1e-4
_LOOKS: list[tuple[bool, Mask]] = [(False, "full"), (True, "full"), (True, "causal")]
EVERY = [Switches(places, *looks) for looks in _LOOKS for places in (False, True)]


@dataclass(frozen=True)
class Equal:
    """The pairs of equal tokens.

    Attributes:
        pairs: how many there are.
        parted: how many come out different.
        apart: for each id that comes twice or more, the largest difference of what comes out.
        rounding: the largest difference that counts as rounding.
    """

    pairs: int
    parted: int
    apart: dict[int, float]
    rounding: float


def equal_vectors(ids: torch.Tensor, outputs: torch.Tensor) -> Equal:
    """Compare every two equal tokens.

    Args:
        ids: int64 (N,).
        outputs: (N, D), of a stack for these ids.
    """
    ids, outputs = ids.cpu(), outputs.double().cpu()
    pairs = (ids[:, None] == ids[None, :]).triu(1)
    apart = torch.cdist(outputs, outputs, p=math.inf)
    rounding = ROUNDING * float(outputs.abs().max())
    first, _ = pairs.nonzero(as_tuple=True)
    largest = dict[int, float]()
    for token, size in zip(ids[first].tolist(), apart[pairs].tolist(), strict=True):
        largest[token] = max(size, largest.get(token, 0.0))
    return Equal(
        len(first),
        int((apart[pairs] > rounding).sum()),
        largest,
        rounding,
    )


def compare_stacks(layers: TiedLayers, ids: torch.Tensor, seed: int) -> dict[Switches, Equal]:
    """The effect of each stack of `EVERY` on the equal tokens of one text.

    Args:
        layers: the tables.
        ids: int64 (N,), N from 1 to 256.
        seed: of the stacks' weights.
    """
    return {
        choice: equal_vectors(ids, stacked(layers, ids, choice, seed)[-1].vectors)
        for choice in EVERY
    }
