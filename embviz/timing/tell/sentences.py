"""The answer of a run: four templates over the rows of its comparisons.

They are a comparison, the places of wins, what would decide what is open, and the times of a method
alone. Text is plain and may quote a stranger's file: escape it before it is shown as markdown or
HTML.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from embviz.text.wording import counted
from embviz.timing.measure.axes import AXES
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import MOST_PROCESSES
from embviz.timing.tell.questions import question_named
from embviz.timing.tell.rows import Compared, Row, compared
from embviz.timing.tell.statistics import MARGIN
from embviz.timing.tell.times import as_sentence, at, format_time, named, sizes
from embviz.timing.tell.wins import Wins, at_rows, table, wins_of

MOST = 4  # Comparisons in an answer, or times of a method alone, at most.
TAKES = {"wait": "takes", "gpu": "takes the GPU"}
COLUMNS = ("faster than the lookup", "not certain", "not faster")  # of `win_table`


def answer(run: Run) -> list[str]:
    """The answer to the run's question, the main sentence first; empty if nothing was measured."""
    found = compared(run) if run.measured else None
    if found is None or not found.seconds:
        return []
    rows, wins = _chosen(found), wins_of(found)
    faster = [row for one in wins for row in one.faster]
    if question_named(run.question).is_yes_or_no:
        best = min(faster, key=lambda row: row.ratio, default=None)
        rows = [*dict.fromkeys(filter(None, [best, *rows[:1]]))]  # the table has the others
        said = [_yes_or_no(found, wins), *_told(found, rows)]
        rows += [row for one in wins for row in one.open if row not in rows]
    else:
        said = _told(found, rows) or [_alone(found)]
        won = [f"{one.name} is faster {at_rows(found, one.faster)}" for one in wins if one.faster]
        said += map(as_sentence, filter(None, ["; ".join(won)]))
    if any(row.field == "device" for row in rows):  # which is quicker depends on the method
        said[:2] = [" ".join(said[:2])]
    return [f"{sizes(run.measured, run.axis)} {said[0]}", *said[1:], *_needed(rows)]


def win_table(run: Run) -> list[tuple[str, ...]]:
    """The lines of a table beside a yes or no, as of `wins.table`; empty for other questions."""
    if not run.measured or not question_named(run.question).is_yes_or_no:
        return []
    return table(compared(run))


def win_sentences(run: Run) -> list[str]:
    """The lines of `win_table` as sentences, where no table can be drawn."""
    said = []
    for name, *places in win_table(run):
        parts = [f"{words} {where}" for words, where in zip(COLUMNS, places, strict=True) if where]
        said.append(as_sentence(f"{name}: {'; '.join(parts)}"))
    return said


def _chosen(found: Compared) -> list[Row]:
    """The comparisons that are told: of kinds those that differ most, else at the largest size.

    At a size, matmuls come first.
    """
    kinds = [row for row in found.rows if row.field in (found.axis, "precision")]
    if kinds and AXES[found.axis].compared:
        return sorted(kinds, key=_difference, reverse=True)[:MOST]
    last = max((getattr(case, found.axis) for case in found.seconds), default=None)
    rows = [row for row in found.rows if getattr(row.b, found.axis) == last]
    return sorted(rows, key=lambda row: row.a.record.route == row.b.record.route)[:MOST]


def _difference(row: Row) -> tuple[bool, float]:
    return row.told, abs(math.log(row.ratio))


def _told(found: Compared, rows: Sequence[Row]) -> list[str]:
    """A sentence for each row: at 64 rows a lookup takes 10 µs, a matmul 34 ms: ...

    A reason is said once.
    """
    said, takes = list[str](), TAKES[found.clock]
    first_with = {row.reason: row for row in reversed(rows)}
    for row in rows:
        where = found.where(row.b, without=row.field)
        first, second = (format_time(found.seconds[case]) for case in (row.b, row.a))
        if row.is_kind:
            kinds = [at(row.field, getattr(case, row.field)) for case in (row.b, row.a)]
            both = f"{first} {kinds[0]}, {second} {kinds[1]}"
        else:
            both = f"{first}, {named(row.a)} {second}"
        why = f" ({row.reason})" if row.reason and first_with[row.reason] is row else ""
        said.append(as_sentence(f"{where} {named(row.b)} {takes} {both}: {row.words}{why}".strip()))
    return said


def _yes_or_no(found: Compared, wins: Sequence[Wins]) -> str:
    """Whether a matmul is faster anywhere, and at which sizes."""
    places = {matmul.name: at_rows(found, matmul.faster) for matmul in wins if matmul.faster}
    ready = all(not row.a.record.builds for one in wins for row in one.faster)
    yes = "Yes, if the one-hot stands ready" if ready else "Yes"
    if places and len(wins) == 1:
        return f"{yes}, {places[wins[0].name]}."
    if places:
        return f"{yes}: {', '.join(f'{name} {where}' for name, where in places.items())}."
    if perhaps := [row for one in wins for row in one.open]:
        return f"No win is certain; it is open {at_rows(found, perhaps)}."
    return "No, not at these sizes."


def _needed(rows: Sequence[Row]) -> list[str]:
    """How many processes would tell apart what these rows leave open."""
    judged = [row for row in rows if not row.told and not row.is_same and row.low > 0]
    if needed := [row.processes for row in judged if row.processes > 0]:
        which = "it" if len(judged) == 1 else "those that differ by more than 2 %"
        processes = counted(round(max(needed)), "process")
        return [f"To decide {which}, measure in about {processes}."]
    if any(abs(math.log(row.ratio)) > MARGIN for row in judged):
        return [f"More than {MOST_PROCESSES} processes would be needed."]
    return []


def _alone(found: Compared) -> str:
    """The times of a method that is compared with none: all, or the first and the last of many."""
    last = max(found.seconds)
    cases = [
        case
        for case in sorted(found.seconds)
        if replace(case, **{found.axis: getattr(last, found.axis)}) == last
    ]
    shown = cases if len(cases) <= MOST else [cases[0], cases[-1]]
    beside = found.where(last, without=found.axis)
    times = [
        f"{format_time(found.seconds[case])} {at(found.axis, getattr(case, found.axis))}"
        for case in shown
    ]
    return as_sentence(f"{beside} {named(last)} {TAKES[found.clock]} {', '.join(times)}".strip())
