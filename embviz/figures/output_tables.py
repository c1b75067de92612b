"""Results as tables: pandas, with the words and signs that a page shows.

Those of timing runs are in `timing/number_tables.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import torch

from embviz.bag.routes import Result, RouteResult
from embviz.context.shared_word import SharedWord
from embviz.fact.inits import Distribution, Promise
from embviz.fact.routes import BothRoutes
from embviz.request.drawings.numbers import widened
from embviz.request.markdown import literal

MOMENTS = "mean", "std", "low", "high"


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
        [(with_sign if mark else write).format(one) for one, mark in row] for row in pairs
    )


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


def of_moments(found: Distribution, own: Promise | None, linear: Promise) -> pd.DataFrame:
    """Moments of a table, and those that its init and that of nn.Linear promise."""
    rows = {"Embedding.weight": [getattr(found, name) for name in MOMENTS]}
    for name, start in (("promised by this start", own), ("promised by nn.Linear's own", linear)):
        if start is not None:
            rows[f"{name}: {start.name}"] = [start.mean, start.std, *start.ends]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*MOMENTS])
    return table.map(lambda value: "" if pd.isna(value) else f"{value:#.4g}")


def of_routes(result: Result) -> pd.DataFrame:
    """Each way to a bag's output: whether it is right, why, and its first numbers."""
    return pd.DataFrame(map(_route, result.of_routes.values()))


def _route(found: RouteResult) -> dict[str, str]:
    rows, wrong = len(found.wrong), int(found.wrong.any(-1).sum())
    same, far = "It has the bits of linear(x).", f"Off by {found.max_abs_error:.2g}."
    return {
        "Right?": "✓ yes" if found.right else f"≠ {wrong:,} of {rows:,} rows wrong",
        "Line": f"`{found.route.code}`",
        "Why": literal(f"{found.route.why} {same if found.same_bits else far}"),
        "Shape": str(tuple(found.output.shape)),
        "First numbers": " ".join(f"{value:.4g}" for value in found.output.flatten()[:4].tolist()),
    }


def of_layers(run: SharedWord) -> pd.DataFrame:
    """Cosines of the word in each pair of sentences, layer by layer."""
    names = [f"sentences {a + 1} and {b + 1}" for a, b in run.pairs]
    layers = ["row", "+ place", *(f"layer {k}" for k in range(1, len(run.layer_cosines)))]
    return pd.DataFrame([run.cosines(pair) for pair in run.pairs], names, layers).round(3)
