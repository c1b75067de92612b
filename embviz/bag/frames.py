"""Each way to a bag's output, as a table."""

from __future__ import annotations

import pandas as pd

from embviz.bag.routes import Result, RouteResult
from embviz.text.markdown import literal
from embviz.text.wording import counted


def of_routes(result: Result) -> pd.DataFrame:
    """Each way to a bag's output: whether it is right, why, and its first numbers."""
    return pd.DataFrame(map(_route, result.of_routes.values()))


def _route(result: RouteResult) -> dict[str, str]:
    rows, wrong = len(result.wrong), int(result.wrong.any(-1).sum())
    same, far = "It has the bits of linear(x).", f"Off by {result.max_abs_error:.2g}."
    return {
        "Right?": "✓ yes" if result.right else f"≠ {wrong:,} of {counted(rows, 'row')} wrong",
        "Line": f"`{result.route.code}`",
        "Why": literal(f"{result.route.why} {same if result.same_bits else far}"),
        "Shape": str(tuple(result.output.shape)),
        "First numbers": " ".join(f"{value:.4g}" for value in result.output.flatten()[:4].tolist()),
    }
