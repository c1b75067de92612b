"""The numbers of a small tensor as a table."""

from __future__ import annotations

import pandas as pd
import torch


def of_values(value: torch.Tensor, differs: torch.Tensor | None) -> pd.DataFrame:
    """The numbers of a small tensor as Markdown: the last axis across, all others down.

    Those that differ, a bool tensor of its shape, have a sign and a colour.
    """
    flat = value.reshape(-1, value.shape[-1] if value.dim() else 1)
    write = "{:.5g}" if value.is_floating_point() else "{}"
    marked = (torch.zeros_like(flat) if differs is None else differs.reshape(flat.shape)).tolist()
    # pandas' own `map` and `mask` take ten times as long, for each visitor who opens a case.
    with_sign = f":red-background[**≠ {write}**]"
    pairs = (zip(*row, strict=True) for row in zip(flat.tolist(), marked, strict=True))
    return pd.DataFrame(
        [(with_sign if mark else write).format(number) for number, mark in row] for row in pairs
    )
