"""Equal tokens of one text: whether they come out of a stack equal or different."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from embviz.context.stack import Mask, Operation, Switches, stacked
from embviz.fact.comparison import bits
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
        same_rows: whether the rows of each pair have the same bits.
        apart: for each id that comes twice or more, the largest difference of what comes out.
        rounding: the largest difference that counts as rounding.
    """

    pairs: int
    parted: int
    same_rows: bool
    apart: dict[int, float]
    rounding: float


def equal_vectors(ids: torch.Tensor, steps: Sequence[Operation]) -> Equal:
    """Compare every two equal tokens.

    Args:
        ids: int64 (N,).
        steps: of a stack for these ids: the rows first, the output last.
    """
    rows, outputs = bits(steps[0].vectors).cpu(), steps[-1].vectors.double().cpu()
    ids = ids.cpu()
    pairs = (ids[:, None] == ids[None, :]).triu(1)
    apart = torch.cdist(outputs, outputs, p=math.inf)
    rounding = ROUNDING * float(outputs.abs().max())
    first, second = pairs.nonzero(as_tuple=True)
    largest = dict[int, float]()
    for token, size in zip(ids[first].tolist(), apart[pairs].tolist(), strict=True):
        largest[token] = max(size, largest.get(token, 0.0))
    return Equal(
        len(first),
        int((apart[pairs] > rounding).sum()),
        torch.equal(rows[first], rows[second]),
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
    return {choice: equal_vectors(ids, stacked(layers, ids, choice, seed)) for choice in EVERY}
