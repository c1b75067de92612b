"""The first column of a table where it is no number: words, or what names the rows.

Between blanks a word may have blanks in it. Each row must have as many numbers as most others.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from embviz.text.digits import plain_digits
from embviz.text.headers import is_number, lines_of, sign_of, unquoted
from embviz.text.refused import Refused
from embviz.text.wording import counted, quote

LOOKED_AT = 20  # Lines whose numbers are counted, to tell them from blanks in a word.


def fronts(text: str, most: int) -> tuple[list[str], str, str]:
    """The first cell of each line, the text of all others, and a sentence if it is cut.

    Between blanks most of the first lines say how many numbers a line has: all before are the word.

    Raises:
        Refused: a line has another number of numbers.
    """
    plain = plain_digits(text)  # as many characters: a word stands where it was typed
    lines = [line.group() for line in islice(lines_of(plain), LOOKED_AT)]
    if not lines:
        return [], "", ""
    sign = sign_of(lines[0])
    front = re.compile(rf'[^\S{sign}]*+("(?:[^"]|"")*"|[^{sign}]*)[^\S{sign}]*{sign}')
    width = Counter(map(_numbers, lines)).most_common(1)[0][0]
    words, rest = list[str](), list[str]()
    most_rows = most // max(1, width)
    for row, found in enumerate(islice(lines_of(plain), most_rows)):
        line = found.group().rstrip()
        typed = text[found.start() : found.start() + len(line)]
        if sign == " ":
            end, numbers = _cut(line, width, row, typed)
            word = typed[:end]
        else:
            cell = front.match(line) if sign in line else None
            word, numbers = (typed[slice(*cell.span(1))], line[cell.end() :]) if cell else ("", "")
        if not numbers or numbers.isspace():
            raise Refused(f"Row {row:,}, {quote(typed)}, is no word with numbers after it.")
        words.append(unquoted(word.strip()).replace('""', '"'))
        rest.append(numbers)
    cut = ""
    if len(words) == most_rows and sum(1 for _ in lines_of(plain)) > most_rows:
        read = counted(len(words), "row")
        cut = f" The first {read} are read: more than {counted(most, 'number')} do not fit."
    return words, "\n".join(rest), cut


def _numbers(line: str) -> int:
    """How many numbers end a line, with blanks between; the first cell is none of them."""
    cells = line.split()[1:]
    for count, cell in enumerate(reversed(cells)):
        if not is_number(cell, " "):
            return count
    return len(cells)


def _cut(line: str, width: int, row: int, typed: str) -> tuple[int, str]:
    """Where the word of a line ends, which may have blanks in it, and its last `width` numbers.

    Args:
        line: with plain digits and signs.
        width: how many numbers a line has.
        row: its number, for a refusal.
        typed: the line as it was typed, for a refusal.

    Raises:
        Refused: the line has more or fewer numbers.
    """
    word, *numbers = line.rsplit(None, width) if width else [line]
    if len(numbers) == width - 1 and line[0].isspace() and line[0] not in " \t":
        return 0, line  # the word is a blank of another kind
    *_, last = word.split() or [""]
    is_longer = last != word.strip() and is_number(last, " ")
    if len(numbers) < width or is_longer:
        many = counted(_numbers(line), "number")
        raise Refused(
            f"Row {row:,}, {quote(typed)}, has {many} after its word, and most rows have "
            f"{width:,}; all rows are equally long."
        )
    return len(word), " ".join(numbers)
