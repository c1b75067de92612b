"""The panels under the stage. Only the chosen one is computed.

Each takes the result on the stage and its inputs. A result that is too large to show whole is
shown in part, and the panel says so.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable

import pandas as pd
import streamlit as st

from embviz.fact.export import script
from embviz.fact.inits import INITS, linear_promise
from embviz.fact.layers import TiedLayers, layouts, tie
from embviz.fact.routes import BothRoutes
from embviz.figures.histogram import weight_histogram
from embviz.figures.one_hot import one_hot_picture
from embviz.figures.output_tables import of_moments
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.request.shared_layers import numbers_of, run_on_shared_tables
from embviz.text.refused import Refused
from embviz.text.wording import format_bytes
from embviz.ui.frame.body import needs_inputs
from embviz.ui.pages.playground import in_a_model, neighbours, outputs, tokenizers
from embviz.ui.parts.download import download
from embviz.ui.parts.links import link
from embviz.ui.parts.theme import chart_colours
from embviz.ui.state.session import cached

# V terms of variance 1/(3V) each: the variance of U(-a, a) is a²/3, and that of the input 1.
INPUTS_STD = 1 / math.sqrt(3)
ONE_HOT_TOKENS = 200


# What each panel shows, and what a word of it means.
SHOWS = {
    "all tokens": (
        "Every token through both layers, a line each: equal numbers stand below each other.",
        "**bit for bit**: no bit of a number differs, not even the sign of a zero. **ulp**: the "
        "step from a number to the next one that its dtype can hold; 0 ulp is bit for bit.",
    ),
    "weights": (
        "How the numbers of the table are spread, and where both weights lie in memory.",
        "**stride**: how many numbers further in memory the next row stands, and the next column. "
        "**data_ptr**: the address of the first number. **contiguous**: row after row, no gaps.",
    ),
    "one_hot": (
        "What nn.Linear gets in place of an id: a row with a 1 at the id, and 0 elsewhere.",
        None,
    ),
    "nearest": (
        "Rows that point in nearly the same direction as the selected token's.",
        "**cosine**: 1 for the same direction, 0 for a right angle, -1 for the opposite one.",
    ),
    "in a model": (
        "Where both layers stand in a model that reads ids and gives a score to each id.",
        "**tied**: one weight in two places. **scores**, or logits: one number for each row.",
    ),
    "tokenizers": (
        "How each vocabulary cuts this text into tokens, and the rows that its table needs.",
        None,
    ),
    "code": ("A script that gives the same numbers with PyTorch alone.", None),
}


def draw(name: str, given: Inputs | Refused) -> None:
    """Draw the panel of that name; where the inputs are refused, only that of the tokenizers."""
    if name == "tokenizers":
        _say(name)
        tokenizers.draw()
    else:
        needs_inputs(given, lambda usable: _draw(name, usable))


def _draw(name: str, given: Inputs) -> None:
    _say(name)
    PANELS[name](run_on_shared_tables(given), given)


def _say(name: str) -> None:
    """One sentence on what the panel shows; a tooltip explains its words."""
    sentence, words = SHOWS[name]
    st.markdown(f"**{sentence}**", help=words)


def _weights(both: BothRoutes, given: Inputs) -> None:
    table, layers = both.table, both.layers
    _storage(both)
    if not layers.embedding.weight.isfinite().all():
        st.info("Weights with NaN or inf have no histogram.")
        return
    promise, linear = INITS[table.init].promise, linear_promise(table.num_embeddings)
    own = promise and promise(table.num_embeddings, table.embedding_dim)
    st.table(of_moments(layers.distribution, own, linear))
    colours = chart_colours()
    figure = cached(  # a text changes nothing of it
        "weight_histogram",
        (numbers_of(given), colours),
        lambda: weight_histogram(layers.distribution, own, linear, [colours[k] for k in (2, 0, 1)]),
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
    ids, rows = both.ids.flatten().tolist(), both.table.num_embeddings
    if len(ids) > ONE_HOT_TOKENS:
        st.caption(f"The first {ONE_HOT_TOKENS} of {len(ids):,} tokens.")
    if ids:
        st.plotly_chart(
            one_hot_picture(ids[:ONE_HOT_TOKENS], rows, chart_colours()[1]),
            alt="One mark a token, at the column of its id",
        )
    dtype, count, cost = both.table.dtype, len(ids) * rows, both.cost
    size = both.table.torch_dtype.itemsize
    held = {
        f"either weight, {dtype}": cost.table_bytes,
        "the ids, int64": cost.ids_bytes,
        f"`F.one_hot(ids, {rows})`, int64": 8 * count,
        f"the same as {dtype}": size * count,
        "both at once, while converting": (8 + size) * count,
    }
    st.markdown(
        f"Lookup reads {cost.numbers_read:,} numbers. Matmul does {cost.multiplications:,} "
        f"multiplications, {cost.multiplications_by_zero:,} of them by 0. Both weights hold the "
        f"same {rows:,} x {cost.embedding_dim:,} numbers; only the input differs:"
    )
    found = {"What": [*held], "Bytes": [*map(format_bytes, held.values())]}
    st.table(pd.DataFrame(found), width="content", hide_index=True)
    link("limits", {"case": "one-hot-without-classes"}, label="`F.one_hot` without `num_classes`")


def _storage(both: BothRoutes) -> None:
    st.markdown("Two tensors, one turned: writing to one does not change the other.")
    frame = pd.DataFrame(layouts(both.layers))
    st.dataframe(frame, hide_index=True, alt="Shape, stride, address and layout of both weights")
    link("limits", {"case": "shared-storage"}, label="The `.T` trap: a view is no second weight")


def _code(both: BothRoutes, given: Inputs) -> None:
    try:
        source = script(
            both.table,
            ids=both.ids,
            text=given.text,
            vocabulary=given.vocabulary,
            weights=given.weights,
        )
    except Refused as error:
        st.info(literal(str(error)))
    else:
        st.code(source, language="python")
        download("As a script", source, "embviz_playground.py", "text/x-python")
    with st.expander("The functions that computed this page"):
        for function in (tie, TiedLayers.lookup, TiedLayers.multiply):
            st.code(inspect.cleandoc(inspect.getsource(function)), language="python")


PANELS: dict[str, Callable[[BothRoutes, Inputs], None]] = {
    "all tokens": outputs.draw,
    "weights": _weights,
    "one_hot": _one_hot,
    "nearest": neighbours.draw,
    "in a model": in_a_model.draw,
    "code": _code,
}
