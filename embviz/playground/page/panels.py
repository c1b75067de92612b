"""The panels under the stage. Only the chosen one is computed.

Each takes the result on the stage and its inputs. A result that is too large to show whole is
shown in part, and the panel says so.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from textwrap import dedent
from typing import NamedTuple

import pandas as pd
import streamlit as st
import torch

from embviz.fact.export import needs_rows, script
from embviz.fact.inits import INITS, linear_promise
from embviz.fact.inputs import Inputs
from embviz.fact.layers import TiedLayers, layouts, tie
from embviz.fact.routes import BothRoutes
from embviz.fact.shared_layers import numbers_of, run_on_shared_layers
from embviz.fact.table import Table
from embviz.fact.words import ROWS, SOURCE_MODEL
from embviz.picture.numbers import widened
from embviz.playground.frames import of_moments
from embviz.playground.histogram import weight_histogram
from embviz.playground.page import in_a_model, neighbours, one_hot, outputs, tokenizers
from embviz.text.glossary import explained
from embviz.text.markdown import literal
from embviz.text.refused import Refused
from embviz.ui.elements.download import download
from embviz.ui.elements.links import link
from embviz.ui.elements.theme import chart_colours
from embviz.ui.elements.widgets import fold
from embviz.ui.frame.body import needs_inputs
from embviz.ui.state.session import cached

# V terms of variance 1/(3V) each: the variance of U(-a, a) is a²/3, and that of the input 1.
INPUTS_STD = 1 / math.sqrt(3)
MODEL_PAGE = f"https://huggingface.co/sentence-transformers/{SOURCE_MODEL}"


class Panel(NamedTuple):
    """One panel.

    Attributes:
        sentence: what it shows.
        terms: words of it that a tooltip explains.
        draw: draws it.
    """

    sentence: str
    terms: tuple[str, ...]
    draw: Callable[[BothRoutes, Inputs], None]


TOKENIZERS = "How each vocabulary cuts this text into tokens, and the rows that its table needs."


def draw(name: str, given: Inputs | Refused) -> None:
    """Draw the panel of that name; where the inputs are refused, only that of the tokenizers."""
    if name == "tokenizers":
        _say(TOKENIZERS, "token")
        tokenizers.draw()
    else:
        needs_inputs(given, lambda usable: _draw(PANELS[name], usable))


def _draw(panel: Panel, given: Inputs) -> None:
    _say(panel.sentence, *panel.terms)
    panel.draw(run_on_shared_layers(given), given)


def _say(sentence: str, *terms: str) -> None:
    """One sentence on what a panel shows; a tooltip explains its words."""
    st.markdown(f"**{sentence}**", help=explained(sentence, *terms) or None)


def _weights(both: BothRoutes, given: Inputs) -> None:
    weight = both.layers.embedding.weight
    st.markdown(
        f"{_origin(both.table)}\n\n"
        "There are two tensors with the same numbers, in one as rows, in the other as columns. One "
        "was copied into the other: `linear.weight.data.copy_(embedding.weight.T)`. Writing to one "
        "does not change the other. Without the copy, or with a bias, `nn.Linear` gives other "
        "numbers."
    )
    if not both.layers.is_finite:
        st.info("Weights with NaN or inf have no histogram.")
    elif not weight.equal(weight.round()):  # a few whole numbers have no density worth a picture
        _spread(both, given)
    fold("Storage", _storage, both)


def _spread(both: BothRoutes, given: Inputs) -> None:
    """The moments of the numbers and their histogram, beside what the inits promise."""
    table, layers = both.table, both.layers
    promise, linear = INITS[table.init].promise, linear_promise(table.num_embeddings)
    own = promise and promise(table.num_embeddings, table.embedding_dim)
    values, colours = widened(layers.embedding.weight.detach()), chart_colours()
    moments, figure = cached(  # a text changes nothing of them
        "spread",
        (numbers_of(given), colours),
        lambda: (
            of_moments(torch.from_numpy(values), own, linear),
            weight_histogram(values, own, linear, [colours[k] for k in (2, 0, 1)]),
        ),
    )
    st.table(moments)
    st.plotly_chart(
        figure,
        alt="Histogram of the weights with the promised density and that of nn.Linear's start",
    )
    if table.init == "normal":
        st.caption(
            "Why are embeddings so large? nn.Embedding starts at N(0, 1) whatever its size. "
            "nn.Linear starts within ±1/sqrt(V), so that V inputs from N(0, 1) give outputs with "
            f"a standard deviation of {INPUTS_STD:.2f}. A one-hot row has a single term, so from "
            "that start its output is tiny."
        )


def _origin(table: Table) -> str:
    """Where the numbers of a table come from."""
    init = INITS[table.init]
    if init.name == "trained":
        return (
            "The numbers were learnt: they are rows of the nn.Embedding of "
            f"[{SOURCE_MODEL}]({MODEL_PAGE}) (sentence-transformers, Apache License 2.0), "
            "rounded to float16."
        )
    if init.draw is None:
        return "The numbers are yours."
    if init.sizes:
        return f"The numbers were {init.sentence}, from seed {table.seed}."
    return (
        f"The numbers are random: {init.sentence}, seed {table.seed}. Nothing is learnt yet; "
        "training moves them."
    )


def _storage(both: BothRoutes) -> None:
    frame = pd.DataFrame(layouts(both.layers))
    st.dataframe(frame, hide_index=True, alt="Shape, stride, address and layout of both weights")
    st.markdown(
        "`nn.Parameter(embedding.weight.T)` shares the storage, with `.detach()` too: training one "
        "layer then moves both."
    )
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
        if needs_rows(both.table):
            download("The rows that it reads", ROWS.read_bytes, ROWS.name, late=True)
    with st.expander("The functions that computed this page"):
        for function in (tie, TiedLayers.lookup, TiedLayers.multiply):
            st.code(dedent(inspect.getsource(function)), language="python")


PANELS = {
    "all tokens": Panel(
        "Every token through both layers, a line each: equal numbers stand below each other.",
        ("bit for bit", "ulp"),
        outputs.draw,
    ),
    "weights": Panel(
        "Where the numbers of the table come from, and why both weights have the same.",
        ("stride", "data_ptr", "contiguous"),
        _weights,
    ),
    "one_hot": Panel(
        "What nn.Linear gets in place of an id: a row with a 1 at the id, and 0 elsewhere. Press "
        "a number to change it.",
        ("one-hot", "bit for bit", "ulp"),
        one_hot.draw,
    ),
    "nearest": Panel(
        "Rows in the order of their direction: nearest to the selected token's first.",
        ("cosine",),
        neighbours.draw,
    ),
    "in a model": Panel(
        "A whole small model: it reads ids, and scores each next one.",
        ("logits", "attention"),
        in_a_model.draw,
    ),
    "code": Panel(
        "A script that gives the same numbers without embviz; it says what it needs.", (), _code
    ),
}
