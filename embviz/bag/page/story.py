"""A row of counts times a Linear weight is a weighted sum of embedding rows."""

import streamlit as st

from embviz.bag.matrix import Matrix
from embviz.bag.page import fields, sections
from embviz.bag.page.fields import OneRow
from embviz.bag.page.picture import draw_bag
from embviz.bag.page.sentences import headline_words
from embviz.text.refused import Refused
from embviz.ui.elements.links import headline, try_this
from embviz.ui.elements.taken import note_taken
from embviz.ui.frame.body import body, framed


def draw() -> None:
    """A row of counts, and what to try."""
    headline(headline_words())
    bag()
    try_this(*TRIES)


@body
def bag() -> None:
    """The use of a bag, the rows' field, the picture of one row, and what is folded."""
    with st.container(key="bag_purpose"):
        st.caption(PURPOSE)
    fields.source()
    matrix = fields.tried_matrix()
    if isinstance(matrix, Matrix):
        note_taken(matrix.said, matrix.other, "x_header")
    fields.sidebar(matrix.csr.shape[0] if isinstance(matrix, Matrix) else 1)
    row = fields.tried_row(matrix)
    if isinstance(row, OneRow):
        note_taken(row.own.said, row.own.other.replace("words", ""), "linear_header")
    framed(lambda: picture(row))
    sections.folded(row)


def picture(row: OneRow | Refused | None) -> None:
    """One row, with its sums; before an upload nothing."""
    if isinstance(row, Refused):
        raise row
    if row is None:
        st.info("Choose a file of counts: its rows are drawn here.")
    else:
        draw_bag(row)


PURPOSE = "A bag of words counts words. Spam filters use it: each *free* in a mail adds its row."
ROWS = {"bag": "documents", "counts": "count", "stop": False}
TRIES = (
    (
        "A word three times: `embedding(ids).sum(0)` goes wrong, because it ignores the counts.",
        "bag_of_words",
        {**ROWS, "docs": "no no no\nyes", "row": 0, "forget": True, "routed": "this row"},
    ),
    (
        "TF-IDF: hardly any row is right without `per_sample_weights`.",
        "bag_of_words",
        {**ROWS, "counts": "tfidf", "forget": True, "routed": "all rows"},
    ),
    (
        'An empty document: its sum is 0 on every route, and `mode="max"` says 0 too.',
        "bag_of_words",
        {
            **ROWS,
            "docs": "\ncats like cats\ndogs",
            "row": 0,
            "forget": False,
            "routed": "all rows",
        },
    ),
)
