"""The space of a table's rows: its PCA, the nearest rows, and whether groups separate.

PCA is the SVD of the centred rows. An axis has no sign of its own, and two axes change places when
their shares of the variance cross. So each frame's axes are matched to the frame before. Distances
are measured in all D dimensions, never in the picture. Nothing is trained here.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import torch
from torch.nn import functional as F

from embviz.core.vocabulary import Symbols

_VOWELS, _MARKS = "aeiou", re.escape(string.punctuation)
# Kinds of symbols by name, as patterns of a whole symbol; y is a consonant here.
GROUPS = {
    "vowels": f"[{_VOWELS}]",
    "consonants": f"(?![{_VOWELS}])[a-z]",
    "capitals": "[A-Z]",
    "digits": "[0-9]",
    "punctuation": f"[{_MARKS}]",
    "white space": r"\s",
}
PIECES = {
    "starts of words": " [A-Za-z]+",
    "parts of words": "[A-Za-z]+",
    "digits": " ?[0-9]+",
    "punctuation": f" ?[{_MARKS}]+",
    "white space": r"\s+",
}
_BY_UNIT = {"piece": PIECES}  # of `Symbols.unit`; GROUPS for all others


@dataclass(frozen=True)
class Projection:
    """Rows projected onto k axes.

    Attributes:
        points: float64 (V, k), every row of the table.
        explained: float64 (k,), share of the fitted rows' variance along each axis, 0 to 1.
        axes: float64 (k, D), orthonormal.
    """

    points: torch.Tensor
    explained: torch.Tensor
    axes: torch.Tensor


@dataclass(frozen=True)
class Neighbours:
    """Ids with their similarity or distance, nearest first.

    Attributes:
        by_cosine: cosine of the angle, 1 for the same direction; 0 for a row of zeros.
        by_distance: Euclidean distance, 0 for an equal row.
    """

    by_cosine: list[tuple[int, float]]
    by_distance: list[tuple[int, float]]


@torch.no_grad()
def pca(
    weight: torch.Tensor,
    k: int = 2,
    before: Projection | None = None,
    rows: Sequence[int] | None = None,
) -> Projection:
    """Principal axes of the rows, by SVD.

    Args:
        weight: (V, D), finite.
        k: 1 to 3 axes; axes beyond V or D are zeros.
        before: the frame before, whose axes decide order and sign. Without it the axes are sorted
            by share, and the largest number of each is positive.
        rows: the ids that decide mean and axes, such as those of the text; all by default.
    """
    table = weight.detach().double().cpu()
    fitted = table if rows is None else table[list(rows)]
    mean = fitted.mean(dim=0)
    _, singular, axes = torch.linalg.svd(fitted - mean, full_matrices=False)
    spread = singular.square()
    found = min(k, len(axes))
    explained = torch.zeros(k, dtype=torch.float64)
    explained[:found] = spread[:found] / spread.sum().clamp_min(torch.finfo(torch.float64).tiny)
    kept = torch.zeros(k, table.shape[1], dtype=torch.float64)
    kept[:found] = axes[:found]
    if before is not None and before.axes.shape == kept.shape:
        overlap = before.axes @ kept.T  # (old axis, new axis)
        order = max(
            permutations(range(k)),
            key=lambda p: sum(float(overlap[old, new].abs()) for old, new in enumerate(p)),
        )
        sign = torch.stack([overlap[old, new] for old, new in enumerate(order)])
        kept, explained = kept[list(order)], explained[list(order)]
    else:
        sign = kept.gather(1, kept.abs().argmax(dim=1, keepdim=True)).squeeze(1)
    kept = torch.where(sign[:, None] < 0, -kept, kept)
    return Projection((table - mean) @ kept.T, explained, kept)


@torch.no_grad()
def neighbours(
    weight: torch.Tensor, token: int, k: int = 5, rows: Sequence[int] | None = None
) -> Neighbours:
    """The k rows nearest to row `token`, without that row.

    Args:
        weight: (V, D).
        token: 0 to V - 1.
        k: how many; all if there are fewer.
        rows: the ids to choose from; all by default.

    Raises:
        IndexError: a token without a row.
    """
    if not 0 <= token < len(weight):
        raise IndexError(f"Id {token} has no row; rows are 0 to {len(weight) - 1}.")
    table = weight.detach().double().cpu()
    others = [i for i in (range(len(table)) if rows is None else rows) if i != token]
    cosine = F.cosine_similarity(table[others], table[token], dim=1)
    distance = (table[others] - table[token]).norm(dim=1)
    near = torch.sort(cosine, descending=True, stable=True).indices[: max(0, k)]
    close = torch.sort(distance, stable=True).indices[: max(0, k)]
    return Neighbours(
        [(others[int(i)], float(cosine[i])) for i in near],
        [(others[int(i)], float(distance[i])) for i in close],
    )


def groups(vocabulary: Symbols, occurring: Sequence[int]) -> dict[str, list[int]]:
    """The ids of each kind of character or piece that occurs; other kinds are left out.

    >>> from embviz.core.vocabulary import Vocabulary
    >>> groups(Vocabulary("ab1c"), [0, 1, 2])
    {'vowels': [0], 'consonants': [1], 'digits': [2]}
    """
    kinds = _BY_UNIT.get(vocabulary.unit, GROUPS)
    found = {name: [i for i in occurring if _is_of(vocabulary, i, k)] for name, k in kinds.items()}
    return {name: ids for name, ids in found.items() if ids}


def _is_of(vocabulary: Symbols, token: int, kind: str) -> bool:
    if token >= len(vocabulary.characters):  # <unk>, or a row that no character uses
        return False
    symbol = vocabulary.symbol(token)
    text = symbol if isinstance(symbol, str) else symbol.decode("latin-1")
    return re.fullmatch(kind, text, re.ASCII) is not None


@torch.no_grad()
def cluster_quality(weight: torch.Tensor, members: dict[str, list[int]]) -> float:
    """Mean cosine of pairs within a group minus that of pairs across groups.

    The mean of all these rows is subtracted first. The result is 0 on average for random rows and
    at most 2; it is NaN with fewer than two groups or without a group of two.

    Args:
        weight: (V, D).
        members: ids by group, each id in one group, as `groups` returns them.
    """
    ids = [i for group in members.values() for i in group]
    group_of = torch.tensor([n for n, group in enumerate(members.values()) for _ in group])
    cosine = _cosines(weight, ids)
    same = group_of[:, None] == group_of[None, :]
    other = ~torch.eye(len(ids), dtype=torch.bool)
    return float(cosine[same & other].mean() - cosine[~same].mean())


def _cosines(weight: torch.Tensor, ids: Sequence[int]) -> torch.Tensor:
    """Cosines of the centred rows: a shift of all rows is the head's bias, and no information."""
    rows = weight.detach().double().cpu()[list(ids)]
    unit = F.normalize(rows - rows.mean(dim=0), dim=1)
    return unit @ unit.T
