"""The tables of a board, made from the answers that the store has; nothing is kept here.

All take `Store.answers` of a whole class, and count steps from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from embviz.classes.room import Room
from embviz.classes.store import LATE

COLUMNS = ["number", "name", "step", "vote", "typed", "bar", "right", "mistake"]
Rows = Sequence[tuple[Any, ...]]


def table(rows: Rows) -> pd.DataFrame:
    """The answers, without the members who have none."""
    return (
        pd.DataFrame(rows, columns=COLUMNS).dropna(subset="step").astype({"step": int, "vote": int})
    )


def members(rows: Rows) -> dict[int, str]:
    """All pseudonyms by number, in the order in which they came."""
    return {row[0]: row[1] for row in rows}


def bars(rows: Rows, step: int, labels: Sequence[str]) -> pd.DataFrame:
    """How the votes on a step spread.

    Returns:
        A row for each label, in their order: how many gave it in vote `1` and in vote `2`. A late
        answer is in neither.
    """
    found = table(rows)
    found = found[found["step"] == step]
    counts = pd.crosstab(found["bar"], found["vote"])
    return counts.reindex(index=labels, columns=[1, 2], fill_value=0)


def summary(rows: Rows, room: Room, steps: int) -> pd.DataFrame:
    """A row for each step: `answered`, `right`, `wrong`, the most frequent `mistake` of its vote.

    A late answer counts neither as right nor as wrong.
    """
    found = table(rows)
    last = {number: room.step(number).vote for number in range(1, steps + 1)}
    found = found[found["vote"] == found["step"].map(last)]
    made = found.groupby("step").agg(answered=("right", "size"), right=("right", "sum"))
    wrong = found[found["mistake"] != ""].groupby("step")["mistake"]
    made["mistake"] = wrong.agg(lambda one: one.value_counts().index[0])
    made = made.reindex(range(1, steps + 1))
    made = made.fillna({"answered": 0, "right": 0, "mistake": ""})
    made = made.astype({"answered": int, "right": int})
    made.insert(2, "wrong", made["answered"] - made["right"])
    return made


def students(rows: Rows, steps: int) -> pd.DataFrame:
    """A row for each member, by number: `name`, and for each step the sign of the last answer."""
    found = _last(rows)
    found["sign"] = found["right"].map({1: "✓", 0: "✗"}) + found["vote"].map(
        {LATE: " late"}
    ).fillna("")
    signs = found.pivot(index="number", columns="step", values="sign")
    places = {"index": [*members(rows)], "columns": range(1, steps + 1)}
    signs = signs.reindex(**places, fill_value="").fillna("")
    signs.insert(0, "name", [*members(rows).values()])
    return signs


def csv(rows: Rows) -> bytes:
    """A row for each member; for each step both votes, a late answer, and if the last is right.

    Only what has answers has a column. UTF-8 with a mark at its start, for spreadsheets.
    """
    found, last = table(rows), _last(rows)
    made = pd.DataFrame({"student": members(rows)})
    for step in sorted(found["step"].unique()):
        for vote, word in {1: "vote 1", 2: "vote 2", LATE: "late"}.items():
            given = found[(found["step"] == step) & (found["vote"] == vote)]
            if not given.empty:
                made[f"step {step} {word}"] = given.set_index("number")["typed"]
        right = last[last["step"] == step].set_index("number")["right"]
        made[f"step {step} right"] = right.map({1: "yes", 0: "no"})
    return str(made.to_csv(index=False)).encode("utf-8-sig")


def _last(rows: Rows) -> pd.DataFrame:
    """Of each member and step the last answer: a late one, else that to the later vote."""
    found = table(rows)
    order = found["vote"].replace(LATE, 3)
    return (
        found.assign(order=order)
        .sort_values("order")
        .drop_duplicates(["number", "step"], keep="last")
    )
