"""The answer that a typed text means, or the sentence that refuses it.

`reading` gives the readings of a text, the likeliest first. The first that fits the question is
meant. Where a whole number is asked, `1.000` may well be a thousand: the sentence asks.
"""

from __future__ import annotations

import math
import re

from embviz.labs.question import Answer, Question
from embviz.labs.reading import Reading, apart, readings
from embviz.text.refused import Refused
from embviz.text.wording import counted, quote

MAX_TYPED = 100  # characters of an answer
ONLY = "Write only numbers, without words or units."  # the end of a refusal of a word

_ABOUT = re.compile(r"\A(?:~|≈|about|around|roughly|approximately|circa|ca\.?)\s*", re.I)
_CALCULATION = re.compile(r"[0-9.,]+(?:[*×+][0-9.,]+)+")
_THOUSAND = re.compile(r"[+-]?[1-9][0-9]{0,2}\.000")  # or a whole number with three decimals


def read(question: Question, text: str) -> Answer:
    """The answer that was typed or chosen, in whatever way people write numbers (`reading`).

    Raises:
        Refused: a sentence that quotes the text and says what is allowed.
    """
    if len(text) > MAX_TYPED:
        raise Refused(f"{len(text):,} characters are more than the {MAX_TYPED} allowed.")
    if not (text := text.strip()):
        raise Refused(f"Nothing is written yet. {question.how}")
    if question.choices:
        for choice in question.choices:
            if text.casefold() == choice.casefold():
                return choice
        raise Refused(f"{quote(text)} is not a choice. {question.how}")
    bare, faults = _without_words(question, text), list[Fault]()
    is_one = question.integers and question.count == 1
    for reading in readings(bare, question.integers, is_one, not question.is_set):
        if (fault := _fault(question, bare, reading)) is None:
            _check_thousands(question, reading)
            return reading.numbers
        faults.append(fault)
    raise Refused(min(faults, key=lambda fault: fault[0])[1])


def _without_words(question: Question, text: str) -> str:
    """The text without the unit that the question names, and without the "about" of a guess."""
    if question.within > 1:
        text = _ABOUT.sub("", text)
    unit = re.search(r"many \**(\w+)", question.prompt) if question.count == 1 else None
    if not unit:
        return text
    if unit[1] == "times":
        text = re.sub(r"\A[x×]\s*(?=[0-9])|(?<=[0-9])\s*[x×]\Z", "", text)
    return re.sub(rf"(?<=[0-9])\s*{unit[1]}\Z", "", text)


Fault = tuple[int, str]  # the rank of a reason among others, the lowest first, and its sentence


def _fault(question: Question, text: str, reading: Reading) -> Fault | None:
    """The reason why a text cannot be meant in a way; that of the first word that has one."""
    for word, plain, number in zip(*reading, strict=True):
        if fault := _fault_of_word(question, reading, word, plain, number):
            return fault
    return _fault_of_count(question, text, len(reading.words))


def _fault_of_word(
    question: Question, reading: Reading, word: str, plain: str, number: float
) -> Fault | None:
    """The reason why a word cannot be one of the numbers."""
    several = apart(plain) if question.integers and question.count > 1 else ""
    if math.isnan(number):
        if several:
            return 4, f"{quote(word)} is not a number. Put spaces between: {several}."
        if _CALCULATION.fullmatch(plain):
            return 4, f"{quote(word)} is a calculation. Work it out. {question.how}"
        return 4, f"{quote(word)} is not a number. {question.how} {ONLY}"
    if question.within > 1 and number <= 0:
        return 1, f"{quote(word)} is not more than 0, but the answer is. {question.how}"
    if math.isinf(number):
        return 1, f"{quote(word)} is too large. {question.how}"
    if "/" in plain and several and number.is_integer():
        either = f"{number:.0f} or {several}"
        return 2, f"{quote(word)} can be a fraction or two numbers. Write {either}."
    if question.integers and not number.is_integer():
        return 2, f"{quote(word)} is not a whole number. {question.how}"
    if _runs_together(question, reading, plain, number):
        return 0, f"{quote(word)} is one number. Put spaces between: {' '.join(plain)}."
    if number > question.most:
        most = f"{question.most:,.10g}"
        return 1, f"{quote(word)} is too large: at most {most} can be meant. {question.how}"
    return None


def _fault_of_count(question: Question, text: str, count: int) -> Fault | None:
    """The reason why these are too many numbers, or too few."""
    if count == question.count or (question.is_set and 1 <= count < question.count):
        return None
    if count == 2 * question.count > 2 and re.fullmatch("[0-9]+(,[0-9]+)+", text):
        pairs = " ".join(re.findall("[0-9]+,[0-9]+", text))
        return 3, f"{quote(text)} has {count} numbers. Put spaces between: {pairs}."
    asked = "1 is asked" if question.count == 1 else f"{question.many} are asked"
    return 3, f"{quote(text)} has {counted(count, 'number')}, and {asked}. {question.how}"


def _runs_together(question: Question, reading: Reading, plain: str, number: float) -> bool:
    """Whether a word is rather several numbers of one digit each."""
    if question.count == 1 or not question.integers or not plain.isdigit() or len(plain) == 1:
        return False
    if plain.startswith("0"):
        return True
    if question.most < 10:
        return number > question.most
    return not question.is_set and len(reading.words) == 1 and len(plain) == question.count


def _check_thousands(question: Question, reading: Reading) -> None:
    """Ask whether a point stands between thousands, where both numbers may be meant."""
    for word, plain, number in zip(*reading, strict=True):
        if question.integers and _THOUSAND.fullmatch(plain) and 1000 * number <= question.most:
            either = f"{number:.0f} or {1000 * number:.0f}"
            raise Refused(f"{quote(word)} can be read in two ways. Write {either}.")
