"""The student of `reader.py` before the questions beside the steps; each has its whole prompt."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from tests.labs.reader import code, labelled, lists, numbers, table, typed

Found = tuple[Any, dict[str, Any]]  # the right answer, and wrong ones by words of their feedback


def row_easier(prompt: str) -> Found:
    """A row beside its word."""
    words, rows = labelled(table(prompt))
    place = words.index(code(prompt)[-1])
    return rows[place], {
        "above": rows[place - 1],
        "below": rows[place + 1],
        "down a column": rows[place : place + 2, 0],
    }


def row_harder(prompt: str) -> Found:
    """Two rows, twice and three times."""
    lines = np.array(table(prompt), dtype=float)
    factors, rows = lines[:, 0], lines[:, 1:]
    (two,), (three,) = rows[factors == 2], rows[factors == 3]
    return factors @ rows, {
        "both rows once": two + three,
        "swapped": three * 2 + two * 3,
        "only the row beside the 2": two * 2,
        "only the row beside the 3": three * 3,
        "all rows": rows.sum(0),
    }


def bag_easier(prompt: str) -> Found:
    """How often a word comes."""
    sentence, word = code(prompt)
    words = sentence.split()
    return words.count(word), {
        "how many words": len(words),
        "different words": len({*words}),
        "more than once": 1,
    }


def bag_harder(prompt: str) -> Found:
    """The counts, and others that fit one number alone."""
    _, rows = labelled(table(prompt))
    total = np.array(json.loads(code(prompt)[-1]))
    counts = np.linalg.solve(rows.T, total).round()
    fits = [
        [np.array([a, b]) for a in range(1, 12) for b in range(1, 12) if a * x + b * y == wanted]
        for (x, y), wanted in zip(rows.T, total, strict=True)
    ]
    first = next(pair for pair in fits[0] if pair[0] == counts[0] + 2)
    second = next(pair for pair in fits[1] if pair[0] == counts[0] - 1)
    return counts, {
        "swapped": counts[::-1],
        "each word once": [1, 1],
        "first number of the sum fits": first,
        "second number of the sum fits": second,
    }


def learns_easier(prompt: str) -> Found:
    """The gradient of a square."""
    (weight,) = numbers(r"tensor\(N\.", prompt)
    return 2 * weight, {
        "forgot the 2": weight,
        "How fast does it grow": weight**2,
        "the other way": -2 * weight,
        "That is the derivative": 2,
    }


def learns_harder(prompt: str) -> Found:
    """A step of SGD."""
    weight, places = lists(prompt)
    (rate,) = map(float, re.findall(r"lr=([\d.]+)", prompt))
    weight, at = np.array(weight), np.arange(2) == places[0]
    gradient = 2 * len(places) * weight * at
    return weight - rate * gradient, {
        "once": weight - rate * gradient / len(places),
        "forgot the 2": weight - rate * gradient / 2,
        "wrong way": weight + rate * gradient,
        "forgot the learning rate": weight - gradient,
        "moved both": weight - rate * 2 * len(places) * weight,
    }


def cost_easier(prompt: str) -> Found:
    """The bytes of a row."""
    (count,), (size,) = numbers("has N numbers", prompt), numbers("it has N bytes", prompt)
    return count * size, {
        "how many numbers": count,
        "You added": count + size,
        "You divided": count // size,
        "8 bytes each": 8 * count,
    }


def cost_harder(prompt: str) -> Found:
    """The bytes of a sparse gradient."""
    height, width, ids = numbers("N rows and N columns. You look up N", prompt)
    (id_size,), (size,) = numbers("int64` of N", prompt), numbers("float32` of N", prompt)
    return ids * (id_size + width * size), {
        "without sparse=True": height * width * size,
        "forgot the ids": ids * width * size,
        "the ids alone": ids * id_size,
        "not 4": ids * size * (width + 1),
        "for one id": id_size + width * size,
    }


STUDENTS = {
    "Easier: find a row": row_easier,
    "Harder: two rows at once": row_harder,
    "Easier: count one word": bag_easier,
    "Harder: find the counts": bag_harder,
    "Easier: the gradient of a square": learns_easier,
    "Harder: one step of SGD": learns_harder,
    "Easier: the bytes of a row": cost_easier,
    "Harder: a sparse gradient": cost_harder,
}


def answers(title: str, prompt: str) -> tuple[str, dict[str, str]]:
    """What is typed: the right answer to the question of this title, and typical mistakes."""
    right, wrong = STUDENTS[title](prompt)
    return typed(right), {words: typed(answer) for words, answer in wrong.items()}
