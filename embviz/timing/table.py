"""The results of runs as a table: heads, and a text for each cell.

Fields that never differ stand once, beside the table. A report makes HTML of it; nothing is
escaped for HTML here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from embviz.core.wording import format_bytes
from embviz.timing import physical
from embviz.timing.cases import Case
from embviz.timing.phrases import format_time
from embviz.timing.results import Failure, Measurement, Result
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
}
WHOLE = {FIELDS[name] for name in ("num_embeddings", "embedding_dim", "tokens", "threads")}
NUMBERS: dict[str, Callable[[Measurement], str]] = {  # of a measurement, for right-aligned columns
    "median": lambda one: format_time(one.median_s, 3),
    "IQR": lambda one: f"{format_time(one.iqr_s)} ({100 * one.iqr_s / one.median_s:.1f} %)",
    "blocks": lambda one: f"{len(one.times_s):,}",
    "GB/s": lambda one: physical.number(physical.gb_per_s(one)),
    "GFLOP/s": lambda one: physical.number(physical.gflop_per_s(one)) if one.case.flops else "",
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

    @property
    def note(self) -> str:
        """What holds for all rows, as a sentence; empty where nothing does."""
        return f"The same in all: {', '.join(self.same)}." if self.same else ""

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


def fields(cases: Sequence[Case]) -> tuple[list[str], list[str]]:
    """The keys of FIELDS that need a column, and what holds for all cases, such as `dim 64`."""
    given = [case.to_dict() for case in cases]
    known = [field for field in FIELDS if given and field in given[0]]
    differ = [f for f in known if f == "method" or len({case[f] for case in given}) > 1]
    return differ, [f"{FIELDS[f]} {shown(given[0][f])}" for f in known if f not in differ]


def table(runs: Sequence[Run], helps: bool = True) -> Table:
    """The results of these runs; a failure gives its reason.

    With several runs the first column is the run's label.

    Args:
        runs: any number.
        helps: whether the A/A controls and the anchor have rows; they are marked.
    """
    results = [
        (label, one)
        for run, label in zip(runs, labels(runs), strict=True)
        for one in run.results
        if helps or isinstance(one, Failure) or not one.helps
    ]
    differ, same = fields([one.case for _, one in results])
    several = len(runs) > 1
    rows = []
    for label, one in results:
        case = one.case.to_dict()
        again = " (again)" if not isinstance(one, Failure) and one.again else ""
        cells = [shown(case[f]) + again * (f == "method") for f in differ]
        rows.append((*([label] if several else []), *cells, *_numbers(one)))
    heads = [*(["run"] if several else []), *(FIELDS[f] for f in differ), *NUMBERS, "remarks"]
    right = tuple(head in NUMBERS or head in WHOLE for head in heads)
    return Table(tuple(heads), rows, right, tuple(same))


def _numbers(one: Result) -> list[str]:
    if isinstance(one, Failure):
        return [*[""] * len(NUMBERS), f"no time: {one.reason}"]
    marks = {"A/A control": one.again, "anchor": one.anchor}
    peak = [] if one.peak_bytes is None else [f"peak {format_bytes(one.peak_bytes)}"]
    remarks = [*(mark for mark, meant in marks.items() if meant), *peak]
    return [*(show(one) for show in NUMBERS.values()), ", ".join(remarks)]


def shown(value: object) -> str:
    """The value of a field, or a fact of an environment."""
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
