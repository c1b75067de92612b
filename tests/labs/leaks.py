"""Finds what a step tells about another one while both are open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from embviz.labs.drawing import Grid, Picture
from embviz.labs.question import Question, written

NUMBER = r"-?\d+(?:\.\d+)?"
THOUSANDS = r"\d{1,3}(?:,\d{3})+(?!\d)"
FENCE = r"```\w*\n(.*?)\n?```"
SHAPE = r"\(1, \d+, \d+\)"

# Words that give the rule of a step away, by its title.
RULES = {
    "After loss.backward()": r"gradients?\W+(?:is\W+)?(?:0|zero)\b|gradient of 0",
    "A sum of rows": r"forgot the counts|never uses the counts",
    "To the last bit": r"bit for bit|same bits",
    "After its last lookup": r"Adam (?:remembers|has a memory)",
    "Twice the rows": r"grows? with every row|doubles with the rows",
}


@dataclass(frozen=True)
class Shown:
    """What a step shows.

    Attributes:
        prose: its texts without blocks of code, and captions.
        grids: the parts of its pictures.
        lines: lines with words before their numbers, in blocks and pictures: words, numbers.
        numbers: all numbers with two digits or more.
        beside: the number beside each letter or word.
    """

    prose: list[str]
    grids: list[Grid]
    lines: list[tuple[str, list[str]]]
    numbers: set[str]
    beside: dict[str, str]


def shown_by(texts: list[str], pictures: list[Picture]) -> Shown:
    """What these texts and pictures show."""
    fences = [line for text in texts for block in fenced(text) for line in block.splitlines()]
    grids = [part for each in pictures for part in each if isinstance(part, Grid)]
    prose = [re.sub(FENCE, " ", text, flags=re.S) for text in texts]
    prose += [grid.caption for grid in grids]
    cells = [cell for grid in grids for cell in chain(*grid.cells)]
    lines = [*labelled(fences, grids)]
    numbers = {
        number.replace(",", "")
        for text in [*prose, *fences, *cells]
        for number in re.findall(rf"{THOUSANDS}|{NUMBER}", text)
    }
    return Shown(prose, grids, lines, numbers, dict(beside(lines, grids)))


def leaks(one: Question, other: Shown) -> list[str]:
    """Why another step tells the answer to this one; empty if it does not."""
    found = [*rules(one, other)]
    if one.choices:
        return [*found, *choices(str(one.right), other)]
    answer = written(one.right).replace(",", "").split()
    if len(answer) > 1:
        found += sequences(answer, not one.is_set, other)
        found += rows(answer, one.prompt, other)
        found += pairs(answer, one.prompt, other)
    elif len(answer[0].strip("-")) > 1 and answer[0] in other.numbers:
        found.append(f"the number {answer[0]}")
    return found


def fenced(text: str) -> list[str]:
    """The blocks of code."""
    return re.findall(FENCE, text, flags=re.S)


def rules(one: Question, other: Shown) -> Iterator[str]:
    """The rule of a step in words, and gradients of 0 in a picture."""
    if rule := RULES.get(one.title):
        yield from (text for text in other.prose if re.search(rule, text))
    if one.title == "After loss.backward()":
        for grid in other.grids:
            if "gradient" in grid.caption and any({*line} == {"0"} for line in grid.cells):
                yield f"the picture of a {grid.caption}"


def choices(right: str, other: Shown) -> Iterator[str]:
    """The right choice in words; a shape in any spelling, also as a table of that shape."""
    if not right.startswith("("):
        yield from (text for text in other.prose if right.casefold() in text.casefold())
        return
    sizes = re.findall(r"\d+", right)[1:]  # without the batch
    spelled = r"\W{0,3}(?:x|×|by|rows?(?: of)?|,|·)?\W{0,3}".join(rf"\b{size}\b" for size in sizes)
    yield from (text for text in other.prose if re.search(spelled, text))
    for grid in other.grids:
        if [str(len(grid.cells)), str(len(grid.cells[0]))] == sizes:
            yield f"a table of this shape: {grid.caption}"


def sequences(answer: list[str], ordered: bool, other: Shown) -> Iterator[str]:
    """All numbers of an answer after each other in a text, or alone in a picture."""
    for text in other.prose:
        for run in re.findall(rf"{NUMBER}(?:[\s,;|]+(?:and )?{NUMBER})+", re.sub(SHAPE, "", text)):
            if same(re.findall(NUMBER, run), answer, ordered):
                yield text
    for grid in other.grids:
        if len(grid.cells) == 1 and same([*grid.cells[0]], answer, ordered):
            yield f"alone in a picture: {grid.caption}"


def same(given: list[str], answer: list[str], ordered: bool) -> bool:
    """Whether numbers are those of an answer."""
    return given == answer if ordered else sorted(given) == sorted(answer)


def labelled(fences: list[str], grids: list[Grid]) -> Iterator[tuple[str, list[str]]]:
    """Lines with words before their numbers: the words, and the numbers."""
    for line in fences:
        words = line.split()
        numbers = [word for word in words if re.fullmatch(NUMBER, word)]
        yield " ".join(word for word in words if word not in numbers), numbers
    for grid in grids:
        for label, cells in zip(grid.labels, grid.cells, strict=False):
            yield label, [*cells]


def rows(answer: list[str], prompt: str, other: Shown) -> Iterator[str]:
    """A row beside the letter that the step asks for."""
    asked = {*re.findall(r"`(\w)`", prompt)}
    for label, numbers in other.lines:
        if asked & {*re.findall(r"\b\w\b", label)} and numbers[-len(answer) :] == answer:
            yield f"{label}: {' '.join(numbers)}"


def pairs(answer: list[str], prompt: str, other: Shown) -> Iterator[str]:
    """The number beside each letter of a text, or beside each word of a sentence."""
    for words in re.findall(r"`([a-z ]+)`", prompt):
        asked = words.split() if " " in words else [*words]
        found = {one: other.beside.get(one) for one in asked}
        is_sentence = " " in words
        is_each_letter = [found[one] for one in asked] == answer
        # A sentence has a count for each word, also for those that are not in it.
        is_each_word = None not in found.values() and {*found.values()} | {"0"} == {*answer, "0"}
        if is_each_letter or (is_sentence and is_each_word and len(answer) > len(found)):
            yield f"a number beside each of {words}"


def beside(lines: list[tuple[str, list[str]]], grids: list[Grid]) -> Iterator[tuple[str, str]]:
    """Each letter or word with the number beside it."""
    for label, _ in lines:
        if match := re.fullmatch(r"(?:id )?(\d+)\W+(\w+)", label):
            yield match[2], match[1]
    for grid in grids:
        if len(grid.cells) == 1:
            yield from zip(grid.heads, grid.cells[0], strict=False)
