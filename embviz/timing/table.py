"""The results of runs as a table: heads, and a text for each cell.

Fields that never differ stand once, beside the table. `text` and `markdown` are two of its forms; a
report makes HTML of it. Nothing is escaped for HTML here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from embviz.core.wording import format_bytes
from embviz.timing.phrases import format_time
from embviz.timing.results import Failure, Result
from embviz.timing.runs import Run, labels

FIELDS = {  # of a case, with their column heads
    "method": "method",
    "pass": "pass",
    "device": "device",
    "num_embeddings": "rows",
    "embedding_dim": "dim",
    "tokens": "tokens",
    "ids": "ids",
    "cache": "cache",
    "dtype": "dtype",
    "threads": "threads",
    "output": "output",
}
NUMBERS = {  # of a measurement, for right-aligned columns
    "median": lambda one: format_time(one.median_s, 3),
    "IQR": lambda one: f"{format_time(one.iqr_s)} ({100 * one.spread:.1f} %)",
    "blocks": lambda one: f"{len(one.times_s):,}",
    "calls in a block": lambda one: f"{one.number_per_run:,}",
    "model": lambda one: "" if one.predicted_s is None else format_time(one.predicted_s),
}


@dataclass(frozen=True)
class Table:
    """Column heads and rows of texts.

    Attributes:
        heads: one for each column.
        rows: one text for each column.
        right: whether a column holds numbers.
        same: what holds for all rows, such as `dim 64`.
    """

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    right: tuple[bool, ...]
    same: tuple[str, ...] = ()

    def text(self) -> str:
        """Columns aligned by spaces, for a terminal."""
        lines = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, self.right, strict=True)
            ).rstrip()
            for line in lines
        )

    def markdown(self) -> str:
        """A table of GitHub's Markdown; signs with a meaning there are escaped."""
        rule = ["---:" if right else "---" for right in self.right]
        rows = [[re.sub(r"([\\`*_\[\]<|])", r"\\\1", cell) for cell in row] for row in self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in [self.heads, rule, *rows])


def table(runs: Sequence[Run]) -> Table:
    """Every result of these runs; a control is marked, a failure gives its reason.

    With several runs the first column is the run's label.
    """
    results = [
        (label, one) for run, label in zip(runs, labels(runs), strict=True) for one in run.results
    ]
    given = [one.case.to_dict() for _, one in results]
    known = [field for field in FIELDS if given and field in given[0]]
    differ = [f for f in known if f == "method" or len({case[f] for case in given}) > 1]
    same = [f"{FIELDS[f]} {_shown(given[0][f])}" for f in known if f not in differ]
    several = len(runs) > 1
    rows = []
    for (label, one), case in zip(results, given, strict=True):
        again = " (again)" if not isinstance(one, Failure) and one.control else ""
        cells = [_shown(case[f]) + again * (f == "method") for f in differ]
        rows.append((*([label] if several else []), *cells, *_numbers(one)))
    heads = [*(["run"] if several else []), *(FIELDS[f] for f in differ), *NUMBERS, "remarks"]
    whole = {FIELDS[f] for f in differ if isinstance(given[0][f], int)}
    right = tuple(head in NUMBERS or head in whole for head in heads)
    return Table(tuple(heads), rows, right, tuple(same))


def _numbers(one: Result) -> list[str]:
    if isinstance(one, Failure):
        return [*[""] * len(NUMBERS), f"no time: {one.reason}"]
    marks = {"A/A control": one.control, "anchor": one.anchor}
    peak = [] if one.peak_bytes is None else [f"peak {format_bytes(one.peak_bytes)}"]
    remarks = [*(mark for mark, meant in marks.items() if meant), one.dominant, *peak]
    return [*(show(one) for show in NUMBERS.values()), ", ".join(filter(None, remarks))]


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
