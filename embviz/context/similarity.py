"""The cosine of every two vectors of a text.

Equal rows are computed once, so that equal characters have the same numbers at every place.
"""

from __future__ import annotations

import torch


def cosine(vectors: torch.Tensor) -> torch.Tensor:
    """The cosine of every two rows.

    A row of zeros has no direction: its cosines are 0 and not NaN, also with itself, so that a
    picture can draw them. A row with NaN or inf gives NaN.

    Args:
        vectors: shape (N, D), any float dtype, N a few hundred at most.

    Returns:
        float64 of shape (N, N) on the vectors' device: symmetric, from -1 to 1, and exactly
        1 where two rows are equal and not zero (the diagonal among them).

    >>> cosine(torch.tensor([[3.0, 4.0], [4.0, 3.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.96, 0.0], [0.96, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    if not vectors.numel():
        return vectors.new_zeros(len(vectors), len(vectors), dtype=torch.float64)
    distinct, place = torch.unique(vectors.detach().double(), dim=0, return_inverse=True)
    # Each row is divided by its largest number, so that no square leaves float64's range.
    largest = distinct.abs().amax(dim=1, keepdim=True)
    scaled = distinct / torch.where(largest == 0, 1.0, largest)
    length = torch.linalg.vector_norm(scaled, dim=1, keepdim=True)
    unit = scaled / torch.where(length == 0, 1.0, length)
    found = (unit @ unit.t()).clamp(-1.0, 1.0)
    found = (found + found.t()) / 2
    diagonal = torch.where(length[:, 0] == 0, 0.0, 1.0)
    diagonal[length[:, 0].isnan()] = torch.nan
    found.diagonal().copy_(diagonal)
    spread: torch.Tensor = found[place][:, place]
    return spread
