"""The settings of *Bag of words*."""

from __future__ import annotations

from embviz.fact.dtypes import WIDE
from embviz.fact.table import MAX_SEED
from embviz.settings.kinds import Choice, Number, Switch, Text
from embviz.settings.page_record import Page
from embviz.system.bounds import PASTED, hosted
from embviz.text.saved import HEADER

MAX_BAG_ROWS = 1_000_000  # Rows of a sparse matrix.
MAX_EDIT = 4_000  # Characters of pressed counts: about 400 counts.


def _bag_sources() -> tuple[str, ...]:
    return ("documents", "matrix") if hosted() else ("documents", "matrix", "file")


KINDS = "binary", "count", "tfidf"  # What a row has of each word.

PAGE = Page(
    "bag_of_words",
    "Bag of words",
    (
        Choice("bag", "documents", _bag_sources, help="Where the rows of counts come from."),
        Text(
            "x",
            "1 0 1 0\n0 0 1 1\n1 1 1 0",
            help="The matrix, one row a line.",
            most=PASTED.value,
        ),
        Choice(
            "x_header",
            "auto",
            lambda: HEADER,
            help="Whether a first line or column that only counts the others is left out: `yes`, "
            "`no`, or `auto`, which leaves it out if all other cells have a decimal point.",
            ends_with=("bag", "x"),
        ),
        Text(
            "docs",
            "cats like cats and dogs\ndogs like cats",
            help="The documents, one a line.",
            most=PASTED.value,
        ),
        Choice(
            "counts",
            "count",
            lambda: KINDS,
            help="For each word a row has 1, its count (CountVectorizer), or TF-IDF "
            "(TfidfVectorizer). TF-IDF is less for words of many documents; each row has length 1.",
        ),
        Switch("stop", False, help="Leave out English stop words."),
        Number("row", 0, 0, MAX_BAG_ROWS - 1, help="The row that is shown."),
        Text(
            "bag_edit",
            "",
            help="Counts of this row that were pressed, by column.",
            most=lambda: MAX_EDIT,
            ends_with=("bag", "x", "x_header", "docs", "counts", "stop", "row"),
        ),
        # The headline stands outside of the body: a change draws the whole page again.
        Switch("forget", False, help="Add each row once, whatever its count.", sidebar=True),
        Text(
            "linear",
            "",
            help="Linear.weight, one output a line: numbers with spaces or commas, or nested "
            "lists. Empty for a random one.",
            most=PASTED.value,
        ),
        Choice(
            "linear_header",
            "auto",
            lambda: HEADER,
            help="The same for `Linear.weight`.",
            ends_with=("linear",),
        ),
        Number("outputs", 3, 1, 64, help="How many numbers nn.Linear makes of a row."),
        Number("bag_seed", 123, 0, MAX_SEED, help="Start of the random draw of the weight."),
        Choice("bag_dtype", "float32", lambda: WIDE, help="Dtype of the weight."),
        Choice("routed", "this row", lambda: ("this row", "all rows"), help="Rows in the table."),
    ),
    fields=True,
)
