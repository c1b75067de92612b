"""Live timing: lookup against matmul, on the machine that runs this page."""

from embviz.ui.frame.body import body
from embviz.ui.pages.timing import page
from embviz.ui.parts.links import headline, try_this

headline("A lookup reads one row for each token; a matmul reads the whole table.")
body(page.draw)()
try_this(
    (
        "The same ids in each call, or new ones: a lookup does no arithmetic, but it reads memory.",
        "timing",
        {"cache": ["same", "new"], "methods": ["lookup"]},
    ),
    (
        "Ids drawn evenly, as words occur, or all equal: does the time of a lookup differ?",
        "timing",
        {"vary": "ids", "time_rows": 65536, "methods": ["lookup"]},
    ),
)
