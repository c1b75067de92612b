"""Results as pandas frames, with the words and signs that a page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import torch

from embviz.fact.inits import Promise
from embviz.fact.routes import BothRoutes
from embviz.picture.numbers import widened

MOMENTS = "mean", "std", "low", "high"


def of_outputs(both: BothRoutes, label: Callable[[int], str], most: int | None) -> pd.DataFrame:
    """Token, label, id, route and every dimension of the first `most` tokens, or of all."""
    ids = both.ids.flatten()[:most].tolist()
    head = pd.DataFrame({"token": range(len(ids)), "label": map(label, ids), "id": ids})
    frames = []
    for route in ("lookup", "matmul"):
        values = widened(getattr(both.comparison, route)).reshape(-1, both.table.embedding_dim)
        numbers = pd.DataFrame(values[:most]).rename(columns=str)
        frames.append(head.assign(route=route).join(numbers))
    return pd.concat(frames).sort_values(["token", "route"], kind="stable")


def of_moments(values: torch.Tensor, own: Promise | None, linear: Promise) -> pd.DataFrame:
    """Moments of finite numbers, and those that their init and that of nn.Linear promise."""
    std, mean = torch.std_mean(values, correction=0)
    found = (mean, std, *torch.aminmax(values))
    rows: dict[str, list[Any]] = {"Embedding.weight": [float(moment) for moment in found]}
    for name, start in (("promised by this start", own), ("promised by nn.Linear's own", linear)):
        if start is not None:
            rows[f"{name}: {start.name}"] = [start.mean, start.std, *start.ends]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*MOMENTS])
    return table.map(lambda value: "" if pd.isna(value) else f"{value:#.4g}")
