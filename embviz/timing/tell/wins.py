"""Where a matmul is faster than the lookup: by method, the sizes of each verdict.

One point may be wrong in a busy second. So a win needs another one at a size beside it, or several
processes that agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from embviz.timing.tell.rows import Compared, Row
from embviz.timing.tell.times import at_places, named


class Wins(NamedTuple):
    """The comparisons of a matmul with the lookup, by what they say of its wins.

    Attributes:
        name: of the matmul, with all that varies but the axis.
        faster: those that a neighbour, or several processes, confirm.
        open: perhaps faster, because it is not told, or because nothing confirms it.
        slower: all others.
    """

    name: str
    faster: list[Row]
    open: list[Row]
    slower: list[Row]


def wins_of(found: Compared) -> list[Wins]:
    """The wins of each matmul, in the order of methods."""
    rivals: dict[str, list[Row]] = {}
    for row in found.rows:
        if row.is_rival:
            name = f"{named(row.a)} {found.where(row.a, without=found.axis)}".strip()
            rivals.setdefault(name, []).append(row)
    return [_wins(name, rows, found.sample == "process") for name, rows in rivals.items()]


def at_rows(found: Compared, rows: Sequence[Row]) -> str:
    """The places of these rows on the axis; empty where there are none."""
    if not rows:
        return ""
    measured = dict.fromkeys(getattr(case, found.axis) for case in sorted(found.seconds))
    wanted = {getattr(row.a, found.axis) for row in rows}
    return at_places(found.axis, [one for one in measured if one in wanted], [*measured])


def table(found: Compared) -> list[tuple[str, ...]]:
    """A line for each matmul: its name, where it is faster, where that is open, where it is not."""
    return [(name, *(at_rows(found, rows) for rows in groups)) for name, *groups in wins_of(found)]


def _wins(name: str, rows: Sequence[Row], is_repeated: bool) -> Wins:
    """The comparisons of one matmul, in the order of sizes."""
    told = [row.told and row.ratio < 1 for row in rows]
    wins = Wins(name, [], [], [])
    for place, row in enumerate(rows):
        beside = told[max(0, place - 1) : place] + told[place + 1 : place + 2]
        if told[place] and (is_repeated or any(beside)):
            wins.faster.append(row)
        elif told[place] or row.may_win:
            wins.open.append(row)
        else:
            wins.slower.append(row)
    return wins
