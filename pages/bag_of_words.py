"""A row of counts times a Linear weight is a weighted sum of embedding rows."""

from embviz.bag.routes import run
from embviz.core.refused import Refused
from embviz.ui.frame.body import body
from embviz.ui.pages.bag import fields, sections
from embviz.ui.pages.bag.picture import draw_bag
from embviz.ui.parts.links import headline, try_this
from embviz.ui.parts.refusal import refuse
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
    last = 0
    try:
        if matrix := fields.rows():
            last = matrix.csr.shape[0] - 1
            row, edit = min(setting("row"), last), fields.pressed()
            matrix = matrix.changed(row, edit)
            weight = fields.weight(matrix.csr.shape[1])
            result = run(matrix.csr[[row]], weight)
            draw_bag(matrix, row, weight, result, edit)
            sections.folded(matrix, weight, result)
    except Refused as error:
        refuse(error)
    fields.sidebar(last + 1)


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
