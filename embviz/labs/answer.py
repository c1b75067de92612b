"""The answer that a typed text means, or the sentence that refuses it.

`reading` gives the ways in which a text may be numbers. The question decides which are possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from embviz.labs.question import Answer, Question, typed, written
from embviz.labs.reading import Way, apart, ways
from embviz.text.refused import Refused
from embviz.text.wording import quote

MAX_TYPED = 100  # characters of an answer
ONLY = "Write only numbers, without words or units."  # the end of a refusal of a word
THOUSAND = 1_000  # the smallest number that is written with a mark between its digits


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
    one_whole = question.count == 1 and question.integers
    found = [*ways(text, minus_between=not question.fewer, blanks=one_whole)]
    faults = [_fault(question, text, way) for way in found]
    possible = [way for way, fault in zip(found, faults, strict=True) if fault is None]
    if not possible:
        _, sentence = min((fault for fault in faults if fault), key=lambda fault: fault[0])
        raise Refused(sentence)
    return _meant(question, text, possible)


def _fault(question: Question, text: str, way: Way) -> tuple[int, str] | None:
    """The reason why a text cannot be meant in a way, and its rank among other reasons."""
    for word, plain, number in zip(*way[:3], strict=True):
        several = apart(plain) if question.integers and question.count > 1 else ""
        if math.isnan(number) and several:
            return 4, f"{quote(word)} is not a number. Put spaces between: {several}."
        if math.isnan(number):
            return 4, f"{quote(word)} is not a number. {question.how} {ONLY}"
        if question.within > 1 and number <= 0:
            return 1, f"{quote(word)} is not more than 0, and the answer is. {question.how}"
        if math.isinf(number):
            return 1, f"{quote(word)} is too large. {question.how}"
        if "/" in plain and several and number.is_integer():
            either = f"{number:.0f} or {several}"
            return 2, f"{quote(word)} can be a fraction or two numbers. Write {either}."
        if question.integers and not number.is_integer():
            return 2, f"{quote(word)} is not a whole number. {question.how}"
        if _runs_together(question, way, plain, number):
            return 0, f"{quote(word)} is one number. Put spaces between: {' '.join(plain)}."
        if number > question.most:
            most = f"{question.most:,.10g}"
            return 1, f"{quote(word)} is too large: at most {most} can be meant. {question.how}"
    count = len(way.words)
    if count == question.count or (question.fewer and 1 <= count < question.count):
        return None
    many = "1 number" if count == 1 else f"{count} numbers"
    asked = "1 is asked" if question.count == 1 else f"{question.many} are asked"
    return 3, f"{quote(text)} has {many}, and {asked}. {question.how}"


def _runs_together(question: Question, way: Way, plain: str, number: float) -> bool:
    """Whether a word is rather several numbers of one digit each."""
    if question.count == 1 or not question.integers or not plain.isdigit() or len(plain) == 1:
        return False
    if plain.startswith("0"):
        return True
    if question.most < 10:
        return number > question.most
    return not question.fewer and len(way.words) == 1 and len(plain) == question.count


def _meant(question: Question, text: str, possible: Sequence[Way]) -> Answer:
    """The answer of one of the ways that are possible.

    Raises:
        Refused: two of them are meant as well as each other.
    """
    known = [answer for answer in question.known if not isinstance(answer, str)]
    if not question.integers and all(
        abs(number) < THOUSAND for answer in known for number in answer
    ):
        # A comma is decimal here, unless the text can only be read with thousands.
        possible = [way for way in possible if not way.is_grouped] or possible
    first = possible[0]
    readings = [*dict.fromkeys(way.numbers for way in possible)]
    if len(readings) == 1:
        return first.numbers
    shown = " ".join(first.plain)
    # An address, and a class, have what `typed` gave; the page has what `written` gave.
    if shown == typed(first.numbers) or any(shown == written(answer) for answer in known):
        return first.numbers
    is_coarse = question.integers or question.within > 1  # Then nobody needs three decimals.
    is_coarse |= all(number.is_integer() for answer in known for number in answer)
    if is_coarse and shown == written(first.numbers):
        return first.numbers
    both = " or ".join(map(typed, readings[:2]))
    raise Refused(f"{quote(text)} can be read in two ways. Write {both}.")
