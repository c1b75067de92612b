"""The kept answers that still answer their lab's questions.

A class is kept for 30 days, and answers by the number of their step. A newer embviz may have put a
step in, taken one out or asked something else there. The title that is kept with an answer tells.
"""

from __future__ import annotations

from dataclasses import replace

from embviz.classes.snapshot import Given, Snapshot
from embviz.labs.catalogue import questions


def fitting(snapshot: Snapshot) -> Snapshot:
    """The class without answers to questions that its labs ask no more: for all but the file."""
    seed = snapshot.room.seed
    return replace(snapshot, answers=[answer for answer in snapshot.answers if _fits(answer, seed)])


def _fits(answer: Given, seed: int) -> bool:
    asked = questions(answer.lab, seed)
    return answer.step <= len(asked) and asked[answer.step - 1].title == answer.title
