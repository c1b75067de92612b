"""The refusal of a kept class whose labs have changed; its file has all answers.

A class is kept for 30 days. By then a newer embviz may lack one of its labs, or ask something else
at a step: the title that is kept with an answer tells.
"""

from __future__ import annotations

from embviz.classes.snapshot import Given, Snapshot
from embviz.labs.catalogue import LABS, questions
from embviz.text.refused import Refused
from embviz.text.wording import quote


def fitting(snapshot: Snapshot) -> Snapshot:
    """The class, if its labs still ask what it has answered.

    Raises:
        Refused: names a lab that has changed, and the file.
    """
    room = snapshot.room
    changed = {*room.labs, room.shown[0]} - {*LABS}
    changed |= {answer.lab for answer in snapshot.answers if not _fits(answer, room.seed)}
    if changed:
        raise Refused(
            f"A newer embviz has changed the lab {quote(min(changed))} of this class, or has it no "
            f"more. Its answers are kept in the file class/{room.code}/csv."
        )
    return snapshot


def _fits(answer: Given, seed: int) -> bool:
    asked = questions(answer.lab, seed) if answer.lab in LABS else ()
    return answer.step <= len(asked) and asked[answer.step - 1].title == answer.title
