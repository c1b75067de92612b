"""Where the students of a class are, and what was refused: kept in memory, within bounds."""

from __future__ import annotations

import pytest
from cachetools import TTLCache

from embviz.classes import visits as class_visits
from embviz.classes.snapshot import student_digest
from embviz.classes.visit import Visit
from embviz.classes.visits import CHARACTERS, is_visitor, kept, refused, visits, visits_of

CODE, STUDENT, OTHER = "k7m-q2x4", "r" * 43, "s" * 43


@pytest.fixture(autouse=True)
def visitors(monkeypatch: pytest.MonkeyPatch) -> TTLCache[tuple[str, bytes], Visit]:
    """Those of a new server, which has room for three."""
    made: TTLCache[tuple[str, bytes], Visit] = TTLCache(3, 60.0)
    monkeypatch.setattr(class_visits, "visitors", made)
    return made


def at(student: str = STUDENT) -> Visit:
    """Where a student is."""
    return visits_of(CODE)[student_digest(CODE, student)]


def test_where_a_student_is() -> None:
    """As its page said last; by a digest, so that no cookie is in memory."""
    visits(CODE, STUDENT, "row", 3)
    visits(CODE, OTHER, "row", 1)
    visits(CODE, STUDENT, "bag", 2)
    visits("bbb-bbbb", STUDENT, "learns", 1)
    assert [(each.lab, each.step) for each in (at(), at(OTHER))] == [("bag", 2), ("row", 1)]
    assert len(visits_of(CODE)) == 2
    assert STUDENT not in repr(visits_of(CODE))
    assert [is_visitor(CODE, student) for student in (STUDENT, "t" * 43)] == [True, False]


def test_what_was_refused_is_kept_in_bounds() -> None:
    """The last texts at this step, shortened; none after an answer, or at another step."""
    for act in (refused, lambda *who: kept(*who[:2])):
        act(CODE, STUDENT, "nobody is there")
    assert visits_of(CODE) == {}
    visits(CODE, STUDENT, "row", 3)
    for text in ("lol", "5*8", "x" * 9_000, "٣"):
        refused(CODE, STUDENT, text)
    visits(CODE, STUDENT, "row", 3)
    assert at().refused == ("5*8", "x" * CHARACTERS, "٣")
    kept(CODE, STUDENT)
    assert (at().refused, at().kept) == ((), 1)
    refused(CODE, STUDENT, "lol")
    visits(CODE, STUDENT, "row", 4)
    assert (at().refused, at().kept) == ((), 1)


def test_few_are_kept(visitors: TTLCache[tuple[str, bytes], Visit]) -> None:
    """However many come, and only those with a cookie that this server may have given."""
    for text in ("", "short", "x" * 9_000, "é" * 43):
        visits(CODE, text, "row", 1)
    assert visits_of(CODE) == {}
    for number in range(9):
        visits(CODE, f"{number:043}", "row", 1)
    assert len(visitors) == len(visits_of(CODE)) == 3
