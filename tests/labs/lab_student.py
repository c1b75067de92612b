"""A simulated student, for the tests of the labs, who knows only what a page shows.

Each step has a function from its prompt and the notes so far to the typed answer. A list of
typical mistakes has words that their feedback must have. It uses plain Python and numpy and
nothing of `embviz`.
"""

from __future__ import annotations

import math
import re
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

Notes = dict[str, Any]
Work = Callable[[str, Notes], str]
STEPS = {
    "row": ["shape", "ids", "lookup", "zeros", "product", "waste", "linear", "bits", "why"],
    "bag": ["count", "sparse", "plain", "sum", "mean", "rows", "column", "freeze", "why"],
    "learns": ["touched", "once", "twice", "sgd", "unseen", "afterwards", "adam", "routes", "why"],
    "cost": ["table", "one-hot", "ids", "work", "twice", "sweep", "compare", "crossing", "why"],
}
# Numbers as read off the chart of a sweep, for tests that run none.
MEASURED = {"sweep": "12.5 250 20", "compare": "20 819.2", "crossing": "8"}


def typed(*numbers: float) -> str:
    """Numbers as one types them."""
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


def whole(prompt: str, before: str = "", after: str = "") -> int:
    """The whole number between these words."""
    found = re.search(rf"{before}\**([\d,]+)\**{after}", prompt)
    assert found is not None, (before, after, prompt)
    return int(found[1].replace(",", ""))


# One row of a table


def _shapes(prompt: str, notes: Notes) -> tuple[int, int, int]:
    notes["chars"], notes["text"] = quoted(prompt)
    return len(notes["text"]), whole(prompt, after=" rows"), whole(prompt, after=" columns")


def _ids(prompt: str) -> list[int]:
    chars, text = quoted(prompt)
    return [chars.index(letter) for letter in text]


def _lookup(prompt: str, notes: Notes) -> tuple[np.ndarray[Any, Any], int]:
    notes["table"] = np.array(blocks(prompt)[0], dtype=np.float32)
    chars, letter = quoted(prompt)
    return notes["table"], chars.index(letter)


def _width(prompt: str) -> tuple[int, int]:
    return len(quoted(prompt)[0]), whole(prompt, before="here ")


def _product(prompt: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    hot, table = blocks(prompt)
    return np.array(hot[1][1:], dtype=float), labelled(table)[1]


def _sizes(prompt: str) -> tuple[int, int, int]:
    size = len(quoted(prompt)[0])
    return size, whole(prompt, "of ", " rows"), whole(prompt, "and ", " columns")


def _cell(prompt: str) -> tuple[np.ndarray[Any, Any], int, int]:
    found = re.search(r"linear\.weight\[(\d), (\d)\]", prompt)
    assert found is not None
    return labelled(blocks(prompt)[0])[1], int(found[1]), int(found[2])


def _row_bits(prompt: str, notes: Notes) -> str:
    ids = [notes["chars"].index(letter) for letter in notes["text"]]
    hot = np.eye(len(notes["chars"]), dtype=np.float32)[ids]
    same = (hot @ notes["table"]).tobytes() == notes["table"][ids].tobytes()
    return "yes, bit for bit" if same else "no"


def _pair(prompt: str, notes: Notes, first: int, second: int) -> str:
    """Two of: tokens, rows, columns."""
    sizes = _shapes(prompt, notes)
    return f"({sizes[first]}, {sizes[second]})"


def _row_shape(prompt: str, notes: Notes) -> str:
    return _pair(prompt, notes, 0, 2)


def _row_lookup(prompt: str, notes: Notes) -> str:
    table, place = _lookup(prompt, notes)
    return typed(*table[place])


def _row_product(prompt: str, notes: Notes) -> str:
    hot, table = _product(prompt)
    return typed(*(hot[:, None] * table).sum(0))


def _row_waste(prompt: str, notes: Notes) -> str:
    tokens, rows, columns = _sizes(prompt)
    return typed(tokens * columns * (rows - 1))


def _row_linear(prompt: str, notes: Notes) -> str:
    table, row, column = _cell(prompt)
    return typed(table.T[row, column])


# A bag of words


def _sentence(prompt: str) -> tuple[list[str], list[str]]:
    words = [word for word, _ in re.findall(r"`(\w+)` = (\d)", prompt)]
    sentence = next(one for one in quoted(prompt) if " " in one)
    return words, sentence.split()


def _counts(prompt: str, notes: Notes) -> np.ndarray[Any, Any]:
    words, sentence = _sentence(prompt)
    notes["counts"] = np.array([sentence.count(word) for word in words], dtype=float)
    return np.asarray(notes["counts"])


def _stored(prompt: str, notes: Notes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    counts = _counts(prompt, notes)
    return counts.nonzero()[0], counts[counts != 0]


def _weight(prompt: str) -> tuple[list[str], np.ndarray[Any, Any]]:
    heads, *lines = blocks(prompt)[0]
    return heads, np.array([line[2:] for line in lines], dtype=float)


def _sum(prompt: str, notes: Notes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    words, notes["weight"] = _weight(prompt)
    _, sentence = _sentence(prompt)
    return notes["weight"], np.array([sentence.count(word) for word in words], dtype=float)


def _bag_plain(prompt: str, notes: Notes) -> str:
    ones = (notes["counts"] <= 1).all()
    return "the same as the Linear layer gives" if ones else "something else"


def _bag_sum(prompt: str, notes: Notes) -> str:
    weight, counts = _sum(prompt, notes)
    return typed(*(weight * counts).sum(1))


def _kept(prompt: str, notes: Notes) -> np.ndarray[Any, Any]:
    weight, counts = _sum(prompt, notes)
    return np.asarray(weight.T[counts != 0])


def _weighted(prompt: str, notes: Notes) -> np.ndarray[Any, Any]:
    weight, counts = _sum(prompt, notes)
    return np.asarray((weight * counts).T[counts != 0])


def _rows(prompt: str) -> np.ndarray[Any, Any]:
    return labelled(blocks(prompt)[0])[1]


def _word(prompt: str) -> tuple[np.ndarray[Any, Any], int]:
    words, weight = _weight(prompt)
    asked = quoted(prompt)[-1]
    assert words.index(asked) == whole(prompt, "id ")
    return weight, words.index(asked)


# It learns


def _learning(prompt: str, notes: Notes) -> tuple[list[str], np.ndarray[Any, Any], str, int]:
    letters, table = labelled(blocks(prompt)[0])
    text = quoted(prompt)[1]
    notes["numbers"] = whole(prompt, "= ", " numbers")
    return letters, table, text, notes["numbers"]


def _touched(prompt: str, notes: Notes) -> list[int]:
    letters, _, text, _ = _learning(prompt, notes)
    return sorted({letters.index(letter) for letter in text})


def _asked(prompt: str, notes: Notes, further: int = 0) -> tuple[np.ndarray[Any, Any], int]:
    """The row of the letter in question, and how many numbers the mean is over."""
    letters, table, _, numbers = _learning(prompt, notes)
    found = re.search(r"`(\w)` stands in the text", prompt)
    assert found is not None
    return table[(letters.index(found[1]) + further) % len(letters)], numbers


def _learns_once(prompt: str, notes: Notes) -> str:
    row, numbers = _asked(prompt, notes)
    return typed(*2 * row / numbers)


def _learns_twice(prompt: str, notes: Notes) -> str:
    row, numbers = _asked(prompt, notes)
    return typed(*(2 * row / numbers + 2 * row / numbers))


def _row_of(prompt: str) -> np.ndarray[Any, Any]:
    return np.array(quoted(prompt)[1].strip("[]").split(", "), dtype=float)


def _step(prompt: str, notes: Notes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], float]:
    row = _row_of(prompt)
    found = re.search(r"rate of ([\d.]+):", prompt)
    assert found is not None
    notes["sgd"] = float(found[1])
    return row, 4 * row / notes["numbers"], notes["sgd"]


def _adam(prompt: str, notes: Notes) -> tuple[float, float]:
    found = re.search(r"rate is ([\d.]+)\.\s", prompt)
    assert found is not None
    return 2 * _row_of(prompt)[0] / notes["numbers"], float(found[1])


def _moved(rule: str) -> float:
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


def _learns_unseen(prompt: str, notes: Notes) -> str:
    moving = [rule for rule in ("SGD", "Adam", "SGD with weight decay") if _moved(rule) > 0]
    return moving[0] if moving else "none of them"


# What does it cost?


def _table(prompt: str, notes: Notes) -> tuple[int, int, int]:
    notes["columns"] = whole(prompt, after=" columns")
    return whole(prompt, after=" rows"), notes["columns"], whole(prompt, "has ", " bits") // 8


def _hot(prompt: str) -> tuple[int, int]:
    return whole(prompt, after=" ids"), whole(prompt, "table of ", " rows")


def _larger(prompt: str) -> tuple[int, int, int]:
    size = whole(prompt, ": ", " bits") // 8
    return whole(prompt, "the ", " ids"), whole(prompt, "and ", " wide"), size


def _all_sizes(prompt: str) -> tuple[int, int, int]:
    return whole(prompt, "N = "), whole(prompt, "V = "), whole(prompt, "D = ")


def _cost_twice(prompt: str, notes: Notes) -> str:
    ids, after, before = (
        whole(prompt, "look up "),
        whole(prompt, "the rows: "),
        whole(prompt, "instead of "),
    )
    read = [ids * notes["columns"] for _ in (before, after)]
    times = [ids * rows * notes["columns"] for rows in (before, after)]
    says = {1: "stays", 2: "doubles"}
    return f"the lookup {says[read[1] // read[0]]}, the product {says[times[1] // times[0]]}"


def _numbers(work: Callable[[str, Notes], Any]) -> Work:
    def type_it(prompt: str, notes: Notes) -> str:
        found = work(prompt, notes)
        return typed(*found) if isinstance(found, Sequence | np.ndarray) else typed(found)

    return type_it


def _always(answer: str) -> Work:
    return lambda prompt, notes: answer


def _bytes(prompt: str, notes: Notes) -> int:
    rows, columns, size = _table(prompt, notes)
    return rows * columns * size


def _zero_work(prompt: str, notes: Notes) -> int:
    ids, rows, columns = _all_sizes(prompt)
    return ids * (rows - 1) * columns


def _times_larger(prompt: str, notes: Notes) -> float:
    ids, wide, size = _larger(prompt)
    return (ids * wide * 4) / (ids * size)


RIGHT: dict[str, Work] = {
    "row shape": _row_shape,
    "row ids": _numbers(lambda p, n: _ids(p)),
    "row lookup": _row_lookup,
    "row zeros": _numbers(lambda p, n: _width(p)[0] * (_width(p)[1] - 1)),
    "row product": _row_product,
    "row waste": _row_waste,
    "row linear": _row_linear,
    "row bits": _row_bits,
    "bag count": _numbers(lambda p, n: list(_counts(p, n))),
    "bag sparse": _numbers(lambda p, n: np.concatenate(_stored(p, n))),
    "bag plain": _bag_plain,
    "bag sum": _bag_sum,
    "bag mean": _numbers(lambda p, n: round(_rows(p)[:, 0].mean(), 2)),
    "bag rows": _numbers(lambda p, n: whole(p, r"shape `\(")),
    "bag column": _numbers(lambda p, n: _word(p)[0][:, _word(p)[1]]),
    "bag freeze": _always("it stays as it is"),
    "learns touched": _numbers(_touched),
    "learns once": _learns_once,
    "learns twice": _learns_twice,
    "learns sgd": _numbers(lambda p, n: _step(p, n)[0] - _step(p, n)[2] * _step(p, n)[1]),
    "learns unseen": _learns_unseen,
    "learns afterwards": _always("Adam only"),
    "learns adam": _numbers(lambda p, n: _adam(p, n)[1]),
    "learns routes": _always("at most 0.00001"),
    "cost table": _numbers(_bytes),
    "cost one-hot": _numbers(lambda p, n: math.prod(_hot(p)) * 4),
    "cost ids": _numbers(_times_larger),
    "cost work": _numbers(_zero_work),
    "cost twice": _cost_twice,
    **{f"cost {step}": _always(answer) for step, answer in MEASURED.items()},
    **{f"{lab} why": _always("Because a row is a row.\n\nAnd so on: <b>*é*</b>") for lab in STEPS},
}

# The answer of each typical mistake, and words of the page's feedback.
MISTAKES: dict[str, list[tuple[Work, str]]] = {
    "row shape": [
        (lambda p, n: _pair(p, n, 0, 1), "as wide as the table has rows"),
        (lambda p, n: _pair(p, n, 1, 2), "the shape of the whole table"),
        (lambda p, n: _pair(p, n, 2, 0), "the transposed output"),
    ],
    "row ids": [
        (_numbers(lambda p, n: [one + 1 for one in _ids(p)]), "counted from 1"),
        (_numbers(lambda p, n: sorted(_ids(p))), "A text keeps its order"),
        (_numbers(lambda p, n: list(dict.fromkeys(_ids(p)))), "wrote each letter once"),
    ],
    "row lookup": [
        (
            _numbers(lambda p, n: np.roll(_lookup(p, n)[0], -1, 0)[_lookup(p, n)[1]]),
            "the row below",
        ),
        (_numbers(lambda p, n: _lookup(p, n)[0][_lookup(p, n)[1] - 1]), "the row above"),
        (_numbers(lambda p, n: _lookup(p, n)[0][:3, _lookup(p, n)[1] % 3]), "down a column"),
    ],
    "row zeros": [
        (_numbers(lambda p, n: _width(p)[0]), "how many ones there are"),
        (_numbers(lambda p, n: math.prod(_width(p))), "with the ones"),
        (_numbers(lambda p, n: _width(p)[1] * (_width(p)[0] - 1)), "one-hot rows as columns"),
        (_numbers(lambda p, n: _width(p)[1] - 1), "zeros in one row"),
    ],
    "row product": [
        (_numbers(lambda p, n: _product(p)[1].sum(0)), "added all rows"),
        (_numbers(lambda p, n: np.roll(_product(p)[0], 1) @ _product(p)[1]), "one place too far"),
        (_always("0 0 0"), "Not everything is 0"),
    ],
    "row waste": [
        (_numbers(lambda p, n: math.prod(_sizes(p))), "all the multiplications"),
        (_numbers(lambda p, n: _sizes(p)[0] * _sizes(p)[2]), "the multiplications by 1"),
        (_numbers(lambda p, n: _sizes(p)[0] * (_sizes(p)[1] - 1)), "counted each zero once"),
        (_numbers(lambda p, n: _sizes(p)[2] * (_sizes(p)[1] - 1)), "for a single letter"),
    ],
    "row linear": [(_numbers(lambda p, n: _cell(p)[0][_cell(p)[1:]]), "forgot the transpose")],
    "row bits": [
        (_always("almost: they differ after 6 digits"), "what rounding does to sums"),
        (_always("no"), "the product that you made by hand"),
    ],
    "bag count": [
        (_numbers(lambda p, n: (_counts(p, n) > 0) * 1.0), "wrote 1 for every word"),
        (_numbers(lambda p, n: np.roll(_counts(p, n), 1)), "one column too far"),
    ],
    "bag sparse": [
        (_numbers(lambda p, n: [*_stored(p, n)[0] + 1, *_stored(p, n)[1]]), "counted from 1"),
        (_numbers(lambda p, n: [*_stored(p, n)[0], 1, 1, 1]), "the counts, not just ones"),
        (_numbers(lambda p, n: [*_stored(p, n)[1], *_stored(p, n)[0]]), "wrote data first"),
    ],
    "bag plain": [
        (_always("the same as the Linear layer gives"), "Look at data again"),
        (_always("an error"), "Nothing is wrong for PyTorch"),
    ],
    "bag sum": [
        (_numbers(lambda p, n: _kept(p, n).sum(0)), "forgot the counts"),
        (_numbers(lambda p, n: _kept(p, n)[0]), "forgot to add up, sum(0)"),
        (_numbers(lambda p, n: _weighted(p, n).sum(1)), "along the wrong side"),
        (
            _numbers(lambda p, n: _sum(p, n)[1] @ _sum(p, n)[0].reshape(-1, 3)),
            "forgot the transpose",
        ),
        (
            _numbers(lambda p, n: _weighted(p, n).sum(0) / _sum(p, n)[1].sum()),
            "the mean over the words",
        ),
    ],
    "bag mean": [
        (_numbers(lambda p, n: _rows(p)[:, 0].sum()), "the sum, not the mean"),
        (
            _numbers(
                lambda p, n: _rows(p)[:, 0] @ n["counts"][n["counts"] != 0] / n["counts"].sum()
            ),
            "weighted each row by its count",
        ),
        (_numbers(lambda p, n: _rows(p)[0].mean()), "the mean of the first row"),
        (_numbers(lambda p, n: _rows(p)[:, 0].sum() / 5), "divided by all 5 words"),
    ],
    "bag rows": [
        (_numbers(lambda p, n: whole(p, r"`\(3, ")), "nobody transposed"),
        (_numbers(lambda p, n: 3 * whole(p, r"`\(3, ")), "how many numbers there are"),
    ],
    "bag column": [
        (_numbers(lambda p, n: _word(p)[0][_word(p)[1], :3]), "forgot the transpose"),
        (_numbers(lambda p, n: _word(p)[0][:, _word(p)[1] + 1]), "the next word's column"),
    ],
    "bag freeze": [
        (_always("it changes, as the Linear layer's does"), "with freeze=False"),
        (_always("an error"), "here another layer does"),
    ],
    "learns touched": [
        (_numbers(lambda p, n: sorted({*range(6)} - {*_touched(p, n)})), "nobody looked up"),
        (_always("0 1 2 3 4 5"), "all the rows"),
        (_numbers(lambda p, n: [one + 1 for one in _touched(p, n)]), "counted from 1"),
    ],
    "learns once": [
        (_numbers(lambda p, n: 2 * _asked(p, n)[0]), "forgot the mean"),
        (_numbers(lambda p, n: 2 * _asked(p, n)[0] / 4), "divided by the 4 letters"),
        (_numbers(lambda p, n: _asked(p, n)[0] / 8), "forgot the 2"),
        (_numbers(lambda p, n: 2 * _asked(p, n, 1)[0] / 8), "the next letter's row"),
    ],
    "learns twice": [
        (_numbers(lambda p, n: 2 * _asked(p, n)[0] / 8), "counted it once"),
        (_numbers(lambda p, n: 4 * _asked(p, n)[0]), "forgot the mean"),
    ],
    "learns sgd": [
        (_numbers(lambda p, n: _step(p, n)[0] + _step(p, n)[2] * _step(p, n)[1]), "went uphill"),
        (_numbers(lambda p, n: _step(p, n)[0] - _step(p, n)[1]), "forgot the learning rate"),
        (_numbers(lambda p, n: _step(p, n)[2] * _step(p, n)[1]), "only by how much it moves"),
    ],
    "learns unseen": [
        (_always("SGD"), "SGD moves by lr"),
        (_always("Adam"), "this row never had one"),
        (_always("none of them"), "changes every weight"),
    ],
    "learns afterwards": [
        (_always("none of the two"), "has a memory"),
        (_always("SGD only"), "SGD forgets at once"),
        (_always("both"), "SGD does not"),
    ],
    "learns adam": [
        (_numbers(lambda p, n: math.prod(_adam(p, n))), "what SGD would do"),
        (_numbers(lambda p, n: _adam(p, n)[0]), "the gradient itself"),
        (_numbers(lambda p, n: n["sgd"]), "SGD's learning rate"),
    ],
    "learns routes": [
        (_always("about 0.01"), "another way of learning"),
        (_always("more than 1"), "learn different things"),
    ],
    "cost table": [
        (_numbers(lambda p, n: 8 * _bytes(p, n)), "Those are bits"),
        (_numbers(lambda p, n: 2 * _bytes(p, n)), "as in float64"),
        (_numbers(lambda p, n: math.prod(_table(p, n)[:2])), "How many bytes does one"),
        (_numbers(lambda p, n: 4 * _table(p, n)[0]), "That is one column"),
    ],
    "cost one-hot": [
        (_numbers(lambda p, n: 32 * math.prod(_hot(p))), "Those are bits"),
        (_numbers(lambda p, n: 8 * math.prod(_hot(p))), "8 bytes for each number"),
        (_numbers(lambda p, n: math.prod(_hot(p))), "not yet bytes"),
        (_numbers(lambda p, n: 4 * _hot(p)[0] * n["columns"]), "one-hot rows as columns"),
    ],
    "cost ids": [
        (_numbers(lambda p, n: _larger(p)[1]), "compares how many numbers"),
        (_numbers(lambda p, n: 2 * _larger(p)[1]), "the wrong way round"),
        (_numbers(lambda p, n: 4 * math.prod(_larger(p)[:2])), "Divide by the bytes of the ids"),
        (_numbers(lambda p, n: _times_larger(p, n) / 8), "by the bits of an id"),
    ],
    "cost work": [
        (_numbers(lambda p, n: math.prod(_all_sizes(p))), "with the ones by 1"),
        (_numbers(lambda p, n: _all_sizes(p)[0] * _all_sizes(p)[2]), "not by zero"),
        (_numbers(lambda p, n: _all_sizes(p)[0] * (_all_sizes(p)[1] - 1)), "the zeros once"),
        (
            _numbers(lambda p, n: (_all_sizes(p)[0] - 1) * math.prod(_all_sizes(p)[1:])),
            "one-hot rows as columns",
        ),
    ],
    "cost twice": [
        (_always("both double"), "rows that nobody asked for"),
        (_always("the lookup doubles, the product stays"), "the wrong way round"),
        (_always("both stay"), "The one-hot rows get wider"),
    ],
    "cost sweep": [
        (_always("12.5 250 0.05"), "Turn it round"),
        (_always("12.5 250 237.5"), "Divide instead"),
        (_always("12.5 0.25 20"), "one of the times in milliseconds"),
        (_always("0 250 20"), "A time is more than 0"),
        (_always("12.5 250 40"), "That is not it yet"),
    ],
    "cost compare": [
        (_always("20 0.001220703125"), "the wrong way round"),
        (_always("20 16364"), "That is the difference"),
        (_always("-20 -819.2"), "Both numbers are more than 0"),
        (_always("20 100"), "That is not it yet"),
    ],
    "cost crossing": [
        (_always("100"), "The sweep has the sizes 2, 4, 8"),
        (_always("8,192"), "The sweep has the sizes 2, 4, 8"),
    ],
}


def peak_bytes(act: Callable[[], Any]) -> int:
    """The most memory that Python held while a call was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"."):
            act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
