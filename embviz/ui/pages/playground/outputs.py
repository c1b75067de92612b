"""The buttons of the panel *code*: both outputs as CSV and as `.npz`, made when one is pressed."""

from __future__ import annotations

import io

import numpy as np

from embviz.core.routes import BothRoutes
from embviz.request.inputs import Inputs
from embviz.request.picture import widened
from embviz.server.tables import run_both_cached
from embviz.ui.parts.download import download

MAX_CSV_NUMBERS = 2_000_000


def draw(both: BothRoutes, given: Inputs) -> None:
    """Draw both buttons. They keep the inputs alone, and compute the result again."""
    numbers = 2 * both.comparison.num_values
    fits = numbers <= MAX_CSV_NUMBERS
    why = f"{numbers:,} numbers are more than the {MAX_CSV_NUMBERS:,} that a CSV takes here."
    download(
        "All tokens as CSV",
        lambda: _csv(run_both_cached(given)),
        "embviz_outputs.csv",
        "text/csv",
        type="tertiary",
        disabled=not fits,
        help=None if fits else why,
    )
    download(
        "As .npz",
        lambda: _npz(run_both_cached(given)),
        "embviz_outputs.npz",
        "application/octet-stream",
        type="tertiary",
    )


def _csv(both: BothRoutes) -> bytes:
    """CSV with token, id, route and every dimension; floats with the digits that identify them."""
    import pandas as pd  # loads slowly

    ids = both.ids.flatten().tolist()
    frames = []
    for route in ("lookup", "matmul"):
        values = getattr(both.comparison, route).reshape(-1, both.config.embedding_dim)
        frame = pd.DataFrame(widened(values))
        frame.insert(0, "route", route)
        frame.insert(0, "id", ids)
        frame.insert(0, "token", range(len(ids)))
        frames.append(frame)
    text: str = pd.concat(frames).to_csv(index=False)
    return text.encode()


def _npz(both: BothRoutes) -> bytes:
    """`.npz` with `ids`, `lookup` and `matmul`; half precisions exactly widened to float32."""
    stream, result = io.BytesIO(), both.comparison
    lookup, matmul = widened(result.lookup), widened(result.matmul)
    np.savez(stream, ids=both.ids.numpy(), lookup=lookup, matmul=matmul)
    return stream.getvalue()
