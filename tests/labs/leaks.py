"""Finds what a step tells about another one while both are open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from embviz.labs.drawing import Grid, Picture
from embviz.labs.question import Question, written

NUMBER = r"-?\d+(?:\.\d+)?"
FENCE = r"```\w*\n(.*?)\n?```"
BETWEEN = r"[\s,;|]+"

# Words that give the rule of a step away, by its title.
RULES = {
    "After loss.backward()": r"gradients?\W+(?:is\W+)?(?:0|zero)\b|gradient of 0",
    "A sum of rows": r"forgot the counts|never uses the counts",
    "To the last bit": r"bit for bit|same bits",
    "After its last lookup": r"Adam (?:remembers|has a memory)",
    "Twice the rows": r"grows? with every row|doubles with the rows",
}


def leaks(one: Question, texts: list[str], pictures: list[Picture]) -> list[str]:
    """Why these texts and pictures of other steps tell the answer to this one; empty if not."""
    fences = [line for text in texts for line in "\n".join(fenced(text)).splitlines()]
    prose = [re.sub(FENCE, " ", text, flags=re.S).replace(",", ", ") for text in texts]
    grids = [part for shown in pictures for part in shown if isinstance(part, Grid)]
    prose += [grid.caption for grid in grids]
    found = [*rules(one, prose, grids)]
    if one.choices:
        return [*found, *choices(str(one.right), prose, grids)]
    answer = written(one.right).replace(",", "").split()
    lines = [*labelled(fences, grids)]
    if len(answer) > 1:
        found += sequences(answer, one.ordered, prose, grids)
        found += rows(answer, one.prompt, lines)
        found += pairs(answer, one.prompt, lines, grids)
    elif len(answer[0].strip("-")) > 1:
        cells = [cell for grid in grids for cell in chain(*grid.cells)]
        everywhere = [text.replace(", ", "") for text in [*prose, *fences, *cells]]
        found += [text for text in everywhere if answer[0] in re.findall(NUMBER, text)]
    return found


def fenced(text: str) -> list[str]:
    """The blocks of code."""
    return re.findall(FENCE, text, flags=re.S)


def rules(one: Question, prose: list[str], grids: list[Grid]) -> Iterator[str]:
    """The rule of a step in words, and gradients of 0 in a picture."""
    if rule := RULES.get(one.title):
        yield from (text for text in prose if re.search(rule, text))
    if one.title == "After loss.backward()":
        for grid in grids:
            zeros = [line for line in grid.cells if {*line} == {"0"}]
            if zeros and "gradient" in grid.caption:
                yield grid.caption


def choices(right: str, prose: list[str], grids: list[Grid]) -> Iterator[str]:
    """The right choice in words; a shape in any spelling, also as a table of that shape."""
    if not right.startswith("("):
        yield from (text for text in prose if right.casefold() in text.casefold())
        return
    sizes = re.findall(r"\d+", right)[1:]  # without the batch
    spelled = r"\W{0,3}(?:x|×|by|rows?(?: of)?|,|·)?\W{0,3}".join(rf"\b{size}\b" for size in sizes)
    yield from (text for text in prose if re.search(spelled, text))
    for grid in grids:
        if [str(len(grid.cells)), str(len(grid.cells[0]))] == sizes:
            yield f"a table of this shape: {grid.caption}"


def sequences(
    answer: list[str], ordered: bool, prose: list[str], grids: list[Grid]
) -> Iterator[str]:
    """All numbers of an answer after each other in a text, or alone in a picture."""
    for text in prose:
        for run in re.findall(rf"{NUMBER}(?:{BETWEEN}(?:and )?{NUMBER})+", text):
            given = re.findall(NUMBER, run)
            if same(given, answer, ordered) or (ordered and " ".join(answer) in " ".join(given)):
                yield text
    for grid in grids:
        if len(grid.cells) == 1 and same([*grid.cells[0]], answer, ordered):
            yield f"alone in a picture: {grid.caption}"


def same(given: list[str], answer: list[str], ordered: bool) -> bool:
    """Whether numbers are those of an answer."""
    return given == answer if ordered else {*given} == {*answer}


def labelled(fences: list[str], grids: list[Grid]) -> Iterator[tuple[str, list[str]]]:
    """Lines with words before their numbers: the words, and the numbers."""
    for line in fences:
        words = line.split()
        numbers = [word for word in words if re.fullmatch(NUMBER, word)]
        yield " ".join(word for word in words if word not in numbers), numbers
    for grid in grids:
        for label, cells in zip(grid.labels, grid.cells, strict=False):
            yield label, [*cells]


def rows(answer: list[str], prompt: str, lines: list[tuple[str, list[str]]]) -> Iterator[str]:
    """A row beside the letter that the step asks for."""
    asked = {*re.findall(r"`(\w)`", prompt)}
    for label, numbers in lines:
        if asked & {*re.findall(r"\w", label)} and numbers[-len(answer) :] == answer:
            yield f"{label}: {' '.join(numbers)}"


def pairs(
    answer: list[str], prompt: str, lines: list[tuple[str, list[str]]], grids: list[Grid]
) -> Iterator[str]:
    """A number beside each letter, or word, that the step asks for a number of."""
    known = {name: number for number, name in _beside(lines, grids)}
    for words in re.findall(r"`([a-z ]+)`", prompt):
        asked = words.split() if " " in words else [*words]
        if [known.get(one) for one in asked] == answer:
            yield f"a number beside each of {words}"
        counted = {known.get(one) for one in asked} - {None}
        if " " in words and len({*asked} & {*known}) == len({*asked}) and counted <= {*answer}:
            yield f"a count beside each of {words}"


def _beside(lines: list[tuple[str, list[str]]], grids: list[Grid]) -> Iterator[tuple[str, str]]:
    for label, _ in lines:
        if match := re.fullmatch(r"(?:id )?(\d+)\W+(\w+)", label):
            yield match[1], match[2]
    for grid in grids:
        if len(grid.cells) == 1:
            heads = zip(grid.heads, grid.cells[0], strict=False)
            yield from ((cell, head) for head, cell in heads if re.fullmatch(r"\d+", cell))
