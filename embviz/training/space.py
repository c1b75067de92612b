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


def pca(
    weight: torch.Tensor, k: int, rows: Sequence[int], before: Projection | None = None
) -> Projection:
    """Principal axes of the rows, by SVD.

    Args:
        weight: (V, D), finite, without gradient.
        k: 1 to 3 axes; axes beyond D or the number of rows are zeros.
        rows: the ids that decide mean and axes, such as those of the text.
        before: the frame before, whose axes decide order and sign. Without it the axes are sorted
            by share, and the largest number of each is positive.
    """
    table = weight.double()
    mean = table[list(rows)].mean(dim=0)
    _, singular, axes = torch.linalg.svd(table[list(rows)] - mean, full_matrices=False)
    missing = max(0, k - len(axes))
    shares = singular.square() / singular.square().sum().clamp_min(torch.finfo(torch.float64).tiny)
    kept, explained = F.pad(axes[:k], (0, 0, 0, missing)), F.pad(shares[:k], (0, missing))
    if before is not None and before.axes.shape == kept.shape:
        overlap = before.axes @ kept.T  # (old axis, new axis)
        orders = [list(order) for order in permutations(range(k))]
        order = max(orders, key=lambda order: float(overlap[range(k), order].abs().sum()))
        sign, kept, explained = overlap[range(k), order], kept[order], explained[order]
    else:
        sign = kept.gather(1, kept.abs().argmax(dim=1, keepdim=True)).squeeze(1)
    kept = torch.where(sign[:, None] < 0, -kept, kept)
    return Projection((table - mean) @ kept.T, explained, kept)


def neighbours(weight: torch.Tensor, token: int, k: int, rows: Sequence[int]) -> Neighbours:
    """The k rows nearest to row `token`, without that row.

    Args:
        weight: (V, D), without gradient.
        token: 0 to V - 1.
        k: how many; all if there are fewer.
        rows: the ids to choose from.
    """
    table, others = weight.double(), [i for i in rows if i != token]
    cosine = F.cosine_similarity(table[others], table[token], dim=1)
    distance = (table[others] - table[token]).norm(dim=1)
    near = torch.sort(cosine, descending=True, stable=True).indices[:k]
    close = torch.sort(distance, stable=True).indices[:k]
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


def cluster_quality(weight: torch.Tensor, members: dict[str, list[int]]) -> float:
    """Mean cosine of pairs within a group minus that of pairs across groups.

    The mean of all these rows is subtracted first: a shift of all rows is the head's bias, and no
    information. The result is 0 on average for random rows and at most 2; it is NaN with fewer
    than two groups or without a group of two.

    Args:
        weight: (V, D), without gradient.
        members: ids by group, each id in one group, as `groups` returns them.
    """
    ids = [i for group in members.values() for i in group]
    group_of = torch.tensor([n for n, group in enumerate(members.values()) for _ in group])
    rows = weight.double()[ids]
    unit = F.normalize(rows - rows.mean(dim=0), dim=1)
    cosine = unit @ unit.T
    same = group_of[:, None] == group_of[None, :]
    other = ~torch.eye(len(ids), dtype=torch.bool)
    return float(cosine[same & other].mean() - cosine[~same].mean())
