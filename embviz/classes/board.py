"""The tables of a board, made from the answers that the store has; nothing is kept here.

All take `Store.answers` of a whole class, and count steps from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from embviz.classes.room import Room
from embviz.classes.store import LATE
from embviz.labs.question import Question, bars_of

COLUMNS = ["number", "name", "step", "vote", "typed", "bar", "right", "mistake"]
RIGHT = LATE + 1  # the column after the votes
WORDS = {1: "vote 1", 2: "vote 2", LATE: "late", RIGHT: "right"}
Rows = Sequence[tuple[Any, ...]]


def table(rows: Rows) -> pd.DataFrame:
    """The answers, without the members who have none."""
    made = pd.DataFrame(rows, columns=COLUMNS).dropna(subset="step")
    return made.astype({"step": int, "vote": int, "right": int})


def members(rows: Rows) -> dict[int, str]:
    """All pseudonyms by number, in the order in which they came."""
    return {row[0]: row[1] for row in rows}


def bars(rows: Rows, step: int, question: Question) -> pd.DataFrame:
    """How the votes on a step spread: a row for each bar, by its words.

    Mistakes that nobody made are left out.

    Returns:
        Whether it is right, the sentence about the mistake, and how many gave it in the vote `1`
        and in the vote `2`. A late answer is in neither.
    """
    found = table(rows)
    found = found[found["step"] == step]
    named = pd.DataFrame(bars_of(question), columns=["words", "right", "mistake"])
    counts = pd.crosstab(found["bar"], found["vote"]).reindex(columns=[1, 2], fill_value=0)
    made = named.set_index("words").join(counts).fillna(0).astype({1: int, 2: int})
    return made[made["right"] | (made[1] + made[2] > 0) | bool(question.choices)]


def summary(rows: Rows, room: Room, steps: int) -> pd.DataFrame:
    """A row for each step: `answered`, `right`, `wrong`, the most frequent `mistake` of its vote.

    A late answer counts neither as right nor as wrong.
    """
    found = table(rows)
    found = found[found["vote"] == found["step"].map(lambda step: room.step(step).vote)]
    made = found.groupby("step").agg(answered=("right", "size"), right=("right", "sum"))
    made = made.reindex(range(1, steps + 1), fill_value=0)
    made["wrong"] = made["answered"] - made["right"]
    wrong = found[found["mistake"] != ""].groupby("step")["mistake"]
    made["mistake"] = wrong.agg(lambda one: one.value_counts().index[0])
    return made.fillna("")


def students(rows: Rows) -> pd.DataFrame:
    """A row for each member, by number: both votes, a late answer, and if the last is right.

    Only what has answers has a column.
    """
    found = table(rows)  # a later vote stands below an earlier one
    last = found.drop_duplicates(["number", "step"], keep="last")
    last = last.assign(vote=RIGHT, typed=last["right"].map({1: "yes", 0: "no"}))
    places = {"index": "number", "columns": ["step", "vote"], "values": "typed"}
    wide = pd.concat([found, last]).pivot(**places).sort_index(axis=1)
    wide.columns = pd.Index([f"step {step} {WORDS[vote]}" for step, vote in wide.columns])
    return pd.DataFrame({"student": members(rows)}).join(wide).fillna("")


def csv(rows: Rows) -> bytes:
    """The table of students: UTF-8 with a mark at its start, for spreadsheets."""
    return str(students(rows).to_csv(index=False)).encode("utf-8-sig")
