"""A simulated student, for the tests of the labs, who knows only what a page shows.

A lab is a generator: it is sent the prompts in order, and yields to each the right answer, and the
answers of typical mistakes under words that their feedback must have. It uses plain Python and
numpy, and nothing of `embviz`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np

# The right answer, and wrong ones by words of their feedback; numbers or texts.
Mind = Generator[tuple[Any, dict[str, Any]], str, None]


class Student:
    """Somebody who goes through a lab from its first step."""

    def __init__(self, lab: str) -> None:
        self.mind = LABS[lab]()
        next(self.mind)

    def answers(self, prompt: str) -> tuple[str, dict[str, str]]:
        """What is typed: the right answer to the next step, and typical mistakes."""
        try:
            right, wrong = self.mind.send(prompt)
        except StopIteration:
            raise AssertionError(f"no student here can answer: {prompt}") from None
        return typed(right), {words: typed(one) for words, one in wrong.items()}


def typed(answer: Any) -> str:
    """An answer as one types it."""
    if isinstance(answer, str):
        return answer
    numbers = answer if isinstance(answer, Sequence | np.ndarray) else [answer]
    return " ".join(f"{number:.10g}" for number in numbers)


def code(prompt: str) -> list[str]:
    """Everything between backquotes, without the tables."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", prompt, flags=re.S))


def table(prompt: str) -> list[list[str]]:
    """The table: lines of words."""
    (found,) = re.findall(r"```\n(.*?)\n?```", prompt, flags=re.S)
    return [line.split() for line in found.splitlines()]


def labelled(lines: list[list[str]]) -> tuple[list[str], np.ndarray[Any, Any]]:
    """A table whose lines begin with a letter: the letters and the numbers."""
    return [line[0] for line in lines], np.array([line[1:] for line in lines], dtype=float)


def numbers(pattern: str, prompt: str) -> Iterator[int]:
    """Whole numbers, each where the pattern has N."""
    match = re.search(pattern.replace("N", r"\**(\d[\d,]*)\**"), prompt)
    assert match is not None, (pattern, prompt)
    return (int(one.replace(",", "")) for one in match.groups())


def row() -> Mind:
    """The lab "One row of a table"."""
    chars, text = code((yield "", {}))
    ids = [chars.index(letter) for letter in text]
    prompt = yield (
        ids,
        {
            "counted from 1": [one + 1 for one in ids],
            "A text keeps its order": sorted(ids),
            "wrote each letter once": list(dict.fromkeys(ids)),
        },
    )
    rows = np.array(table(prompt), dtype=np.float32)
    place = code(prompt)[0].index(code(prompt)[1])
    prompt = yield (
        rows[place],
        {
            "the row below": np.roll(rows, -1, 0)[place],
            "the row above": rows[place - 1],
            "down a column": rows[:3, place % 3],
        },
    )
    tokens = len(code(prompt)[1])
    (height,), (width,) = numbers("N rows", prompt), numbers("N columns", prompt)
    prompt = yield (
        f"(1, {tokens}, {width})",
        {
            "as wide as the table has rows": f"(1, {tokens}, {height})",
            "the shape of the whole table": f"(1, {height}, {width})",
            "the transposed output": f"(1, {width}, {tokens})",
        },
    )
    (height,) = numbers("here N", prompt)
    prompt = yield (
        tokens * (height - 1),
        {
            "how many ones there are": tokens,
            "with the ones": tokens * height,
            "one-hot rows as columns": height * (tokens - 1),
            "zeros in one row": height - 1,
        },
    )
    _, beside = labelled(table(prompt)[1:])
    prompt = yield (
        beside[:, 0] @ beside[:, 1:],
        {
            "added all rows": beside[:, 1:].sum(0),
            "one place too far": np.roll(beside[:, 0], 1) @ beside[:, 1:],
            "Not everything is 0": [0, 0, 0],
        },
    )
    height, width = numbers("table of N rows and N columns", prompt)
    hot = np.eye(len(chars), dtype=np.float32)[ids]
    prompt = yield (
        sum(factor == 0 for line in hot for factor in line for _ in range(width)),
        {
            "all the multiplications": tokens * height * width,
            "the multiplications by 1": tokens * width,
            "counted each zero once": tokens * (height - 1),
            "for a single letter": width * (height - 1),
        },
    )
    line, column = map(int, re.findall(r"linear\.weight\[(\d), (\d)\]", prompt)[0])
    _, weight = labelled(table(prompt))
    prompt = yield weight.T[line, column], {"forgot the transpose": weight[line, column]}
    assert {*rows.flatten()} <= {*range(1, 10)}, "as the prompt says"
    assert "from 1 to 9" in prompt
    yield (
        "yes, bit for bit" if (hot @ rows).tobytes() == rows[ids].tobytes() else "no",
        {
            "what rounding does to sums": "almost: they differ after 6 digits",
            "the matmul that you made by hand": "no",
        },
    )


def bag() -> Mind:
    """The lab "A bag of words"."""

    def counted(words: Sequence[str]) -> np.ndarray[Any, Any]:
        sentence = next(one for one in code(prompt) if " " in one).split()
        return np.array([sentence.count(word) for word in words], dtype=float)

    prompt = yield "", {}
    counts = counted([word for word, _ in re.findall(r"`(\w+)` = (\d)", prompt)])
    prompt = yield (
        counts,
        {
            "wrote 1 for every word": (counts > 0) * 1.0,
            "one column too far": np.roll(counts, 1),
        },
    )
    same, other = "the same numbers as the Linear layer", "other numbers, in whatever order"
    prompt = yield (
        same if (counts <= 1).all() else other,
        {
            "if every word came once": same,
            "Nothing is wrong for PyTorch": "an error",
            "the same in every order": "other numbers that depend on the order",
        },
    )
    words, *lines = table(prompt)
    weight = np.array([line[2:] for line in lines], dtype=float)
    counts = counted(words)
    prompt = yield (
        weight @ counts,
        {
            "forgot the counts": weight @ (counts != 0),
            "one word only": weight[:, counts != 0][:, 0],
            "forgot the transpose": counts @ weight.reshape(-1, 2),
            "the mean over the words": weight @ counts / counts.sum(),
        },
    )
    height, width = numbers(r"shape `\(N, N\)", prompt)
    yield (
        height,
        {"nobody transposed": width, "how many numbers there are": height * width},
    )
    yield (
        "it stays as it is",
        {
            "with freeze=False": "it changes, as the Linear layer's does",
            "here another layer does": "an error",
        },
    )


def learns() -> Mind:
    """The lab "It learns"."""
    prompt = yield "", {}
    letters, weight = labelled(table(prompt))
    ids = sorted({letters.index(letter) for letter in code(prompt)[1]})
    prompt = yield (
        ids,
        {
            "nobody looked up": sorted({*range(6)} - {*ids}),
            "all the rows": range(6),
            "counted from 1": [one + 1 for one in ids],
        },
    )
    letters, weight = labelled(table(prompt))
    twice = weight[letters.index(re.findall(r"`(\w)` stands in the text", prompt)[0])]
    (count,) = numbers("= N numbers", prompt)
    yield (
        4 * twice / count,
        {
            "counted it once": 2 * twice / count,
            "forgot the mean": 4 * twice,
            "divided by the 4 letters": 4 * twice / 4,
        },
    )
    yield (
        "SGD with weight decay",
        {
            "SGD moves by lr": "SGD",
            "this row never had one": "Adam",
            "changes every weight": "none of them",
        },
    )
    yield (
        "Adam only",
        {
            "has a memory": "none of the two",
            "SGD forgets at once": "SGD only",
            "SGD does not": "both",
        },
    )
    yield (
        "0 to 0.0001",
        {
            "another way of learning": "0.0001 to 0.1",
            "learn different things": "0.1 to 100",
        },
    )


def cost() -> Mind:
    """The lab "What does it cost?", without what is measured."""
    prompt = yield "", {}
    (rows,) = numbers("the N rows", prompt)
    (size,), (id_size,) = numbers("numbers of N bytes", prompt), numbers(": N bytes", prompt)
    prompt = yield (
        rows * size / id_size,
        {
            "compares how many numbers": rows,
            "the wrong way round": 2 * rows,
            "Divide by the bytes of the id": 4 * rows,
        },
    )
    before, _, after, _ = numbers("N rows and N columns.*rows: N.*look up N", prompt)
    says = {1: "stays", 2: "doubles"}
    yield (  # a lookup reads N x D numbers, the product multiplies N x V x D times
        f"the lookup stays, the matmul {says[after // before]}",
        {
            "rows that nobody asked for": "both double",
            "the wrong way round": "the lookup doubles, the matmul stays",
            "The one-hot rows get wider": "both stay",
        },
    )


LABS = {"row": row, "bag": bag, "learns": learns, "cost": cost}
