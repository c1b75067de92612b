"""One letter at many places: whether its vectors are nearer where the same character follows.

`separation` compares a letter's vectors, layer by layer: the mean cosine of pairs before the same
next character, and of pairs before different ones. `plane` projects vectors for a picture. Neither
uses a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from embviz.context.similarity import MAX_POSITIONS, cosine
from embviz.training.space import pca


@dataclass(frozen=True)
class Place:
    """One place of a letter.

    Attributes:
        context: int64 (N,), the text around it.
        position: its position in the context, 0 to N - 2.
    """

    context: torch.Tensor
    position: int

    @property
    def following(self) -> int:
        """The id after it."""
        return int(self.context[self.position + 1])


@dataclass(frozen=True)
class Separation:
    """One letter's vectors at its places, for each layer, the static rows first.

    Attributes:
        letter: its id.
        places: M places.
        vectors: for each layer, (M, D).
        within: for each layer, the mean cosine of two places before the same character; None
            without such a pair.
        across: the same for two places before different characters.
    """

    letter: int
    places: list[Place]
    vectors: list[torch.Tensor]
    within: list[float | None]
    across: list[float | None]


def places_of(letter: int, contexts: Sequence[torch.Tensor]) -> list[Place]:
    """The places of a letter with a character after it, 256 at most.

    Args:
        letter: an id.
        contexts: each int64 (N,).
    """
    found = [
        Place(context, position)
        for context in contexts
        for position in (context[:-1] == letter).nonzero().flatten().tolist()
    ]
    return found[:MAX_POSITIONS]


def separation(vectors: Sequence[torch.Tensor], letter: int, places: Sequence[Place]) -> Separation:
    """Compare every two of a letter's vectors.

    Args:
        vectors: for each layer, (M, D), a row for each place, computed without what follows.
        letter: the id at all the places.
        places: 1 to 256 places.

    Raises:
        ValueError: no place, or too many.
    """
    if not places:
        raise ValueError("The letter stands nowhere with a character after it.")
    following = torch.tensor([place.following for place in places])
    same = following.unsqueeze(0) == following.unsqueeze(1)
    upper = torch.ones(len(places), len(places), dtype=torch.bool).triu(1)
    cosines = [cosine(layer) for layer in vectors]
    return Separation(
        letter,
        list(places),
        list(vectors),
        [_mean(found[same & upper]) for found in cosines],
        [_mean(found[~same & upper]) for found in cosines],
    )


def plane(vectors: torch.Tensor) -> torch.Tensor:
    """The vectors' two principal components.

    Args:
        vectors: (N, D), any float dtype, N from 1.

    Returns:
        float64 (N, 2), centred. The largest number of each axis is positive; an axis without
        variance is 0.
    """
    points = pca(vectors).points
    # Equal rows differ from their mean by rounding only, which is no direction.
    points = torch.where(points.abs() > 1e-12 * vectors.detach().abs().max().cpu(), points, 0.0)
    largest = points.gather(0, points.abs().argmax(dim=0, keepdim=True))
    return points * torch.where(largest < 0, -1.0, 1.0)


def _mean(values: torch.Tensor) -> float | None:
    return float(values.mean()) if len(values) else None
