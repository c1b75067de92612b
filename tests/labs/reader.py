"""A simulated student, for the tests of the labs, who knows only what a page shows.

Each step has a function from its prompt, and notes on the steps before, to the right answer and the
answers of typical mistakes, each under words that the feedback must have. It uses plain Python and
numpy, and nothing of `embviz`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

Notes = dict[str, Any]
# The right answer, and wrong ones by words of their feedback; numbers or texts.
Found = tuple[Any, dict[str, Any]]


def typed(answer: Any) -> str:
    """An answer as one types it."""
    if isinstance(answer, str):
        return answer
    numbers = answer if isinstance(answer, Sequence | np.ndarray) else [answer]
    return " ".join(f"{number:.10g}" for number in numbers)


def quoted(prompt: str) -> list[str]:
    """Everything between backquotes, without the tables."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", prompt, flags=re.S))


def table_of(prompt: str) -> list[list[str]]:
    """The table: lines of words."""
    found = re.findall(r"```\n(.*?)\n?```", prompt, flags=re.S)
    return [line.split() for line in found[0].splitlines()]


def labelled(lines: list[list[str]]) -> tuple[list[str], np.ndarray[Any, Any]]:
    """A table whose lines begin with a letter: the letters and the numbers."""
    return [line[0] for line in lines], np.array([line[1:] for line in lines], dtype=float)


def number(prompt: str, before: str = "", after: str = "") -> int:
    """The whole number between these words."""
    match = re.search(rf"{before}\**([\d,]*\d)\**{after}", prompt)
    assert match is not None, (before, after, prompt)
    return int(match[1].replace(",", ""))


def _row_ids(prompt: str, notes: Notes) -> Found:
    chars, text = quoted(prompt)
    notes |= {"chars": chars, "text": text}
    ids = [chars.index(letter) for letter in text]
    return ids, {
        "counted from 1": [one + 1 for one in ids],
        "A text keeps its order": sorted(ids),
        "wrote each letter once": list(dict.fromkeys(ids)),
    }


def _row_lookup(prompt: str, notes: Notes) -> Found:
    table = notes["table"] = np.array(table_of(prompt), dtype=np.float32)
    chars, letter = quoted(prompt)
    place = chars.index(letter)
    return table[place], {
        "the row below": np.roll(table, -1, 0)[place],
        "the row above": table[place - 1],
        "down a column": table[:3, place % 3],
    }


def _row_shape(prompt: str, notes: Notes) -> Found:
    tokens = len(quoted(prompt)[1])
    rows, columns = number(prompt, after=" rows"), number(prompt, after=" columns")
    return f"(1, {tokens}, {columns})", {
        "as wide as the table has rows": f"(1, {tokens}, {rows})",
        "the shape of the whole table": f"(1, {rows}, {columns})",
        "the transposed output": f"(1, {columns}, {tokens})",
    }


def _row_zeros(prompt: str, notes: Notes) -> Found:
    tokens, rows = len(quoted(prompt)[0]), number(prompt, "here ")
    return tokens * (rows - 1), {
        "how many ones there are": tokens,
        "with the ones": tokens * rows,
        "one-hot rows as columns": rows * (tokens - 1),
        "zeros in one row": rows - 1,
    }


def _row_product(prompt: str, notes: Notes) -> Found:
    _, beside = labelled(table_of(prompt)[1:])
    hot, table = beside[:, 0], beside[:, 1:]
    return hot @ table, {
        "added all rows": table.sum(0),
        "one place too far": np.roll(hot, 1) @ table,
        "Not everything is 0": [0, 0, 0],
    }


def _row_waste(prompt: str, notes: Notes) -> Found:
    tokens = len(quoted(prompt)[0])
    rows, columns = number(prompt, "table of ", " rows"), number(prompt, "and ", " columns")
    # Every factor is counted, one by one.
    hot = np.eye(rows)[[notes["chars"].index(letter) for letter in notes["text"]]]
    zeros = sum(factor == 0 for line in hot for factor in line for _ in range(columns))
    return int(zeros), {
        "all the multiplications": tokens * rows * columns,
        "the multiplications by 1": tokens * columns,
        "counted each zero once": tokens * (rows - 1),
        "for a single letter": columns * (rows - 1),
    }


def _row_linear(prompt: str, notes: Notes) -> Found:
    row, column = map(int, re.findall(r"linear\.weight\[(\d), (\d)\]", prompt)[0])
    _, table = labelled(table_of(prompt))
    return table.T[row, column], {"forgot the transpose": table[row, column]}


def _row_bits(prompt: str, notes: Notes) -> Found:
    ids = [notes["chars"].index(letter) for letter in notes["text"]]
    hot = np.eye(len(notes["chars"]), dtype=np.float32)[ids]
    assert {*notes["table"].flatten()} <= {*range(1, 10)}, "as the prompt says"
    assert "from 1 to 9" in prompt
    same = (hot @ notes["table"]).tobytes() == notes["table"][ids].tobytes()
    return "yes, bit for bit" if same else "no", {
        "what rounding does to sums": "almost: they differ after 6 digits",
        "the product that you made by hand": "no",
    }


def counted(prompt: str, words: Sequence[str]) -> np.ndarray[Any, Any]:
    """How often each word comes in the sentence of a prompt."""
    sentence = next(one for one in quoted(prompt) if " " in one).split()
    return np.array([sentence.count(word) for word in words], dtype=float)


def _bag_count(prompt: str, notes: Notes) -> Found:
    words = [word for word, _ in re.findall(r"`(\w+)` = (\d)", prompt)]
    counts = notes["counts"] = counted(prompt, words)
    return counts, {
        "wrote 1 for every word": (counts > 0) * 1.0,
        "one column too far": np.roll(counts, 1),
    }


def _bag_plain(prompt: str, notes: Notes) -> Found:
    same, other = "the same numbers as the Linear layer", "other numbers, in whatever order"
    return same if (notes["counts"] <= 1).all() else other, {
        "if every word came once": same,
        "Nothing is wrong for PyTorch": "an error",
        "the same in every order": "other numbers that depend on the order",
    }


def _bag_total(prompt: str, notes: Notes) -> Found:
    words, *lines = table_of(prompt)
    weight = np.array([line[2:] for line in lines], dtype=float)
    counts = counted(prompt, words)
    kept = weight.T[counts != 0]
    return weight @ counts, {
        "forgot the counts": kept.sum(0),
        "one word only": kept[0],
        "forgot the transpose": counts @ weight.reshape(-1, 2),
        "the mean over the words": weight @ counts / counts.sum(),
    }


def _bag_rows(prompt: str, notes: Notes) -> Found:
    columns = number(prompt, r"`\(2, ")
    return number(prompt, r"shape `\("), {
        "nobody transposed": columns,
        "how many numbers there are": 2 * columns,
    }


def _bag_freeze(prompt: str, notes: Notes) -> Found:
    return "it stays as it is", {
        "with freeze=False": "it changes, as the Linear layer's does",
        "here another layer does": "an error",
    }


def _learns_touched(prompt: str, notes: Notes) -> Found:
    letters, _ = labelled(table_of(prompt))
    ids = sorted({letters.index(letter) for letter in quoted(prompt)[1]})
    return ids, {
        "nobody looked up": sorted({*range(6)} - {*ids}),
        "all the rows": range(6),
        "counted from 1": [one + 1 for one in ids],
    }


def _learns_twice(prompt: str, notes: Notes) -> Found:
    letters, table = labelled(table_of(prompt))
    row = table[letters.index(re.findall(r"`(\w)` stands in the text", prompt)[0])]
    numbers = number(prompt, "= ", " numbers")
    return 2 * 2 * row / numbers, {
        "counted it once": 2 * row / numbers,
        "forgot the mean": 4 * row,
        "divided by the 4 letters": 4 * row / 4,
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


def _learns_unseen(prompt: str, notes: Notes) -> Found:
    rules = ["SGD", "Adam", "SGD with weight decay"]
    (moving,) = [rule for rule in rules if moved(rule) > 0]
    return moving, {
        "SGD moves by lr": "SGD",
        "this row never had one": "Adam",
        "changes every weight": "none of them",
    }


def _learns_afterwards(prompt: str, notes: Notes) -> Found:
    return "Adam only", {
        "has a memory": "none of the two",
        "SGD forgets at once": "SGD only",
        "SGD does not": "both",
    }


def _learns_routes(prompt: str, notes: Notes) -> Found:
    return "0 to 0.0001", {
        "another way of learning": "0.0001 to 0.1",
        "learn different things": "0.1 to 100",
    }


def _cost_ids(prompt: str, notes: Notes) -> Found:
    rows = number(prompt, after=" rows")
    size = number(prompt, "`float32` numbers of ", " bytes")
    return rows * size / number(prompt, ": ", " bytes"), {
        "compares how many numbers": rows,
        "the wrong way round": 2 * rows,
        "Divide by the bytes of the id": 4 * rows,
    }


def _cost_twice(prompt: str, notes: Notes) -> Found:
    before, after = number(prompt, "has ", " rows"), number(prompt, "rows: ")
    ids, columns = number(prompt, "look up "), number(prompt, "and ", " columns")
    read = [ids * columns for _ in (before, after)]
    times = [ids * rows * columns for rows in (before, after)]
    says = {1: "stays", 2: "doubles"}
    return f"the lookup {says[read[1] // read[0]]}, the product {says[times[1] // times[0]]}", {
        "rows that nobody asked for": "both double",
        "the wrong way round": "the lookup doubles, the product stays",
        "The one-hot rows get wider": "both stay",
    }


STEPS = {
    "row": [
        _row_ids,
        _row_lookup,
        _row_shape,
        _row_zeros,
        _row_product,
        _row_waste,
        _row_linear,
        _row_bits,
    ],
    "bag": [_bag_count, _bag_plain, _bag_total, _bag_rows, _bag_freeze],
    "learns": [_learns_touched, _learns_twice, _learns_unseen, _learns_afterwards, _learns_routes],
    "cost": [_cost_ids, _cost_twice],
}


def answers(lab: str, step: int, prompt: str, notes: Notes) -> tuple[str, dict[str, str]]:
    """The right answer to a step as typed, and typical mistakes by words of their feedback.

    Args:
        lab: its key.
        step: counted from 1.
        prompt: as the page shows it.
        notes: of the steps before, in the same lab; the step adds its own.
    """
    right, wrong = STEPS[lab][step - 1](prompt, notes)
    return typed(right), {words: typed(one) for words, one in wrong.items()}
