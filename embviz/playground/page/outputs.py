"""The panel *all tokens*: the largest difference, both outputs, and a menu of files to download."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from embviz.fact.export import (
    MAX_TSV_NUMBERS,
    METADATA_FILE,
    VECTORS_FILE,
    metadata_tsv,
    vectors_tsv,
)
from embviz.fact.inputs import Inputs
from embviz.fact.routes import BothRoutes
from embviz.fact.shared_layers import run_on_shared_layers
from embviz.picture.numbers import widened
from embviz.playground.frames import of_outputs
from embviz.playground.stage_svg import stage_svg
from embviz.system.bounds import FILE_NUMBERS
from embviz.text.wording import formula_safe
from embviz.ui.elements.download import download
from embviz.ui.state.address import setting

EARLY_NUMBERS = 20_000  # Numbers of files that are made before they are asked for.
SHOWN_NUMBERS = 50_000


def draw(both: BothRoutes, given: Inputs) -> None:
    """Draw the verdict, the table and the menu, whose files compute the result again."""
    comparison = both.comparison
    ulp = "none (NaN)" if comparison.max_ulp is None else f"{comparison.max_ulp:,}"
    st.markdown(
        f"ids `{both.ids_shape}` → one_hot `{both.one_hot_shape}` → output `{both.output_shape}`. "
        f"Max |difference| {comparison.max_abs_error:.3g}, max ulp {ulp}. {_back(both, given)}"
    )
    numbers, tokens = 2 * comparison.num_values, both.ids.numel()
    shown = max(1, SHOWN_NUMBERS // (2 * both.table.embedding_dim))
    st.dataframe(
        of_outputs(both, given.label, shown), hide_index=True, alt="Both outputs, two rows a token"
    )
    if shown < tokens:
        st.caption(f"The first {shown:,} of {tokens:,} tokens.")
    weight, most = both.layers.embedding.weight, FILE_NUMBERS.value()
    # A file of text is slow to write.
    limit = min(most, MAX_TSV_NUMBERS)
    picture = partial(stage_svg, both, int(setting("token")), given.label)
    labels = partial(metadata_tsv, len(weight), given.label)
    outputs: dict[str, Any] = {
        "late": numbers > EARLY_NUMBERS,
        "disabled": numbers > limit,
        "help": f"At most {limit:,} numbers.",
    }
    table: dict[str, Any] = {
        "late": True,
        "disabled": weight.numel() > limit or not both.layers.is_finite,
        "help": f"For the Embedding Projector. At most {limit:,} numbers, all finite.",
    }
    with st.popover("Download"):
        download("All tokens as CSV", partial(_csv, given), "embviz_outputs.csv", **outputs)
        binary = {"disabled": numbers > most, "help": f"At most {most:,} numbers."}
        download("As .npz", partial(_npz, given), "embviz_outputs.npz", **outputs | binary)
        download("Picture as SVG", picture, "embviz_picture.svg", late=True, disabled=not tokens)
        download("Table as TSV", partial(vectors_tsv, weight), VECTORS_FILE, **table)
        download("Its labels", labels, METADATA_FILE, **table)


def _back(both: BothRoutes, given: Inputs) -> str:
    """Whether the ids give the text back."""
    if given.vocabulary is None:
        return ""
    lost = both.ids.flatten().tolist().count(given.table.unk_id)
    if not lost and given.vocabulary.loses:
        return f"The ids hold no {given.vocabulary.loses}."
    if not lost:
        return "`decode(encode(text)) == text`: the ids hold the whole text."
    return f"`decode(encode(text)) != text`: {lost:,} became `<unk>`."


def _csv(given: Inputs) -> str:
    """All tokens; no label is a spreadsheet's formula."""
    safe = of_outputs(
        run_on_shared_layers(given), lambda token: formula_safe(given.label(token)), None
    )
    return str(safe.to_csv(index=False))


def _npz(given: Inputs) -> bytes:
    """`.npz` with `ids`, `lookup` and `matmul`; half precisions exactly widened to float32."""
    both, stream = run_on_shared_layers(given), io.BytesIO()
    lookup, matmul = widened(both.comparison.lookup), widened(both.comparison.matmul)
    np.savez(stream, ids=both.ids.numpy(), lookup=lookup, matmul=matmul)
    return stream.getvalue()
