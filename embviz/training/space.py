"""The space of a table's rows: its map, and whether the nearest rows are of one kind.

The map is scikit-learn's PCA, turned by scipy's Procrustes rotation onto the map before, so that no
axis flips from one map to the next. Distances are not measured in it (`fact/nearest.py`).
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import PCA

from embviz.fact.vocabulary import Vocabulary

Floats = NDArray[np.float64]
_VOWELS, _MARKS = "aeiou", re.escape(string.punctuation)
# Kinds of characters by name, as patterns; y is a consonant here.
KINDS = {
    "vowels": f"[{_VOWELS}]",
    "consonants": f"(?![{_VOWELS}])[a-z]",
    "capitals": "[A-Z]",
    "digits": "[0-9]",
    "punctuation": f"[{_MARKS}]",
    "white space": r"\s",
}


def on_plane(rows: Floats, before: Floats | None = None) -> tuple[Floats, float]:
    """Rows (R, D) on a plane.

    Args:
        rows: finite numbers.
        before: the map (R, 2) that it is turned onto.

    Returns:
        The map (R, 2), with zeros for an axis that the rows do not have; and the share of their
        variance that it shows, 0 to 1.
    """
    found = PCA(min(2, *rows.shape), svd_solver="full")
    points = np.zeros((len(rows), 2))
    with np.errstate(invalid="ignore"):  # equal rows have no variance to share
        made = found.fit_transform(rows)
    points[:, : made.shape[1]] = made
    if before is not None:
        points = points @ orthogonal_procrustes(points, before)[0]
    return points, float(np.nan_to_num(found.explained_variance_ratio_).sum())


def kinds(vocabulary: Vocabulary, occurring: Sequence[int]) -> dict[int, str]:
    """The kind of each character that occurs, kind by kind; others are left out.

    >>> kinds(Vocabulary("ab1c"), [0, 1, 2])
    {0: 'vowels', 1: 'consonants', 2: 'digits'}
    """
    return {
        token: name
        for name, kind in KINDS.items()
        for token in occurring
        if re.fullmatch(kind, vocabulary.symbol(token), re.ASCII)
    }


def same_kind(near: Sequence[Sequence[int]], names: Sequence[str]) -> int:
    """How many of R rows have a nearest row of their own kind; `names` are the R kinds."""
    return sum(names[row] == names[k] for row, those in enumerate(near) for k in those[:1])
