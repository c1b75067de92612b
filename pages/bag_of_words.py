"""A row of counts times a Linear weight is a weighted sum of embedding rows."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.bag import inputs, sections
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.terms import try_this


@body
def draw() -> None:
    """The matrix and its settings in the sidebar, the row, and the same sum by several routes."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        editor = st.container()
    inputs.edit_matrix(editor)  # before the sidebar, whose field of text it writes
    inputs.settings()
    with left:
        inputs.source()
    matrix, refusal = inputs.read()
    if matrix is None:
        refuse(refusal)
        return
    with right:
        row = inputs.choose_row(matrix)
        sections.describe(matrix, row)
    try:
        layers = inputs.layers(matrix)
    except ValueError as error:
        refuse(error)
        inputs.offer_random()
        return
    given = inputs.Bag(matrix, row, layers, inputs.drawn_with(), inputs.documents())
    st.markdown("###### The row, three ways")
    try:
        sections.three_ways(given)
        st.markdown("###### The same sum by several routes")
        sections.routes(given)
        sections.closer(given)
    except ValueError as error:  # such as outputs of all rows that are over the budget
        refuse(error)


st.markdown(
    "##### A row of counts times the weight of an `nn.Linear` is a weighted sum of `nn.Embedding` "
    "rows."
)
draw()

try_this("""
- Change a 1 to a 2: `embedding(indices).sum(0)` goes wrong, because it never looks at `data`.
- Take *documents* and `tfidf`: hardly any row is right without `per_sample_weights`.
- Empty a row: its sum is 0 on every route, and `mode="max"` says 0 too.
""")
