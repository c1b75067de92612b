"""A row of counts times a Linear weight is a weighted sum of embedding rows."""

import streamlit as st

from embviz.core.refused import Refused
from embviz.ui.frame.body import body
from embviz.ui.pages.bag import inputs, sections
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.terms import try_this


@body
def draw() -> None:
    """The settings in the sidebar, the picture of one row, three routes, and what is folded."""
    matrix, refusal = inputs.read()
    inputs.source()
    inputs.settings(matrix)
    if matrix is None:
        refuse(refusal)
        return
    try:
        layers = inputs.layers(matrix)
    except Refused as error:
        refuse(error)
        inputs.offer_random()
        return
    given = inputs.Bag(matrix, inputs.chosen_row(matrix), layers)
    result = sections.picture(given)
    sections.first_routes(result)
    sections.folded(given, result)


st.markdown(
    "##### A row of counts times an `nn.Linear` weight is a weighted sum of `nn.Embedding` rows."
)
draw()

rows = {"bag": "documents", "start": "random", "counts": "count", "stop": False}
try_this(
    (
        "A word three times: `embedding(ids).sum(0)` goes wrong, because it ignores the counts.",
        "bag_of_words",
        {**rows, "docs": "no no no\nyes", "row": 0},
    ),
    (
        "TF-IDF: hardly any row is right without `per_sample_weights`.",
        "bag_of_words",
        {**rows, "counts": "tfidf"},
    ),
    (
        'An empty document: its sum is 0 on every route, and `mode="max"` says 0 too.',
        "bag_of_words",
        {**rows, "docs": "cats like cats\n\ndogs", "row": 1},
    ),
)
