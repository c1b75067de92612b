"""A student's answers in a lab as text for an address.

Of each step the first and the last answer are kept. The text has what was answered and no verdict:
opening it judges everything again. Reading an address trusts nothing in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from embviz.labs.answer import read
from embviz.labs.question import Answer, Question, typed
from embviz.text.refused import Refused

MAX_TEXT = 4_000  # characters in an address
STEP, ANSWER = "_", "~"  # between steps, and between the answers to one; no address escapes them

# The first answer, and the last if it differs, by the step's number from 1.
Answers = Mapping[int, tuple[Answer, ...]]


def add(answers: Answers, step: int, answer: Answer) -> Answers:
    """The answers with one more."""
    return {**answers, step: (*answers.get(step, ())[:1], answer)}


def encode(questions: Sequence[Question], answers: Answers) -> str:
    """The answers as text, which `decode` reads back: choices by their places."""
    steps = []
    for step, question in enumerate(questions, 1):
        known: dict[Answer, str] = {
            choice: str(place) for place, choice in enumerate(question.choices)
        }
        steps.append(
            ANSWER.join(known.get(answer) or typed(answer) for answer in answers.get(step, ()))
        )
    return STEP.join(steps).rstrip(STEP)


def decode(questions: Sequence[Question], text: str) -> Answers:
    """The answers in a text that `encode` wrote.

    Raises:
        Refused: it was cut or changed.
    """
    steps, answers = text[: MAX_TEXT + 1].split(STEP), dict[int, tuple[Answer, ...]]()
    try:
        if len(text) > MAX_TEXT or len(steps) > len(questions):
            raise KeyError(text)
        for step, (question, given) in enumerate(zip(questions, steps, strict=False), 1):
            known = {str(place): choice for place, choice in enumerate(question.choices)}
            parts = given.split(ANSWER) if given else []
            for word in parts:
                answer = known[word] if known else read(question, word)
                answers[step] = (*answers.get(step, ()), answer)
        if any(len(attempts) > 2 for attempts in answers.values()):
            raise KeyError(text)
    except (Refused, KeyError):
        sentence = "The work in this address cannot be read: it was cut or changed."
        raise Refused(sentence) from None
    return answers
