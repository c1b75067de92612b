"""A row of counts times a Linear weight is a weighted sum of embedding rows."""

import streamlit as st

from embviz.ui import bag, bag_inputs
from embviz.ui.settings import literal

st.markdown(
    "##### A row of counts times the weight of an `nn.Linear` is a weighted sum of `nn.Embedding` "
    "rows."
)
left, right = st.columns([3, 2], gap="medium")
with left:
    editor = st.container()
bag_inputs.edit_matrix(editor)  # before the sidebar, whose field of text it writes
bag_inputs.settings()
with left:
    bag_inputs.source()
matrix, refusal = bag_inputs.read()
if matrix is None:
    st.error(literal(refusal), icon=":material/block:")
    st.stop()

with right:
    row = bag_inputs.choose_row(matrix)
    bag.describe(matrix, row)
try:
    layers = bag_inputs.layers(matrix)
except ValueError as error:
    st.error(literal(str(error)), icon=":material/block:")
    bag_inputs.offer_random()
    st.stop()

given = bag_inputs.Bag(matrix, row, layers, bag_inputs.drawn_with(), bag_inputs.documents())
st.markdown("###### The row, three ways")
try:
    bag.three_ways(given)
    st.markdown("###### The same sum by several routes")
    bag.routes(given)
    bag.closer(given)
except ValueError as error:  # such as outputs of all rows that are over the budget
    st.error(literal(str(error)), icon=":material/block:")

st.markdown("""
**Try this**
- Change a 1 to a 2: `embedding(indices).sum(0)` goes wrong, for it never looks at `data`.
- Take *documents* and `tfidf`: hardly any row is right without `per_sample_weights`.
- Empty a row: its sum is 0 on every route, and `mode="max"` says 0 too.
""")
