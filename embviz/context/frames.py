"""Cosines layer by layer, as a table."""

from __future__ import annotations

import pandas as pd

from embviz.context.shared_word import SharedWord


def of_layers(run: SharedWord) -> pd.DataFrame:
    """Cosines of the word in each pair of sentences, layer by layer."""
    names = [f"sentences {a + 1} and {b + 1}" for a, b in run.pairs]
    layers = ["row", "+ place", *(f"layer {k}" for k in range(1, len(run.layer_cosines)))]
    return pd.DataFrame([run.cosines(pair) for pair in run.pairs], names, layers).round(3)
