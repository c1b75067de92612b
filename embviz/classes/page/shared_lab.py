"""A lab of a class, as one member has it: what is told, and how an answer is kept."""

from contextlib import suppress
from functools import partial

from embviz.classes import visits
from embviz.classes.here import here
from embviz.classes.room import StoredAnswer
from embviz.classes.snapshot import Snapshot
from embviz.labs.answer import read
from embviz.labs.catalogue import questions
from embviz.labs.page.lesson import Lesson, Task
from embviz.labs.question import Answer, bar_of, judge, typed
from embviz.labs.work import Answers, add
from embviz.text.refused import Refused


def lesson_of(snapshot: Snapshot, browser: str, lab: str) -> Lesson:
    """The lab as the member of this browser has it."""
    room = snapshot.room
    asked, given, paused = questions(lab, room.seed), answers_of(snapshot, lab), room.paused(lab)
    place = f"{room.code} {snapshot.members[0].name if snapshot.members else ''}"

    def keep(step: int, vote: int, answer: Answer) -> None:
        question = asked[step - 1]
        verdict, bar = judge(question, answer), bar_of(question, answer)
        made = StoredAnswer(typed(answer), bar, *verdict, title=question.title)
        here().keep(room.code, browser, lab, step, made, vote=vote)
        visits.kept(room.code, browser)

    def task(step: int) -> Task:
        vote, is_told = room.step(lab, step).vote, room.tells(lab, step)
        return Task(
            asked[step - 1],
            f"answer {place} {lab} {step} {vote}",  # each vote has a field of its own
            given.get(step, ()),
            partial(keep, step, vote),
            vote,
            tells=is_told,
            is_revealed=is_told,
            is_behind=0 < paused < step,
            is_over=room.ended,
            note=partial(visits.refused, room.code, browser),
        )

    return Lesson(lab, place, [task(step) for step in range(1, len(asked) + 1)], paused)


def answers_of(snapshot: Snapshot, lab: str) -> Answers:
    """The answers of a member that count: while a step is open, those of its vote alone."""
    asked = questions(lab, snapshot.room.seed)
    found: Answers = {}
    for answer in snapshot.answers:
        if answer.lab == lab and snapshot.stands(answer):
            with suppress(Refused):  # a newer embviz asks for something else under the same title
                found = add(found, answer.step, read(asked[answer.step - 1], answer.typed))
    return found
