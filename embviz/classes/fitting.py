"""The labs of a kept class that are still there, and the answers that still answer their questions.

A class is kept for 30 days, and answers by the number of their step. A newer embviz may have put a
step in, taken one out or asked something else there. The title that is kept with an answer tells.
It may also lack a lab.
"""

from __future__ import annotations

from dataclasses import replace

from embviz.classes.snapshot import Given, Snapshot
from embviz.labs.catalogue import LABS, questions
from embviz.text.refused import Refused
from embviz.text.wording import quote


def fitting(snapshot: Snapshot) -> Snapshot:
    """The class without labs that are gone, nor answers to questions that its labs ask no more.

    All but the file of answers use it.

    Raises:
        Refused: all its labs are gone; names the file.
    """
    room = snapshot.room
    labs = tuple(lab for lab in room.labs if lab in LABS)
    if not labs:
        raise Refused(
            f"The lab {quote(room.lab)} of this class is gone from embviz. Its answers are kept "
            f"in the file class/{room.code}/csv."
        )
    if room.lab not in LABS:
        room = replace(room, lab=labs[-1], at=0)
    if room.shown_lab and room.shown_lab not in LABS:
        room = replace(room, shown_lab="", shown_step=0)
    answers = [answer for answer in snapshot.answers if _fits(answer, room.seed)]
    return replace(snapshot, room=replace(room, labs=labs), answers=answers)


def _fits(answer: Given, seed: int) -> bool:
    asked = questions(answer.lab, seed) if answer.lab in LABS else ()
    return answer.step <= len(asked) and asked[answer.step - 1].title == answer.title
