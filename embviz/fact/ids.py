"""Ids that a person types; `typed` reads tables.

Ids are nested lists, as Python, JSON, PyTorch or NumPy print them, or bare numbers with blanks,
commas or semicolons between. An empty place, as in `1,,2`, is refused; so is `2.0`, as both layers
refuse a float.
"""

import json
import re
from typing import Any

import numpy as np
import torch

from embviz.fact.table import MAX_NUM_EMBEDDINGS
from embviz.system import bounds
from embviz.system.bounds import check_count
from embviz.text.digits import read_number, whole_number
from embviz.text.printed import bare_numbers
from embviz.text.refused import Refused
from embviz.text.typed import COMMAS, SEMICOLONS
from embviz.text.wording import number, quote

MAX_RANK = 8
EXAMPLE = "Write ids as 2 3 1 or as lists, [[1, 3], [0, 1]]."


def _nested(typed: str, plain: str) -> Any:
    """Lists of lists, of ints and of words that are floats."""

    def as_json(word: re.Match[str]) -> str:
        return json.dumps(_number(word.group(), typed[slice(*word.span())]))

    words = re.sub(r"\s+", " ", re.sub(r"[^\s,\[\]]+", as_json, plain)).strip()
    try:  # spaces separate as commas do: numpy prints so
        return json.loads(re.sub(r"(?<=[^,\[]) (?=[^,\]])", ",", words))
    except RecursionError:  # before Python 3.13
        raise Refused(f"{quote(typed)} is nested in too many levels.") from None
    except ValueError:
        raise Refused(
            f"{quote(typed)} cannot be read: its brackets or commas do not fit together."
        ) from None


def _flat(typed: str, plain: str) -> list[int | str]:
    """The numbers of a text without brackets."""
    notation = SEMICOLONS if ";" in plain else COMMAS
    if reason := notation.empty_place(typed):
        raise Refused(reason)
    places = [place.span() for place in notation.place.finditer(plain)]
    if any(re.search(r"[\s,]", plain[slice(*place)].strip()) for place in places):
        raise Refused(f"{quote(typed)} has semicolons, and commas or blanks between its numbers.")
    return [_number(plain[slice(*place)].strip(), typed[slice(*place)]) for place in places]


def _number(plain: str, shown: str) -> int | str:
    """An int where one was typed; a float as it was typed.

    Raises:
        Refused: it is no number.
    """
    try:
        if re.fullmatch("[+-]?[0-9_]+", plain):
            return whole_number(plain)
        read_number(plain)
    except ValueError:  # Refused is one; also an int of more digits than Python reads
        raise Refused(f"{quote(shown)} is not a number.") from None
    return shown.strip()


def parse_ids(typed: str, num_embeddings: int) -> torch.Tensor:
    """Read ids of any rank.

    Args:
        typed: `2 3 1`, `2, 3, 1`, `2;3;1` or nested lists of equal lengths.
        num_embeddings: rows of the table; every id must be below it.

    Returns:
        int64 tensor: shape (N,) for bare numbers, else the shape of the lists.

    Raises:
        Refused: quotes what is no id, and says what is allowed.

    >>> parse_ids("[[1,3],[0,1]]", 10).shape
    torch.Size([2, 2])
    """
    if len(typed) > (most := bounds.id_characters()):
        raise Refused(f"{len(typed):,} characters of ids are more than the {most:,} allowed.")
    plain = bare_numbers(typed)
    # Counted before they are read: a list of them takes many times the memory of the text.
    check_count(sum(1 for _ in re.finditer(r"[^\s,;\[\]]+", plain)), "ids")
    try:
        is_list = "[" in plain or "]" in plain
        # An array of objects keeps ints of any size.
        nested = np.array((_nested if is_list else _flat)(typed, plain), dtype=object)
    except Refused as error:
        raise Refused(f"{error} {EXAMPLE}") from None
    ids = nested.ravel().tolist()
    if nested.ndim > MAX_RANK or any(isinstance(item, list) for item in ids):
        raise Refused(
            f"{quote(typed)} is ragged, or nested in more than {MAX_RANK} levels. A tensor needs "
            "one shape at each level."
        )
    for place, token in enumerate(ids):
        if type(token) is not int:
            raise Refused(
                f"{quote(token)} at index {place:,} is not an id: an id is a whole number, "
                "without a point or an exponent."
            )
        if token < 0:
            raise Refused(f"Id {number(token)} is negative; ids count rows from 0.")
    if (worst := max(ids, default=-1)) >= num_embeddings:
        possible = worst < MAX_NUM_EMBEDDINGS
        raise Refused(
            f"Id {number(worst)} at index {ids.index(worst):,} is too large: num_embeddings "
            f"is {num_embeddings:,}, so ids run from 0 to {num_embeddings - 1:,}.",
            {f"Use {worst + 1:,} rows": {"rows": worst + 1}} if possible else None,
        )
    return torch.tensor(ids, dtype=torch.int64).reshape(nested.shape)
