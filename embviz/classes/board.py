"""The tables of a board, made from a `Snapshot` of a whole class; nothing is kept here.

Rules, the same in every table:
- One answer of a student to a step counts, and its verdict is the student's: `_last_that_count`.
  While a vote is open it is that of this vote. After *Reveal*, or the end, it is the last one that
  is not late: without one in vote 2 that of vote 1.
- Bars show both votes beside each other. A late answer is in no bar and no sum, and no verdict: the
  student's own page alone judges it. Who has answered late has answered, and is not stuck.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import pandas as pd

from embviz.classes.snapshot import LATE, Given, Snapshot
from embviz.classes.visit import Visit, is_here
from embviz.labs.catalogue import title_of
from embviz.labs.drawing import short
from embviz.labs.question import OTHER, Question, bars_of
from embviz.text.markdown import plain
from embviz.text.wording import formula_safe

RIGHT = LATE + 1  # The column after the votes.
WORDS = {1: "vote 1", 2: "vote 2", LATE: "late answer", RIGHT: "counts as right"}
COLUMNS = ["lab", "step", "question", "vote", "answer", "right", "mistake", "answered_at"]
DONE = ["steps done", "votes right"]
AGO = "last answer, seconds ago"
STRIP = ["student", "here", "lab", "step", "answered it", AGO, "could not be read"]
NEVER = Visit(float("-inf"), "", 0)  # That of a student whose page was not open.


class Bar(NamedTuple):
    """An answer to a step, and how many have given it.

    Attributes:
        words: of the answer.
        right: whether it is.
        mistake: the sentence about it, or `""`.
        typed: where it is of guesses, the smallest and the largest.
        votes: how many gave it in the first vote, and in the second.
    """

    words: str
    right: bool
    mistake: str
    typed: str
    votes: tuple[int, int]


def bars(answers: Sequence[Given], lab: str, step: int, question: Question) -> list[Bar]:
    """How the votes on a step spread; a late answer is in no bar.

    Mistakes that nobody made are left out.
    """
    counted = [
        answer
        for answer in answers
        if answer.step == step and answer.lab == lab and answer.vote != LATE
    ]
    found = []
    for words, is_right, mistake in bars_of(question):
        here = [answer for answer in counted if answer.bar == words]
        if here or is_right or question.choices:
            first = sum(answer.vote == 1 for answer in here)
            typed = ""
            if question.within > 1 and words != OTHER:
                typed = _range([float(answer.typed) for answer in here])
            found.append(Bar(words, is_right, mistake, typed, (first, len(here) - first)))
    return found


def summary(snapshot: Snapshot, lab: str, steps: int) -> pd.DataFrame:
    """A row for each step: `answered`, `right`, `wrong`, the most frequent `mistake`.

    A late answer counts neither as right nor as wrong.
    """
    last = _last_that_count(snapshot, lab)
    rows = []
    for step in range(1, steps + 1):
        counted = [answer for answer in last if answer.step == step]
        right = sum(answer.right for answer in counted)
        mistakes = Counter(answer.mistake for answer in counted if answer.mistake)
        most = max(mistakes, key=mistakes.__getitem__, default="")
        rows.append([len(counted), right, len(counted) - right, most])
    numbers = pd.RangeIndex(1, steps + 1, name="step")
    return pd.DataFrame(rows, numbers, ["answered", "right", "wrong", "mistake"])


def students(snapshot: Snapshot, lab: str) -> pd.DataFrame:
    """A row for each student, by number: both votes, a late answer, and the verdict.

    Only what has answers has a column.
    """
    columns = defaultdict[tuple[int, int], dict[int, str]](dict)  # by step and vote
    for answer in snapshot.answers:
        if answer.lab == lab:
            columns[answer.step, answer.vote][answer.number] = answer.typed
    for answer in _last_that_count(snapshot, lab):
        columns[answer.step, RIGHT][answer.number] = "yes" if answer.right else "no"
    table = _students(snapshot)
    for step, vote in sorted(columns):
        table[f"step {step} {WORDS[vote]}"] = pd.Series(columns[step, vote])
    return table.fillna("")


def others(answers: Sequence[Given], lab: str, step: int) -> pd.DataFrame:
    """The answers that the bar `OTHER` of a step counts: `name` and `typed`, each pair once."""
    found = [
        (answer.name, answer.typed)
        for answer in answers
        if (answer.lab, answer.step, answer.bar) == (lab, step, OTHER) and answer.vote != LATE
    ]
    return pd.DataFrame([*dict.fromkeys(found)], columns=["name", "typed"])


def strip(snapshot: Snapshot, visits: Mapping[bytes, Visit], lab: str, now: float) -> pd.DataFrame:
    """A row for each student, by number: where each is, and who is stuck. Those come first.

    A student is stuck whose page is open, and who has not answered the step that it shows. A closed
    page has the step that it showed last.

    Args:
        snapshot: of the class.
        visits: by the digest of the browser.
        lab: whose answers count for the age of the last one.
        now: seconds since 1970.
    """
    answers: dict[int, list[Given]] = {member.number: [] for member in snapshot.members}
    for answer in snapshot.answers:
        answers[answer.number].append(answer)
    rows = []
    for member in snapshot.members:
        visit, mine = visits.get(member.browser, NEVER), answers[member.number]
        at_step = [
            answer for answer in mine if (answer.lab, answer.step) == (visit.lab, visit.step)
        ]
        last = max((answer.at for answer in mine if answer.lab == lab), default=None)
        rows.append(
            {
                "student": member.name,
                "here": is_here(visit),
                "lab": title_of(visit.lab),
                "step": visit.step,
                "answered it": any(map(snapshot.stands, at_step)),
                AGO: None if last is None else round(now - last),
                "could not be read": [*visit.refused],
            }
        )
    table = pd.DataFrame(rows, [*answers], STRIP).astype({AGO: "Int64"})
    return table.sort_values(["here", "answered it"], ascending=[False, True], kind="stable")


def size(snapshot: Snapshot, visits: Mapping[bytes, Visit]) -> int:
    """How many students there are: their page is open, or they have answered something."""
    answered = {answer.number for answer in snapshot.answers}
    return sum(
        member.number in answered or (member.browser in visits and is_here(visits[member.browser]))
        for member in snapshot.members
    )


def csv(snapshot: Snapshot) -> bytes:
    """All answers, a row each: UTF-8 with a mark at its start, for spreadsheets.

    A student without answers has a row too. `question` is what was asked then, `answered_at` the
    moment in UTC.
    """
    labs = snapshot.room.labs
    rows = [
        [
            answer.number,
            _cell(title_of(answer.lab)),
            f"{answer.step}",
            _cell(plain(answer.title)),
            "late" if answer.vote == LATE else f"{answer.vote}",
            _cell(answer.typed),
            "yes" if answer.right else "no",
            _cell(plain(answer.mistake)),
            datetime.fromtimestamp(answer.at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        ]
        for answer in sorted(snapshot.answers, key=lambda answer: labs.index(answer.lab))
    ]
    answers = pd.DataFrame(rows, columns=["number", *COLUMNS]).set_index("number")
    return _file(_students(snapshot).join(answers))


def csv_students(snapshot: Snapshot) -> bytes:
    """A line for each student: steps done and votes right, in all and in each lab.

    A late answer makes a step done. Right is what `students` says.
    """
    found = _students(snapshot)
    found[DONE] = 0
    for lab in snapshot.room.labs:
        steps = {(answer.number, answer.step) for answer in snapshot.answers if answer.lab == lab}
        done = Counter(number for number, _ in steps)
        right = Counter(answer.number for answer in _last_that_count(snapshot, lab) if answer.right)
        for what, counted in zip(DONE, (done, right), strict=True):
            of_lab = [counted[number] for number in found.index]
            found[f"{_cell(title_of(lab))}: {what}"] = of_lab
            found[what] += of_lab
    return _file(found)


def _file(table: pd.DataFrame) -> bytes:
    """A table as a file."""
    return str(table.to_csv(index=False)).encode("utf-8-sig")


def _students(snapshot: Snapshot) -> pd.DataFrame:
    """The pseudonyms, by number."""
    names = {member.number: member.name for member in snapshot.members}
    return pd.DataFrame({"student": names}, dtype=str)


def _range(guesses: Sequence[float]) -> str:
    """The smallest and the largest of some guesses.

    >>> _range([1000.0, 350.0]), _range([8.0, 8.0]), _range([])
    ('350 to 1,000', '8', '')
    """
    return " to ".join(map(short, sorted({min(guesses), max(guesses)}))) if guesses else ""


def _last_that_count(snapshot: Snapshot, lab: str) -> list[Given]:
    """The answer that counts, if there is one, for each student and each step."""
    last = dict[tuple[int, int], Given]()  # Later votes stand below earlier ones.
    for answer in snapshot.answers:
        if answer.lab == lab and answer.vote != LATE and snapshot.stands(answer):
            last[answer.number, answer.step] = answer
    return [*last.values()]


def _cell(text: str) -> str:
    """A cell that no spreadsheet runs; a number stays one."""
    try:
        float(text)
    except ValueError:
        return formula_safe(text)
    return text
