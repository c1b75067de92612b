"""A row of counts times a Linear weight is a weighted sum of embedding rows."""

import streamlit as st

from embviz.bag.matrix import Matrix
from embviz.bag.routes import run
from embviz.core.refused import Refused, refusals_about
from embviz.ui.frame.body import body, framed
from embviz.ui.pages.bag import fields, sections
from embviz.ui.pages.bag.picture import draw_bag
from embviz.ui.parts.links import headline, try_this
from embviz.ui.state.session import setting


def draw() -> None:
    """A row of counts, and what to try."""
    headline(
        "Counts times an `nn.Linear` weight: a weighted sum of `nn.Embedding` rows. "
        "The left sum forgets the counts."
    )
    bag()
    try_this(*TRIES)


@body
def bag() -> None:
    """The rows' field, the picture of one row, and what is folded."""
    fields.source()
    matrix = fields.tried_matrix()
    fields.sidebar(matrix.csr.shape[0] if isinstance(matrix, Matrix) else 1)
    framed(lambda: picture(matrix))


def picture(tried: Matrix | Refused | None) -> None:
    """One row, with its sums; before an upload nothing."""
    if isinstance(tried, Refused):
        raise tried
    if tried is None:
        st.info("Choose a file of counts: its rows are drawn here.")
        return
    row = min(setting("row"), tried.csr.shape[0] - 1)
    matrix, edit = fields.edited(tried, row)
    weight = fields.weight(matrix.csr.shape[1])
    with refusals_about("outputs"):
        result = run(matrix.csr[[row]], weight)
    draw_bag(matrix, row, weight, result, edit)
    sections.folded(matrix, weight, result)


ROWS = {"bag": "documents", "counts": "count", "stop": False}
TRIES = (
    (
        "A word three times: `embedding(ids).sum(0)` goes wrong, because it ignores the counts.",
        "bag_of_words",
        {**ROWS, "docs": "no no no\nyes", "row": 0},
    ),
    (
        "TF-IDF: hardly any row is right without `per_sample_weights`.",
        "bag_of_words",
        {**ROWS, "counts": "tfidf"},
    ),
    (
        'An empty document: its sum is 0 on every route, and `mode="max"` says 0 too.',
        "bag_of_words",
        {**ROWS, "docs": "cats like cats\n\ndogs", "row": 1},
    ),
)
