"""The panels under the stage. Only the chosen one is computed.

Each takes the result on the stage and its inputs. A result that is too large to show whole is
shown in part, and the panel says so.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from contextlib import suppress

import pandas as pd
import streamlit as st
import torch
from torch.nn import functional as F

from embviz.core.config import ONE_HOT_SLICE_BYTES
from embviz.core.export import script
from embviz.core.inits import INITS, linear_promise
from embviz.core.layers import TiedLayers, placements, spring_trap, tie
from embviz.core.refused import Refused
from embviz.core.routes import BothRoutes
from embviz.core.wording import format_bytes
from embviz.figures.one_hot import one_hot_picture
from embviz.figures.weights import weight_histogram
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.server.tables import run_both_cached
from embviz.ui.pages.playground import outputs, tokenizers
from embviz.ui.parts.download import download
from embviz.ui.parts.theme import chart_colours
from embviz.ui.state.session import cached

# V terms of variance 1/(3V) each: the variance of U(-a, a) is a²/3, and that of the input 1.
INPUTS_STD = 1 / math.sqrt(3)
ONE_HOT_TOKENS = 200


def draw(name: str, inputs: Callable[[], Inputs]) -> None:
    """Draw the panel of that name; where the inputs are refused, only one of `ALWAYS`."""
    if name in ALWAYS:
        ALWAYS[name]()
    else:
        with suppress(Refused):  # said above
            given = inputs()
            PANELS[name](run_both_cached(given), given)


def _weights(both: BothRoutes, _given: Inputs) -> None:
    config = both.config
    if not both.layers.embedding.weight.isfinite().all():
        st.info("Weights with NaN or inf have no histogram.")
        return
    found = both.layers.distribution
    promise, linear = INITS[config.init].promise, linear_promise(config.num_embeddings)
    own = promise and promise(config.num_embeddings, config.embedding_dim)
    rows: list[tuple[str, float, float, float | None, float | None]] = [
        (name, one.mean, one.std, one.low, one.high)
        for name, one in (
            ("Embedding.weight", found),
            ("Linear.weight", both.layers.linear_distribution),
        )
    ]
    for name, start in (("promised by this start", own), ("promised by nn.Linear's own", linear)):
        if start is not None:
            rows.append((f"{name}: {start.name}", start.mean, start.std, *start.ends))
    cells = [
        (name, *("" if value is None else f"{value:#.4g}" for value in values))
        for name, *values in rows
    ]
    st.table(pd.DataFrame(cells, columns=["", "mean", "std", "smallest", "largest"]).set_index(""))
    colours = chart_colours()
    drawn_from = config, found.low, found.high, found.std, found.density.tobytes(), colours
    figure = cached(  # a text changes nothing of it
        "weight_histogram",
        drawn_from,
        lambda: weight_histogram(found, own, linear, [colours[2], colours[0], colours[1]]),
    )
    st.plotly_chart(
        figure,
        alt="Histogram of the weights with the promised density and that of nn.Linear's start",
    )
    st.caption(
        "Why are embeddings so large? nn.Embedding starts at N(0, 1) whatever its size. "
        "nn.Linear starts within ±1/sqrt(V), so that V inputs from N(0, 1) give outputs with a "
        f"standard deviation of {INPUTS_STD:.2f}. A one-hot row has a single term, so from that "
        "start its output is tiny."
    )


def _one_hot(both: BothRoutes, _given: Inputs) -> None:
    ids, rows = both.ids.flatten().tolist(), both.config.num_embeddings
    if len(ids) > ONE_HOT_TOKENS:
        st.caption(f"The first {ONE_HOT_TOKENS} of {len(ids):,} tokens.")
    if ids:
        st.plotly_chart(
            one_hot_picture(ids[:ONE_HOT_TOKENS], rows, chart_colours()[1]),
            alt="One mark a token, at the column of its id",
        )
    size, count, cost = both.config.torch_dtype.itemsize, len(ids) * rows, both.cost
    peak = count * (8 + size)
    st.markdown(
        f"Lookup reads {cost.numbers_read:,} numbers. Matmul does {cost.multiplications:,} "
        f"multiplications, {cost.multiplications_by_zero:,} of them by 0. Both weights hold the "
        f"same {rows:,} x {cost.embedding_dim:,} numbers; only the input differs:\n\n"
        f"| What | Bytes |\n|---|---|\n"
        f"| either weight, {both.config.dtype} | {format_bytes(cost.table_bytes)} |\n"
        f"| the ids, int64 | {format_bytes(both.cost.ids_bytes)} |\n"
        f"| `F.one_hot(ids, {rows})`, int64 | {format_bytes(8 * count)} |\n"
        f"| the same as {both.config.dtype} | {format_bytes(size * count)} |\n"
        f"| both at once, while converting | {format_bytes(peak)} |"
    )
    guessed = int(both.ids.max()) + 1 if ids else 0
    if len(ids) * guessed * 8 > ONE_HOT_SLICE_BYTES:
        shape, product = str((*both.ids_shape, guessed)), "too large to try here"
    else:
        shape = str((*both.ids_shape, guessed)) if ids else _failure(lambda: F.one_hot(both.ids))
        product = _failure(lambda: both.layers.linear(_guessed(both)))
        product = product or "works, for the last row of the table happens to be in use"
    st.markdown("**Without `num_classes`, `F.one_hot` guesses the width from the largest id:**")
    st.code(
        f"F.one_hot(ids).shape                    # {shape}\n"
        f"F.one_hot(ids, num_classes={rows}).shape  # {both.one_hot_shape}\n"
        f"linear(F.one_hot(ids).to(dtype))        # {product}"
    )


def _guessed(both: BothRoutes) -> torch.Tensor:
    """The one-hot that `F.one_hot` makes without `num_classes`."""
    return F.one_hot(both.ids).to(both.config.torch_dtype).to(both.config.device)


def _failure(attempt: Callable[[], object]) -> str:
    """The error's class and text, or '' if there is none."""
    try:
        with torch.no_grad():
            attempt()
    except RuntimeError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return ""


def _storage(both: BothRoutes, _given: Inputs) -> None:
    frame = pd.DataFrame(placements(both.layers))
    st.dataframe(frame, hide_index=True, alt="Shape, stride, address and layout of both weights")
    before, after, view, copy = spring_trap(both.layers)
    st.markdown(
        "**The `.T` trap:** a transposed view is no second weight. Training one layer "
        "would move the other. Tried here on a copy of row 0:"
    )
    st.code(
        f"view = nn.Parameter(embedding.weight.T)                       # shares storage\n"
        f"copy = nn.Parameter(embedding.weight.T.contiguous().clone())  # does not\n"
        f"embedding.weight[0, 0] += 1   # {before:.4f} -> {after:.4f}\n"
        f"view[0, 0]                    # {view:.4f}\n"
        f"copy[0, 0]                    # {copy:.4f}"
    )


def _code(both: BothRoutes, given: Inputs) -> None:
    try:
        source = script(
            both.config, ids=both.ids, text=given.text, known=given.vocabulary, table=given.table
        )
    except Refused as error:
        st.info(literal(str(error)))
    else:
        st.code(source, language="python")
        download("As a script", source, "embviz_playground.py", "text/x-python")
    with st.expander("The functions that computed this page"):
        for function in (tie, TiedLayers.lookup, TiedLayers.multiply):
            st.code(inspect.cleandoc(inspect.getsource(function)), language="python")


ALWAYS: dict[str, Callable[[], None]] = {"tokenizers": tokenizers.draw}
PANELS: dict[str, Callable[[BothRoutes, Inputs], None]] = {
    "all tokens": outputs.draw,
    "weights": _weights,
    "one_hot": _one_hot,
    "storage": _storage,
    "code": _code,
}
