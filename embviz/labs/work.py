"""A student's answers in a lab, and the same as text for an address.

Of each step the first and the last answer are kept. The text has what was answered and no verdict:
opening it judges everything again. Reading an address trusts nothing in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from embviz.core.refused import Refused
from embviz.labs.question import Answer, Question, read, typed

MAX_TEXT = 4_000  # characters in an address
STEP, ANSWER = "_", "~"  # between steps, and between the answers to one; no address escapes them


@dataclass(frozen=True)
class Work:
    """Answers to the questions of a lab.

    Attributes:
        questions: of the lab, with one seed.
        answers: by the step's number, from 1: the first, and the last if it is another one.
    """

    questions: tuple[Question, ...]
    answers: Mapping[int, tuple[Answer, ...]] = field(default_factory=dict)

    def add(self, step: int, answer: Answer) -> Work:
        """The work with one more answer."""
        given = (*self.answers.get(step, ())[:1], answer)
        return replace(self, answers={**self.answers, step: given})

    def encode(self) -> str:
        """The answers as text, which `decode` reads back."""
        steps = [
            ANSWER.join(_coded(question, answer) for answer in self.answers.get(number, ()))
            for number, question in enumerate(self.questions, 1)
        ]
        return STEP.join(steps).rstrip(STEP)


def decode(questions: tuple[Question, ...], text: str) -> Work:
    """The work in a text that `encode` wrote.

    Raises:
        Refused: it was cut or changed.
    """
    steps = text.split(STEP) if len(text) <= MAX_TEXT else [text]
    answers = {}
    try:
        for number, question, given in zip(
            range(1, len(questions) + 1), questions, steps, strict=False
        ):
            if given:
                answers[number] = tuple(_read(question, one) for one in given.split(ANSWER))
        if len(steps) > len(questions) or any(len(one) > 2 for one in answers.values()):
            raise Refused(text)
    except (Refused, IndexError):
        sentence = "The work in this address cannot be read: it was cut or changed."
        raise Refused(sentence) from None
    return Work(questions, answers)


def _coded(question: Question, answer: Answer) -> str:
    if isinstance(answer, str):
        return str(question.choices.index(answer))
    return typed(answer)


def _read(question: Question, text: str) -> Answer:
    if not question.choices:
        return read(question, text)
    if not (text.isascii() and text.isdecimal()):
        raise Refused(text)
    return question.choices[int(text[:3])]
