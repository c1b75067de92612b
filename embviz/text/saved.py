r"""A table as programs save it: rows of numbers, and what stands in front of them.

pandas, R, spreadsheets and word2vec write a header, an index column, or a word before each row.
Names are left out, because they are no numbers: as many names as there are columns. Numbers that
may name the columns or the rows are left out only where all other cells have a decimal point: in a
file whole numbers of which each stands once, in a typed table 0 to n - 1, 1 to n, or years. Else
all is read as numbers. One sentence says what was read; another choice of `header` is the other
way.

Lists in brackets have none of these. Typed rows with blanks between the numbers have no numbers
that name anything.
"""

from __future__ import annotations

import re
from itertools import islice

from embviz.text.digits import plain_digits
from embviz.text.fronts import fronts
from embviz.text.headers import (
    Line,
    are_distinct,
    cells_of,
    has_front,
    has_word,
    header_of,
    is_number,
    is_row,
    sign_of,
)
from embviz.text.numbered import Saved, noticed
from embviz.text.printed import check_print
from embviz.text.refused import Refused
from embviz.text.typed import line_feeds, lines_of, read_rows
from embviz.text.wording import counted, quote

HEADER = "auto", "yes", "no"  # Left out where it is one; left out; read as numbers.
# Lines at the start that begin with #, as `np.savetxt` writes a header.
_COMMENTS = re.compile(r"\s*(?:#[^\r\n]*[\r\n]+\s*)+")


def read_saved(text: str, most: int, header: str = "auto", is_file: bool = False) -> Saved:
    r"""Read a table, and leave out what only names or counts its rows and columns.

    Args:
        text: of a file, or typed or pasted.
        most: how many numbers it may have.
        header: one of `HEADER`.
        is_file: whether it is the text of a file. Typed text is taken for a file's only if signs,
            not blanks, separate its numbers, and some of them have a decimal point.

    Raises:
        Refused: as `read_rows`; or the header has another number of names than there are columns.

    >>> read_saved("0,1\n0.5,0.25", 9).rows.tolist(), read_saved("0 1\n.5 .25", 9).rows.tolist()
    ([[0.5, 0.25]], [[0.0, 1.0], [0.5, 0.25]])
    """
    text = line_feeds(text)
    plain = plain_digits(text)
    check_print(plain)
    comments = _COMMENTS.match(plain)
    if comments and _is_word_of_a_row(plain, comments.end()):
        comments = None
    start = comments.end() if comments else 0
    lines = [*islice(lines_of(plain, start), 3)]
    named = header_of(lines[0].group(), lines[1].group()) if len(lines) > 1 else None
    end = lines[0].end() if named else start
    if not lines or any(plain.find(bracket, end) >= 0 for bracket in "[]"):
        return Saved(read_rows(text, most))
    data = [line.group() for line in lines[named is not None :]]
    is_typed = not is_file and any(sign_of(line) == " " and is_row(line) for line in data)
    if header == "yes" and not named and not is_row(data[0]):
        named, end = Line("is no row of numbers", data[0]), lines[0].end()
    said = ""
    if named:
        said = f"{named}: it is left out."
    elif comments:
        first = comments.group().strip().split("\n")[0]
        said = f"{Line('is a comment', first)}: it is left out."
    body = text[end:]
    if has_front(named, data):
        found, body = _with_front(body, most, header, named, said)
        if named or sign_of(data[0]) == " ":
            return found
    else:
        found = Saved(read_rows(body, most), said)
        _check_names(named, found.rows.shape[1], data[0])
    if is_typed and header != "yes":
        return found
    taken = noticed(plain_digits(body), found, header, is_file, named)
    if header == "yes" and not named and not taken.other and len(found.rows) > 1:
        said = f"The first line, {quote(data[0])}, is left out."
        return Saved(found.rows[1:], said, "no", found.words[1:])
    return taken


def _is_word_of_a_row(plain: str, end: int) -> bool:
    """Whether the # of the first line is a word: the line below the comments has one, too."""
    first, below = next(lines_of(plain)).group(), next(lines_of(plain, end), None)
    is_alone = cells_of(first, sign_of(first))[0] == "#"
    return is_alone and has_word(first) and below is not None and has_word(below.group())


def _with_front(
    text: str, most: int, header: str, named: Line | None, said: str
) -> tuple[Saved, str]:
    """The table behind a first column that names its rows, and its text.

    A column of numbers below names may be read as numbers too. `said` is the sentence about what
    stands above the text.
    """
    words, rest, cut = fronts(text, most)
    first = next(lines_of(plain_digits(text))).group()
    is_numeric = all(is_number(word, sign_of(first)) for word in words)
    if is_numeric and header == "no" and named and named.cells:
        said = f"{said} The first column is read as numbers."
        return Saved(read_rows(text, most), said, "yes"), text
    rows = read_rows(rest, most)
    if named:
        said = f"{named}, and the first column names the rows: both are left out."
        may_lack = not is_numeric or are_distinct(words)
        _check_names(named, rows.shape[1] + 1, first, may_lack)
    else:
        said = f"{said} The first column, {quote(words[0])} …, names the rows: it is left out."
    kept = () if is_numeric else tuple(words)
    return Saved(rows, f"{said}{cut}".strip(), "no" if is_numeric else "", kept), rest


def _check_names(named: Line | None, columns: int, below: str, may_lack: bool = False) -> None:
    """Refuse a header of more or fewer names than there are columns, the corner too.

    With `may_lack` the name of the first column may be missing.

    Raises:
        Refused: says how many there are of both.
    """
    if not named or not named.cells or named.cells in (columns, columns - may_lack):
        return
    said = (
        f"The first line, {quote(named.line)}, has {counted(named.cells, 'name')}, and the next "
        f"one, {quote(below)}, has {counted(columns, 'cell')}: each column has one name."
    )
    if columns == 2 * named.cells and sign_of(below) == ",":
        said += " If its commas are decimal commas, separate the numbers with semicolons."
    raise Refused(said)


def read_words(text: str, most: int, header: str = "auto", is_file: bool = True) -> Saved:
    r"""Read words and vectors, as GloVe and word2vec save them: a word, then its numbers.

    A word may have blanks in it. Only the first rows are read where there are more numbers than
    `most`; a sentence says so.

    Raises:
        Refused: a line has another number of numbers.

    >>> saved = read_words("2 2\nnew york .5 1\ncat 3 4", 9)
    >>> saved.words, saved.rows.tolist()
    (('new york', 'cat'), [[0.5, 1.0], [3.0, 4.0]])
    """
    lines, said, named = [*islice(lines_of(plain_digits(text)), 2)], "", None
    if len(lines) == 2 and (named := header_of(*(line.group() for line in lines))):
        text, said = text[lines[0].end() :], f"{named}: it is left out."
    words, rest, cut = fronts(text, most)
    rows = read_rows(rest, most)
    if named:
        _check_names(named, rows.shape[1] + 1, lines[1].group(), True)
    found = Saved(rows, f"{said}{cut}".strip(), "", tuple(words))
    if named or not lines or sign_of(lines[0].group()) == " ":
        return found
    return noticed(plain_digits(rest), found, header, is_file, None)
