"""The panel *in a model*: where both layers stand in a model, with the shape at each arrow.

The shapes are those that PyTorch gives for this text and table, on its device `meta`, which
computes shapes and no numbers.
"""

from __future__ import annotations

from html import escape

import streamlit as st
import torch
from torch import nn

from embviz.fact.inputs import Inputs
from embviz.fact.routes import BothRoutes
from embviz.text.wording import format_bytes
from embviz.ui.elements.links import link
from embviz.ui.elements.theme import style_sheet
from embviz.ui.elements.widgets import switch
from embviz.ui.state.address import setting

_STYLE = """
.in-a-model { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 4px; }
.in-a-model > * { display: flex; flex-direction: column; gap: 2px; text-align: center; }
.in-a-model .layer { border: 2px solid BORDER; border-radius: 6px; padding: 6px; }
.in-a-model .embedding { border-color: LOOKUP; }
.in-a-model .linear { border-color: MATMUL; }
.in-a-model .layer b { font-weight: 600; }
.in-a-model .weight { margin-top: 4px; padding: 2px 8px; border: 1px dashed BORDER; }
.in-a-model .tied .weight { border: 2px solid LOOKUP; outline: 2px solid MATMUL; }
.in-a-model :is(.weight, .shape) { font: 12px "Source Code Pro", monospace; white-space: nowrap; }
.in-a-model .shape > span { display: block; }
.in-a-model .arrow { font-size: 20px; line-height: 1; }
"""
COLOURS = {"LOOKUP": "blueColor", "MATMUL": "orangeColor", "BORDER": "borderColor"}
ARROW = '<span class="arrow" aria-hidden="true">→</span>'
# When to use which.
LINES = (
    "**Ids** (a word, a user, a product): `nn.Embedding`. It reads one row for each id; "
    "a one-hot through `nn.Linear` multiplies them all.",
    "**Numbers that were measured** (a temperature, pixels): `nn.Linear`. Each counts by its size.",
    "**Several ids at once, or how often each occurs**: `nn.EmbeddingBag`, or counts through "
    "`nn.Linear`. Both add up rows.",
    "**With a bias**, an `nn.Linear` in place of `nn.Embedding` gives the row plus the bias.",
)


def draw(both: BothRoutes, _given: Inputs) -> None:
    """The picture, the switch that ties both weights, and when to use which."""
    switch("Tied: the last layer uses the same weight", "tied")
    is_tied = bool(setting("tied"))
    st.html(style_sheet(_STYLE, **COLOURS) + picture(both, is_tied))
    rows, dim = both.table.num_embeddings, both.table.embedding_dim
    weight = both.cost.table_bytes
    said = (
        f"Two weights of {rows:,} x {dim:,}: {format_bytes(2 * weight)}. The nn.Linear of the "
        f"picture above, nn.Linear({rows:,}, {dim:,}), would stand in place of the nn.Embedding; "
        f"this one turns {dim:,} numbers into a score for each id."
    )
    if is_tied:
        said = (
            f"`linear.weight = embedding.weight`: one weight of {rows:,} x {dim:,}, "
            f"{format_bytes(weight)}. Its rows are copied at the start; at the end each score is "
            "the product of a row with what came before."
        )
    st.markdown(f"{said}\n\n" + "\n".join(f"- {line}" for line in LINES))
    link("bag_of_words", label="Counts: see both give the same")


def shapes(both: BothRoutes) -> list[tuple[str, tuple[int, ...], str]]:
    """Name, shape and dtype of what flows between the layers: ids, rows, what follows, scores."""
    rows, dim, dtype = both.table.num_embeddings, both.table.embedding_dim, both.table.torch_dtype
    ids = torch.empty(both.ids.shape, dtype=both.ids.dtype, device="meta")
    flow = [ids, nn.Embedding(rows, dim, device="meta", dtype=dtype)(ids)]
    flow.append(flow[-1])  # the layers between keep this shape
    flow.append(nn.Linear(dim, rows, bias=False, device="meta", dtype=dtype)(flow[-1]))
    names = "ids", "rows", "vectors", "scores"
    return [
        (name, tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
        for name, tensor in zip(names, flow, strict=True)
    ]


def picture(both: BothRoutes, is_tied: bool) -> str:
    """HTML: ids -> nn.Embedding -> layers -> nn.Linear -> scores."""
    rows, dim = both.table.num_embeddings, both.table.embedding_dim
    size = f"{rows:,} x {dim:,}: {format_bytes(both.cost.table_bytes)}"
    tied = " tied" if is_tied else ""
    last = "the same weight" if is_tied else f"weight {size}"
    layers = [
        _layer("embedding" + tied, f"nn.Embedding({rows:,}, {dim:,})", f"weight {size}"),
        _layer("between", "layers", "attention, ..."),
        _layer("linear" + tied, f"nn.Linear({dim:,}, {rows:,}, bias=False)", last),
    ]
    *flows, last_flow = shapes(both)
    parts = list[str]()
    for flow, layer in zip(flows, layers, strict=True):
        parts += [_flow(*flow, ARROW), layer]
    parts.append(_flow(*last_flow, ARROW))
    return f'<div class="in-a-model" role="group" aria-label="A model">{"".join(parts)}</div>'


def _layer(kind: str, name: str, weight: str) -> str:
    head = f"<b>{escape(name)}</b>"
    return f'<div class="layer {kind}">{head}<span class="weight">{escape(weight)}</span></div>'


def _flow(name: str, shape: tuple[int, ...], dtype: str, arrow: str = "") -> str:
    said = f'<span class="shape">{name} <span>{shape}</span></span>'
    return f'<div class="flow" title="{escape(dtype)}">{said}{arrow}</div>'
