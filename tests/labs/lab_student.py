"""A simulated student, for the tests of the labs, who knows only what a page shows.

Each step has a function from its prompt and the notes so far to the right answer and the answers
of typical mistakes, each under words that the feedback must have. It uses plain Python and numpy
and nothing of `embviz`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Notes = dict[str, Any]
# The right answer, and wrong ones by words of their feedback; numbers or texts.
Answers = tuple[Any, dict[str, Any]]
STEPS = {
    "row": ["shape", "ids", "lookup", "zeros", "product", "waste", "linear", "bits"],
    "bag": ["count", "sparse", "plain", "sum", "mean", "rows", "column", "freeze"],
    "learns": ["touched", "once", "twice", "sgd", "unseen", "afterwards", "adam", "routes"],
    "cost": ["table", "one-hot", "ids", "work", "twice", "sweep", "compare", "crossing"],
}


def typed(answer: Any) -> str:
    """An answer as one types it."""
    if isinstance(answer, str):
        return answer
    numbers = answer if isinstance(answer, Sequence | np.ndarray) else [answer]
    return " ".join(f"{number:.10g}" for number in numbers)


def quoted(prompt: str) -> list[str]:
    """Everything between backquotes, without the tables."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", prompt, flags=re.S))


def blocks(prompt: str) -> list[list[list[str]]]:
    """The tables: lines of words."""
    found = re.findall(r"```\n(.*?)\n?```", prompt, flags=re.S)
    return [[line.split() for line in one.splitlines()] for one in found]


def labelled(block: list[list[str]]) -> tuple[list[str], np.ndarray[Any, Any]]:
    """A table whose lines begin with a letter: the letters and the numbers."""
    return [line[0] for line in block], np.array([line[1:] for line in block], dtype=float)


def found(pattern: str, prompt: str) -> tuple[str, ...]:
    """The groups of a pattern in a prompt."""
    match = re.search(pattern, prompt)
    assert match is not None, (pattern, prompt)
    return match.groups()


def integer(prompt: str, before: str = "", after: str = "") -> int:
    """The whole number between these words."""
    return int(found(rf"{before}\**([\d,]+)\**{after}", prompt)[0].replace(",", ""))


# One row of a table


def _row_shape(prompt: str, notes: Notes) -> Answers:
    notes["chars"], notes["text"], ids = quoted(prompt)
    tokens = len(notes["text"])
    rows, columns = integer(prompt, after=" rows"), integer(prompt, after=" columns")
    assert ids == f"(1, {tokens})"
    return f"(1, {tokens}, {columns})", {
        "as wide as the table has rows": f"(1, {tokens}, {rows})",
        "the shape of the whole table": f"(1, {rows}, {columns})",
        "the transposed output": f"(1, {columns}, {tokens})",
    }


def _row_ids(prompt: str, notes: Notes) -> Answers:
    chars, text = quoted(prompt)
    ids = [chars.index(letter) for letter in text]
    return ids, {
        "counted from 1": [one + 1 for one in ids],
        "A text keeps its order": sorted(ids),
        "wrote each letter once": list(dict.fromkeys(ids)),
    }


def _row_lookup(prompt: str, notes: Notes) -> Answers:
    table = notes["table"] = np.array(blocks(prompt)[0], dtype=np.float32)
    chars, letter = quoted(prompt)
    place = chars.index(letter)
    return table[place], {
        "the row below": np.roll(table, -1, 0)[place],
        "the row above": table[place - 1],
        "down a column": table[:3, place % 3],
    }


def _row_zeros(prompt: str, notes: Notes) -> Answers:
    tokens, rows = len(quoted(prompt)[0]), integer(prompt, "here ")
    return tokens * (rows - 1), {
        "how many ones there are": tokens,
        "with the ones": tokens * rows,
        "one-hot rows as columns": rows * (tokens - 1),
        "zeros in one row": rows - 1,
    }


def _row_product(prompt: str, notes: Notes) -> Answers:
    _, beside = labelled(blocks(prompt)[0][1:])
    hot, table = beside[:, 0], beside[:, 1:]
    return (hot[:, None] * table).sum(0), {
        "added all rows": table.sum(0),
        "one place too far": np.roll(hot, 1) @ table,
        "Not everything is 0": [0, 0, 0],
    }


def _row_waste(prompt: str, notes: Notes) -> Answers:
    tokens = len(quoted(prompt)[0])
    rows, columns = integer(prompt, "of ", " rows"), integer(prompt, "and ", " columns")
    return tokens * columns * (rows - 1), {
        "all the multiplications": tokens * rows * columns,
        "the multiplications by 1": tokens * columns,
        "counted each zero once": tokens * (rows - 1),
        "for a single letter": columns * (rows - 1),
    }


def _row_linear(prompt: str, notes: Notes) -> Answers:
    row, column = map(int, found(r"linear\.weight\[(\d), (\d)\]", prompt))
    _, table = labelled(blocks(prompt)[0])
    return table.T[row, column], {"forgot the transpose": table[row, column]}


def _row_bits(prompt: str, notes: Notes) -> Answers:
    ids = [notes["chars"].index(letter) for letter in notes["text"]]
    hot = np.eye(len(notes["chars"]), dtype=np.float32)[ids]
    same = (hot @ notes["table"]).tobytes() == notes["table"][ids].tobytes()
    return "yes, bit for bit" if same else "no", {
        "what rounding does to sums": "almost: they differ after 6 digits",
        "the product that you made by hand": "no",
    }


# A bag of words


def counted(prompt: str, words: Sequence[str]) -> np.ndarray[Any, Any]:
    """How often each word comes in the sentence of a prompt."""
    sentence = next(one for one in quoted(prompt) if " " in one).split()
    return np.array([sentence.count(word) for word in words], dtype=float)


def _bag_count(prompt: str, notes: Notes) -> Answers:
    words = [word for word, _ in re.findall(r"`(\w+)` = (\d)", prompt)]
    counts = notes["counts"] = counted(prompt, words)
    return counts, {
        "wrote 1 for every word": (counts > 0) * 1.0,
        "one column too far": np.roll(counts, 1),
    }


def _bag_sparse(prompt: str, notes: Notes) -> Answers:
    counts, _ = _bag_count(prompt, notes)
    indices, data = counts.nonzero()[0], counts[counts != 0]
    return [*indices, *data], {
        "counted from 1": [*indices + 1, *data],
        "the counts, not just ones": [*indices, 1, 1, 1],
        "wrote data first": [*data, *indices],
    }


def _bag_plain(prompt: str, notes: Notes) -> Answers:
    alike = "the same as the Linear layer gives"
    return alike if (notes["counts"] <= 1).all() else "something else", {
        "Look at data again": alike,
        "Nothing is wrong for PyTorch": "an error",
    }


def linear_weight(prompt: str) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The words above the weight, and its numbers."""
    heads, *lines = blocks(prompt)[0]
    return heads, np.array([line[2:] for line in lines], dtype=float)


def _bag_sum(prompt: str, notes: Notes) -> Answers:
    words, weight = linear_weight(prompt)
    counts = counted(prompt, words)
    kept, weighted = weight.T[counts != 0], (weight * counts).T[counts != 0]
    return (weight * counts).sum(1), {
        "forgot the counts": kept.sum(0),
        "forgot to add up, sum(0)": kept[0],
        "along the wrong side": weighted.sum(1),
        "forgot the transpose": counts @ weight.reshape(-1, 3),
        "the mean over the words": weighted.sum(0) / counts.sum(),
    }


def _bag_mean(prompt: str, notes: Notes) -> Answers:
    (_, rows), counts = labelled(blocks(prompt)[0]), notes["counts"]
    first = rows[:, 0]
    return round(first.mean(), 2), {
        "the sum, not the mean": first.sum(),
        "weighted each row by its count": first @ counts[counts != 0] / counts.sum(),
        "the mean of the first row": rows[0].mean(),
        "divided by all 5 words": first.sum() / 5,
    }


def _bag_rows(prompt: str, notes: Notes) -> Answers:
    columns = integer(prompt, r"`\(3, ")
    return integer(prompt, r"shape `\("), {
        "nobody transposed": columns,
        "how many numbers there are": 3 * columns,
    }


def _bag_column(prompt: str, notes: Notes) -> Answers:
    words, weight = linear_weight(prompt)
    place = words.index(quoted(prompt)[-1])
    assert place == integer(prompt, "id ")
    return weight[:, place], {
        "forgot the transpose": weight[place, :3],
        "the next word's column": weight[:, place + 1],
    }


# It learns


def learning(prompt: str, notes: Notes) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The letters and their table; notes over how many numbers the mean is."""
    notes["numbers"] = integer(prompt, "= ", " numbers")
    return labelled(blocks(prompt)[0])


def _learns_touched(prompt: str, notes: Notes) -> Answers:
    letters, _ = learning(prompt, notes)
    ids = sorted({letters.index(letter) for letter in quoted(prompt)[1]})
    return ids, {
        "nobody looked up": sorted({*range(6)} - {*ids}),
        "all the rows": range(6),
        "counted from 1": [one + 1 for one in ids],
    }


def asked(prompt: str, notes: Notes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The row of the letter in question, and the next row."""
    letters, table = learning(prompt, notes)
    place = letters.index(found(r"`(\w)` stands in the text", prompt)[0])
    return table[place], np.roll(table, -1, 0)[place]


def _learns_once(prompt: str, notes: Notes) -> Answers:
    row, following = asked(prompt, notes)
    return 2 * row / notes["numbers"], {
        "forgot the mean": 2 * row,
        "divided by the 4 letters": 2 * row / 4,
        "forgot the 2": row / 8,
        "the next letter's row": 2 * following / 8,
    }


def _learns_twice(prompt: str, notes: Notes) -> Answers:
    row, _ = asked(prompt, notes)
    once = 2 * row / notes["numbers"]
    return once + once, {"counted it once": 2 * row / 8, "forgot the mean": 4 * row}


def shown_row(prompt: str) -> np.ndarray[Any, Any]:
    """The row in the prompt's sentence."""
    return np.array(quoted(prompt)[1].strip("[]").split(", "), dtype=float)


def _learns_sgd(prompt: str, notes: Notes) -> Answers:
    row = shown_row(prompt)
    lr = notes["sgd"] = float(found(r"rate of ([\d.]+):", prompt)[0])
    gradient = 4 * row / notes["numbers"]
    return row - lr * gradient, {
        "went uphill": row + lr * gradient,
        "forgot the learning rate": row - gradient,
        "only by how much it moves": lr * gradient,
    }


def moved(rule: str) -> float:
    """How far a weight of 3 moves in three steps without a gradient, by a rule."""
    weight, mean, square = 3.0, 0.0, 0.0
    for _ in range(3):
        gradient = 0.01 * weight if rule == "SGD with weight decay" else 0.0
        if rule == "Adam":
            mean, square = 0.9 * mean, 0.999 * square
            weight -= 0.01 * mean / (math.sqrt(square) + 1e-8)
        else:
            weight -= 0.5 * gradient
    return abs(weight - 3)


def _learns_unseen(prompt: str, notes: Notes) -> Answers:
    moving = [rule for rule in ("SGD", "Adam", "SGD with weight decay") if moved(rule) > 0]
    return moving[0] if moving else "none of them", {
        "SGD moves by lr": "SGD",
        "this row never had one": "Adam",
        "changes every weight": "none of them",
    }


def _learns_adam(prompt: str, notes: Notes) -> Answers:
    gradient = 2 * shown_row(prompt)[0] / notes["numbers"]
    lr = float(found(r"rate is ([\d.]+)\.\s", prompt)[0])
    return lr, {
        "what SGD would do": gradient * lr,
        "the gradient itself": gradient,
        "SGD's learning rate": notes["sgd"],
    }


# What does it cost?


def _cost_table(prompt: str, notes: Notes) -> Answers:
    rows, columns = integer(prompt, after=" rows"), integer(prompt, after=" columns")
    notes["columns"], numbers = columns, rows * columns
    size = integer(prompt, "has ", " bits") // 8
    return numbers * size, {
        "Those are bits": 8 * numbers * size,
        "as in float64": 2 * numbers * size,
        "How many bytes does one": numbers,
        "That is one column": 4 * rows,
    }


def _cost_one_hot(prompt: str, notes: Notes) -> Answers:
    tokens, rows = integer(prompt, after=" ids"), integer(prompt, "table of ", " rows")
    return tokens * rows * 4, {
        "Those are bits": 32 * tokens * rows,
        "8 bytes for each number": 8 * tokens * rows,
        "not yet bytes": tokens * rows,
        "one-hot rows as columns": 4 * tokens * notes["columns"],
    }


def _cost_ids(prompt: str, notes: Notes) -> Answers:
    tokens, rows = integer(prompt, "the ", " ids"), integer(prompt, "and ", " wide")
    times = (tokens * rows * 4) / (tokens * (integer(prompt, ": ", " bits") // 8))
    return times, {
        "compares how many numbers": rows,
        "the wrong way round": 2 * rows,
        "Divide by the bytes of the ids": 4 * tokens * rows,
        "by the bits of an id": times / 8,
    }


def _cost_work(prompt: str, notes: Notes) -> Answers:
    tokens, rows, columns = (integer(prompt, f"{name} = ") for name in "NVD")
    return tokens * (rows - 1) * columns, {
        "with the ones by 1": tokens * rows * columns,
        "not by zero": tokens * columns,
        "the zeros once": tokens * (rows - 1),
        "one-hot rows as columns": (tokens - 1) * rows * columns,
    }


def _cost_twice(prompt: str, notes: Notes) -> Answers:
    words = ("look up ", "the rows: ", "instead of ")
    ids, after, before = (integer(prompt, one) for one in words)
    read = [ids * notes["columns"] for _ in (before, after)]
    times = [ids * rows * notes["columns"] for rows in (before, after)]
    says = {1: "stays", 2: "doubles"}
    return f"the lookup {says[read[1] // read[0]]}, the product {says[times[1] // times[0]]}", {
        "rows that nobody asked for": "both double",
        "the wrong way round": "the lookup doubles, the product stays",
        "The one-hot rows get wider": "both stay",
    }


WORK: dict[str, Callable[[str, Notes], Answers]] = {
    name[1:].replace("_", " ", 1).replace("_", "-"): work
    for name, work in list(globals().items())
    if name[1:].partition("_")[0] in STEPS
}
# Steps that need no reading. A sweep's numbers are as read off its chart.
FIXED: dict[str, Answers] = {
    "bag freeze": (
        "it stays as it is",
        {
            "with freeze=False": "it changes, as the Linear layer's does",
            "here another layer does": "an error",
        },
    ),
    "learns afterwards": (
        "Adam only",
        {
            "has a memory": "none of the two",
            "SGD forgets at once": "SGD only",
            "SGD does not": "both",
        },
    ),
    "learns routes": (
        "at most 0.00001",
        {"another way of learning": "about 0.01", "learn different things": "more than 1"},
    ),
    "cost sweep": (
        "12.5 250 20",
        {
            "Turn it round": "12.5 250 0.05",
            "Divide instead": "12.5 250 237.5",
            "one of the times in milliseconds": "12.5 0.25 20",
            "A time is more than 0": "0 250 20",
            "That is not it yet": "12.5 250 40",
        },
    ),
    "cost compare": (
        "20 819.2",
        {
            "the wrong way round": "20 0.001220703125",
            "That is the difference": "20 16364",
            "Both numbers are more than 0": "-20 -819.2",
            "That is not it yet": "20 100",
        },
    ),
    "cost crossing": (
        "8",
        {"The sweep has the sizes 2, 4, 8": "100", "sweep has the sizes 2, 4, 8": "8,192"},
    ),
}


def answers(name: str, prompt: str, notes: Notes) -> tuple[str, dict[str, str]]:
    """The right answer to a step as typed, and typical mistakes by words of their feedback.

    Args:
        name: like "row shape".
        prompt: as the page shows it.
        notes: of the steps before, in the same lab; the step adds its own.
    """
    right, wrong = FIXED[name] if name in FIXED else WORK[name](prompt, notes)
    return typed(right), {words: typed(one) for words, one in wrong.items()}


def right_answer(name: str, prompt: str, notes: Notes) -> str:
    """The right answer alone."""
    return answers(name, prompt, notes)[0]
