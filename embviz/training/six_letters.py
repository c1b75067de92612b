"""The rows of six letters while they learn: which are nearest, why, and how a map shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch

from embviz.fact.letters import LETTERS, STEPS, following
from embviz.fact.next_token import Learnt

NAMED = 2  # Next letters that the sentence names.
SIDES = 500  # Sides from which the map may look at the rows.


@dataclass(frozen=True, eq=False)
class Map:
    """The rows as points of a plane, which is the same in each state.

    Attributes:
        places: float32 (STEPS + 1, 6, 2), from 0 to 1; both directions have the same scale.
        spread: share of the last rows' spread that the plane shows.
    """

    places: torch.Tensor
    spread: float


def shares() -> torch.Tensor:
    """The share of each next letter (columns) after each letter (rows) in the words, (6, 6)."""
    counts = following().float()
    return counts / counts.sum(1, keepdim=True)


def sentence(learnt: Learnt) -> str:
    """The nearest rows before and after the training, and why the last ones are."""
    first, *_, last = learnt.nearest()
    again = " again" if first == last else ""
    return (
        f"{begun(learnt)} After {STEPS} steps{again}: {_names(last)}: "
        f"both are followed by {followed_by(*last)}."
    )


def begun(learnt: Learnt) -> str:
    """The nearest rows before the training, which are random."""
    return f"Nearest rows by distance, at first: {_names(learnt.nearest()[0])}, by chance."


def followed_by(first: int, second: int) -> str:
    """The letters that come most after both of these, each with its shares.

    >>> followed_by(1, 2)
    "'e' (59 % and 60 %) and 'a' (23 % and 30 %)"
    """
    both = shares()[[first, second]]
    common = both.amin(0).sort(descending=True, stable=True).indices[:NAMED].tolist()
    named = (
        f"'{LETTERS[letter]}' ({both[0, letter]:.0%} and {both[1, letter]:.0%})"
        for letter in common
    )
    return " and ".join(named).replace("%", " %")


def _names(ids: Iterable[int]) -> str:
    return " and ".join(f"'{LETTERS[letter]}'" for letter in ids)


def map_of(learnt: Learnt) -> Map:
    """The map: it looks at the three numbers of a row from the side that hides least."""
    hidden = _hidden_side(learnt)
    last = learnt.rows[-1] - learnt.rows[-1].mean(0)
    flat = last - torch.outer(last @ hidden, hidden)
    axes = torch.linalg.svd(flat).Vh[:2]  # the plane's axes, the longer one first
    axes = axes * axes.sum(1, keepdim=True).sign()  # both signs are right: always the same one
    places = learnt.rows @ axes.T
    low, high = places.amin((0, 1)), places.amax((0, 1))
    size = float((high - low).max())
    middle = (low + high) / 2
    return Map((places - middle) / size + 0.5, float(flat.pow(2).sum() / last.pow(2).sum()))


def _hidden_side(learnt: Learnt) -> torch.Tensor:
    """The direction, float32 (3,) of length 1, that the map does not show.

    Without it the distances between the last rows shrink least, each by its share.
    """
    sides, last = _sides(), learnt.rows[-1]
    first, second = torch.triu_indices(len(LETTERS), len(LETTERS), offset=1)
    between = last[first] - last[second]  # (15, 3)
    lengths = between.norm(dim=1, keepdim=True)
    hidden = (between @ sides.T) / lengths  # (15, SIDES), from -1 to 1
    shown = (1 - hidden.square()).clamp(min=0).sqrt()
    return sides[(1 - shown).square().sum(0).argmin()]


def _sides() -> torch.Tensor:
    """Directions spread evenly over half a sphere, a spiral of golden angles; (SIDES, 3)."""
    at = torch.arange(SIDES) + 0.5
    height, angle = 1 - at / SIDES, at * math.pi * (3 - math.sqrt(5))
    radius = (1 - height.square()).sqrt()
    return torch.stack([radius * angle.cos(), radius * angle.sin(), height], 1)
