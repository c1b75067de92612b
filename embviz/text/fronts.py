"""The first column of a table where it is no number: words, or what names the rows.

Between blanks a word may have blanks in it. Each row must have as many numbers as most others.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from embviz.text.digits import plain_digits
from embviz.text.headers import count_cells, is_number, sign_of, unquoted
from embviz.text.refused import Refused
from embviz.text.typed import lines_of
from embviz.text.wording import counted, quote

LOOKED_AT = 20  # Lines whose numbers are counted, to tell them from blanks in a word.


def fronts(text: str, most: int) -> tuple[list[str], str, str]:
    """The first cell of each line, the text of all others, and a sentence if it is cut.

    Most of the first lines say how many numbers a line has: all before them is the word.

    Raises:
        Refused: a line has another number of numbers.
    """
    plain = plain_digits(text)  # as many characters: a word stands where it was typed
    lines = [line.group().rstrip() for line in islice(lines_of(plain), LOOKED_AT)]
    if not lines:
        return [], "", ""
    sign = sign_of(lines[0])
    width = Counter(_numbers(line, sign) for line in lines).most_common(1)[0][0]
    if not width:
        raise Refused(f"Row 0, {quote(lines[0])}, is no word with numbers after it.")
    words, rest = list[str](), list[str]()
    most_rows = most // width
    for row, found in enumerate(islice(lines_of(plain), most_rows)):
        line = found.group().rstrip()
        typed = text[found.start() : found.start() + len(line)]
        word, numbers = _cut(line, sign, width)
        if len(numbers) != width:
            raise Refused(
                f"Row {row:,}, {quote(typed)}, has {counted(_numbers(line, sign), 'number')} after "
                f"its first cell, and most rows have {width:,}; all rows are equally long."
            )
        words.append(unquoted(typed[: len(word)].strip()).replace('""', '"'))
        rest.append(sign.join(numbers))
    cut = ""
    if len(words) == most_rows and sum(1 for _ in lines_of(plain)) > most_rows:
        read = counted(len(words), "row")
        cut = f" The first {read} are read: more than {counted(most, 'number')} do not fit."
    return words, "\n".join(rest), cut


def _numbers(line: str, sign: str) -> int:
    """How many numbers end a line; the first cell is none of them."""
    if sign != " ":
        return count_cells(line, sign) - 1
    cells = line.split()[1:]
    for count, cell in enumerate(reversed(cells)):
        if not is_number(cell, " "):
            return count
    return len(cells)


def _cut(line: str, sign: str, width: int) -> tuple[str, list[str]]:
    """The word of a line, and its last `width` numbers; none where it has more."""
    if sign != " ":
        word, *numbers = line.rsplit(sign, width)
        return word, numbers if count_cells(word, sign) == 1 else []
    word, *numbers = line.rsplit(None, width)
    if len(numbers) == width - 1 and line[0].isspace() and line[0] not in " \t":
        return line[0], line.split()  # the word is a blank of another kind
    *before, last = word.split() or [""]
    return word, [] if before and is_number(last, " ") else numbers
