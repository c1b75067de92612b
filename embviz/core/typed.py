r"""What a person types: escapes, numbers and ids.

Two notations of numbers are read everywhere: nested lists, as Python, JSON or numpy print them, and
bare numbers with spaces, commas or semicolons between. An empty place, as in `1,,2`, is refused.
Shapes, limits and the meaning of a table's numbers are for the caller to check.
"""

import json
import re
from typing import Any

import numpy as np
import torch

from embviz.core.config import MAX_NUM_EMBEDDINGS, check_count
from embviz.core.refused import Refused
from embviz.core.wording import number, quote

MAX_TYPED = 1_000_000  # characters of a table
TYPED = 9  # characters for each id: seven digits, a comma and a space
MAX_RANK = 8
EXAMPLE = "Write ids as 2 3 1 or as lists, [[1, 3], [0, 1]]."

_ESCAPE = re.compile(
    r"""\\(?:([\\ntrabfv'"]|0(?!\d)|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})|.?)""",
    re.DOTALL | re.ASCII,
)


def unescape(typed: str) -> str:
    r"""The text with each escape replaced by its character.

    An unknown escape is refused, because `\d` is a typing mistake.

    Raises:
        Refused: names the escape and its position, from 0.

    >>> unescape(r"a\tb\x0b")
    'a\tb\x0b'
    """
    return _ESCAPE.sub(_character, typed)


def _character(escape: re.Match[str]) -> str:
    typed = escape.group()
    try:
        if escape[1]:  # and then a lone surrogate, which has no bytes
            return typed.encode().decode("unicode_escape").encode().decode()
    except UnicodeError:
        pass
    raise Refused(
        f"{quote(typed)} at index {escape.start():,} is not an escape. Allowed are "
        r"\n \t \r \0 \a \b \f \v \\ \' \" and \x0b, \u00e9, \U0001f600 with hex digits.",
        {"Take backslashes as they are": {"escapes": False}},
    )


def read_nested(typed: str, whole: bool = False) -> Any:
    r"""A float, or lists of lists or of floats; with `whole`, an int where it was typed as one.

    Raises:
        Refused: a word that is no number, or brackets or commas that do not fit together.

    >>> read_nested("[[1 2]\n [3. 4e0]]", whole=True)
    [[1, 2], [3.0, 4.0]]
    """

    def as_json(word: re.Match[str]) -> str:
        text = word.group()
        try:
            if text.isascii() and "_" not in text:  # Python alone reads 1_000
                digits = whole and text.lstrip("+-").isdigit()
                return json.dumps(int(text) if digits else float(text))
        except ValueError:  # also an int of more than 4,300 digits
            pass
        raise Refused(f"{quote(text)} is not a number.")

    words = " ".join(re.sub(r"[^\s,\[\]]+", as_json, typed).split())
    try:  # spaces separate as commas do: numpy prints so
        return json.loads(re.sub(r"(?<=[^,\[]) (?=[^,\]])", ",", words))
    except RecursionError:  # before Python 3.13
        raise Refused(f"{quote(typed)} is nested in too many levels.") from None
    except ValueError:
        raise Refused(
            f"{quote(typed)} cannot be read: its brackets or commas do not fit together."
        ) from None


def read_table(typed: str) -> list[list[float]]:
    """Rows of numbers: nested lists, a single list, or one row a line.

    Returns:
        rows of equal length; none, if there is no number.

    Raises:
        Refused: too long, a place that holds no number, or rows of unequal length.

    >>> read_table("[[1 0] [0 2]]"), read_table("1; 0.5")
    ([[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.5]])
    """
    if len(typed) > MAX_TYPED:
        raise Refused(f"{len(typed):,} characters are more than the {MAX_TYPED:,} allowed.")
    if "[" in typed:  # `[1, 2]` is one row
        rows = read_nested(typed if re.match(r"\s*\[\s*\[", typed) else f"[{typed}]")
    else:
        lines = typed.replace(";", ",").splitlines()
        rows = [read_nested(f"[{line}]") for line in lines if line.strip()]
    for place, row in enumerate(rows):
        if not isinstance(row, list) or any(isinstance(cell, list) for cell in row):
            raise Refused(f"{quote(typed)} is not a list of rows of numbers.")
        if len(row) != len(rows[0]):
            raise Refused(
                f"Row {place:,} has {len(row):,} numbers and row 0 has {len(rows[0]):,}; "
                "all rows are equally long."
            )
    return list(rows)


def parse_ids(typed: str, num_embeddings: int) -> torch.Tensor:
    """Read ids of any rank.

    Args:
        typed: `2 3 1`, `2, 3, 1` or nested lists of equal lengths.
        num_embeddings: rows of the table; every id must be below it.

    Returns:
        int64 tensor: shape (N,) for bare numbers, else the shape of the lists.

    Raises:
        Refused: quotes what is no id, and says what is allowed.

    >>> parse_ids("[[1,3],[0,1]]", 10).shape
    torch.Size([2, 2])
    """
    check_count(-(-len(typed) // TYPED), f"ids of {TYPED} characters")
    try:
        lists = typed if "[" in typed or "]" in typed else f"[{typed}]"
        nested = np.array(read_nested(lists, True), dtype=object)  # keeps ints of any size
    except Refused as error:
        raise Refused(f"{error} {EXAMPLE}") from None
    ids = nested.ravel().tolist()
    if nested.ndim > MAX_RANK or any(isinstance(one, list) for one in ids):
        raise Refused(
            f"{quote(typed)} is ragged, or nested in more than {MAX_RANK} levels. A tensor needs "
            "one shape at each level."
        )
    check_count(len(ids), "ids")
    for place, token in enumerate(ids):
        if type(token) is not int:
            raise Refused(
                f"{token} at index {place:,} is not an id: an id is a whole number, without a "
                "point."
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
