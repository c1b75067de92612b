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

try_this("""
- Write a word twice: `embedding(ids).sum(0)` goes wrong, because it never looks at the counts.
- Take the {{tfidf}} vectorizer: hardly any row is right without {{per_sample_weights}}.
- Empty a document: its sum is 0 on every route, and `mode="max"` says 0 too.
""")
