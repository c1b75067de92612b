"""A simulated student, for the tests of the labs, who knows only what a page shows.

A lab is a generator: it is sent the prompts in order, and yields to each the right answer, and the
answers of typical mistakes under words that their feedback must have. It uses plain Python and
numpy, and nothing of `embviz`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import median
from string import ascii_lowercase as ALPHABET
from typing import Any

import numpy as np

RECORDED = Path(__file__).parents[2] / "embviz/timing/tell/reference/cost.jsonl.gz"

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


def lists(prompt: str) -> list[Any]:
    """The lists of numbers in the lines of Python of a prompt."""
    (lines,) = re.findall(r"```python\n(.*?)\n```", prompt, flags=re.S)
    found = re.findall(r"\[[\[\]\d., ]*\]", lines.replace(".,", ",").replace(".]", "]"))
    return [json.loads(one) for one in found]


def recorded_times(rows: int, width: int, tokens: int) -> dict[str, float]:
    """The median seconds of each method in the recorded run, read from its file."""
    first, *lines = map(json.loads, gzip.decompress(RECORDED.read_bytes()).splitlines())
    sizes = {"num_embeddings": rows, "embedding_dim": width, "tokens": tokens}
    return {
        case["method"]: median(
            chain(*(one["wait"] for one in lines if one.get("case") == index and "wait" in one))
        )
        for index, case in enumerate(first["cases"])
        if sizes.items() <= case.items()
    }


def row() -> Mind:
    """The lab "One row of a table"."""
    chars, text = code((yield "", {}))
    ids = [chars.index(letter) for letter in text]
    prompt = yield (
        ids,
        {
            "counted from 1": [one + 1 for one in ids],
            "A text keeps its order": sorted(ids),
            "alphabet, counted from 0": [ALPHABET.index(letter) for letter in text],
            "alphabet, counted from 1": [ALPHABET.index(letter) + 1 for letter in text],
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
            "comes twice, but you counted it once": len({*text}) * (height - 1),
        },
    )
    beside = np.array(table(prompt)[1:], dtype=float)
    prompt = yield (
        beside[:, 0] @ beside[:, 1:],
        {
            "added all rows": beside[:, 1:].sum(0),
            "one place too far": np.roll(beside[:, 0], 1) @ beside[:, 1:],
            "one place too early": np.roll(beside[:, 0], -1) @ beside[:, 1:],
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
            "for a single letter. There": width * (height - 1),
            "for a single letter, with": width * height,
            "as many letters as the table has rows": height * height * width,
            "comes twice, but you counted it once": len({*text}) * width * (height - 1),
        },
    )
    line, column = map(int, re.findall(r"linear\.weight\[(\d), (\d)\]", prompt)[0])
    weight = np.array(table(prompt), dtype=float)
    prompt = yield (
        weight.T[line, column],
        {
            "forgot the transpose": weight[line, column],
            "You counted from 1. Both": weight.T[line - 1, column - 1],
        },
    )
    assert {*rows.flatten()} <= {*range(1, 10)}, "as the prompt says"
    assert "from 1 to 9" in prompt
    prompt = yield (
        "yes, bit for bit" if (hot @ rows).tobytes() == rows[ids].tobytes() else "no",
        {
            "what rounding does to sums": "almost: they differ after 6 digits",
            "the matmul that you made by hand": "no",
        },
    )
    small, ids = lists(prompt)
    yield (
        np.ravel([small[one] for one in ids]),
        {
            "counted the rows from 1": np.ravel([small[one - 1] for one in ids]),
            "in the order of the table": np.ravel([small[one] for one in sorted(ids)]),
            "column by column": [small[one][k] for k in range(2) for one in ids],
        },
    )


def bag() -> Mind:
    """The lab "A bag of words"."""

    def counted(words: Sequence[str]) -> np.ndarray[Any, Any]:
        sentence = next(one for one in code(prompt) if " " in one).split()
        return np.array([sentence.count(word) for word in words], dtype=float)

    def in_order(prompt: str) -> list[int]:
        sentence = next(one for one in code(prompt) if " " in one).split()
        found = [sentence.count(word) for word in dict.fromkeys(sentence)]
        return found + [0] * (5 - len(found))

    prompt = yield "", {}
    counts = counted([word for word, _ in re.findall(r"`(\w+)` = (\d)", prompt)])
    prompt = yield (
        counts,
        {
            "wrote 1 for every word": (counts > 0) * 1.0,
            "one column too far": np.roll(counts, 1),
            "in the order of the sentence": in_order(prompt),
        },
    )
    same, other = "the same numbers as the Linear layer", "other numbers, in any order"
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
            "each word of the sentence once": weight @ (counts != 0),
            "all columns once": weight.sum(1),
            "swapped the outputs": (weight @ counts)[::-1],
            "one word only": weight[:, counts != 0][:, 0],
            "forgot the transpose": counts @ weight.reshape(-1, 2),
            "the mean over the words": weight @ counts / counts.sum(),
        },
    )
    different = int((counts > 0).sum())
    height, width = numbers(r"shape `\(N, N\)", prompt)
    yield (
        height,
        {
            "nobody transposed": width,
            "how many numbers there are": height * width,
            "different words": different,
        },
    )
    prompt = yield (
        "it stays as it is",
        {
            "with freeze=False": "it changes, like the weight of a Linear layer",
            "here another layer does": "an error",
        },
    )
    small, (ids,) = lists(prompt)
    rows = np.array([small[one] for one in ids], dtype=float)
    yield (
        rows.sum(0),
        {
            "each id once": rows[:2].sum(0),
            "the mean of the rows": rows.mean(0),
            "the larger number": rows.max(0),
            "counted the rows from 1": sum(np.array(small[one - 1]) for one in ids),
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
            "the places in the text": range(len(code(prompt)[1])),
            "comes more than once": letters.index(code(prompt)[1][0]),
        },
    )
    letters, weight = labelled(table(prompt))
    row = weight[letters.index(re.findall(r"`(\w)` stands in the text", prompt)[0])]
    (count,) = numbers("= N numbers", prompt)
    place = code(prompt)[1].count(code(prompt)[2])
    assert (place, count) == (3, 10)
    yield (
        3 * 2 * row / count,
        {
            "counted it once. Its row": 2 * row / count,
            "counted two of its places": 2 * 2 * row / count,
            "forgot the 2: the derivative": 3 * row / count,
            "forgot the mean: the loss": 3 * 2 * row,
            "forgot the mean, and counted": 2 * row,
            "forgot the mean, and the 2": 3 * row,
            "divided by the 5 letters": 3 * 2 * row / 5,
            "once, and forgot the 2": row / count,
            "the row itself": row,
            "the other way": -3 * 2 * row / count,
        },
    )
    yield (
        "SGD with weight decay",
        {
            "SGD moves a row by": "SGD",
            "follows the gradients": "Adam",
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
    prompt = yield (
        "0 to 0.0001",
        {
            "another way of learning": "0.0001 to 0.1",
            "learn different things": "0.1 to 100",
        },
    )
    weights, ids = lists(prompt)
    times = [ids.count(place) for place in range(len(weights))]
    yield (
        times,
        {
            "comes twice, but you counted it once": [min(one, 1) for one in times],
            "the numbers that were added": np.array(times) * weights,
            "counted from 1": np.roll(times, -1),
            "1 for every number": [1] * len(weights),
        },
    )


def cost() -> Mind:
    """The lab "What does it cost?"."""
    prompt = yield "", {}
    (rows,) = numbers("the N rows", prompt)
    (size,), (id_size,) = numbers("numbers of N bytes", prompt), numbers(": N bytes", prompt)
    prompt = yield (
        rows * size / id_size,
        {
            "compares how many numbers": rows,
            "swapped the two types": 2 * rows,
            "Divide by the bytes of the id": 4 * rows,
            "forgot that each number": rows / id_size,
            "divided the rows by 4": rows / size,
        },
    )
    before, _, after, _ = numbers("N rows and N columns.*rows: N.*look up N", prompt)
    says = {1: "stays", 2: "doubles"}
    prompt = yield (  # a lookup reads N x D numbers, the product multiplies N x V x D times
        f"the lookup stays, the matmul {says[after // before]}",
        {
            "rows that nobody asked for": "both double",
            "swapped the two": "the lookup doubles, the matmul stays",
            "The one-hot rows get wider": "both stay",
        },
    )
    rows, width, tokens = numbers("table of N rows and N columns.*and N ids", prompt)
    times = recorded_times(rows, width, tokens)
    ratio = round(times["matmul"] / times["lookup"])
    yield (
        ratio,
        {
            "as long as the lookup": 1,
            "much too small": ratio // 700,
            "think of the zeros": ratio // 100,
            "a factor between 4 and 25": ratio // 10,
            "and so is the count": rows,
            "longer than even the count": 100 * ratio,
        },
    )


LABS = {"row": row, "bag": bag, "learns": learns, "cost": cost}
