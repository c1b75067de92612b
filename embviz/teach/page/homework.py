"""Homework: the links to labs with numbers of one's own, and the lines that students hand in."""

import re
from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from embviz.labs.catalogue import title_of
from embviz.labs.homework import AT_ONCE, NONE, WRONG, HandedIn, check
from embviz.system.bounds import class_word
from embviz.teach import readme
from embviz.teach.page import sheets
from embviz.text.refused import Refused
from embviz.text.wording import counted, formula_safe
from embviz.ui.elements.refusal import refuse

MOST_LINES = 300  # Lines that are checked at once.
MOST_CHARACTERS = MOST_LINES * 200  # Characters of all lines, with names.
MARKS = ["Steps", "Right", "Right at once", "Not right", "Without answer"]
SHOWN = 20  # Refused lines that are shown one by one.
UNSIGNED = (
    "This server has no class word, so lines are not signed: anyone can copy or write one. Whoever "
    "runs it can set EMBVIZ_CLASS_WORD."
)
_CODE = re.compile("(.*)(embviz.*)", re.IGNORECASE | re.DOTALL)
_AROUND = " \t,;:\"'.|"  # signs between a name and its line, and after it


def draw(labs: Sequence[str]) -> None:
    """Draw the page.

    Args:
        labs: keys in `LABS`, whose links are shown; lines of all labs are checked.
    """
    st.markdown(readme.section("Homework"))
    st.code("\n".join(map(sheets.address, labs)), None, wrap_lines=True)
    if not class_word():
        st.markdown(UNSIGNED)
    with st.form("teach_homework", border=False):
        typed = st.text_area(
            "Lines that were handed in, one below the other; a name may stand before each",
            max_chars=MOST_CHARACTERS,
            height=180,
        )
        st.form_submit_button("Check", type="primary")
    if lines := [line for line in typed.splitlines() if line.strip()]:
        _checked(lines)


def _checked(lines: Sequence[str]) -> None:
    """The table of lines that can be read, and the refusals of the others."""
    if len(lines) > MOST_LINES:
        refuse(f"{counted(len(lines), 'line')} are more than the {MOST_LINES} allowed at once.")
        return
    read, refused = dict[int, tuple[str, HandedIn]](), dict[int, str]()
    for number, line in enumerate(lines, 1):
        who, code = split(line)
        try:
            read[number] = who, check(code)
        except Refused as error:
            of = f", {who}" if who else ""
            refused[number] = f"Line {number}{of}: {error}"
    if read:
        rows = pd.DataFrame(_rows(read), columns=["Line", "Name", "Lab", "Numbers", *MARKS, "Note"])
        st.dataframe(rows, hide_index=True)
    for number in [*refused][:SHOWN]:
        refuse(refused[number], f"homework {number}")
    if len(refused) > SHOWN:
        refuse(f"{counted(len(refused) - SHOWN, 'more line')} cannot be read.", "homework")


def _rows(read: dict[int, tuple[str, HandedIn]]) -> Iterator[tuple[object, ...]]:
    """A row for each line; one with the same numbers as a line above has a note.

    A spreadsheet may get it, so no name is a formula.
    """
    first = dict[tuple[str, int], int]()
    for number, (who, line) in read.items():
        same = first.setdefault((line.lab, line.seed), number)
        note = f"same numbers as line {same}" if same != number else ""
        marks = len(line.marks), line.right, *map(line.marks.count, (AT_ONCE, WRONG, NONE))
        yield number, formula_safe(who), title_of(line.lab), str(line.seed), *marks, note


def split(line: str) -> tuple[str, str]:
    """The words before the code of a line, such as a name, and the code.

    >>> split('"Ada L.", EMBVIZ1-row-7')
    ('Ada L', 'EMBVIZ1-row-7')
    >>> split("row-7")
    ('', 'row-7')
    """
    found = _CODE.fullmatch(line)
    before, code = found.groups() if found else ("", line)
    return before.strip(_AROUND), code.strip(_AROUND)
