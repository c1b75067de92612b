"""The list of the labs. A new lab is a module with a `LAB`, and its name here."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from embviz.labs.exercises.bag import LAB as BAG
from embviz.labs.exercises.cost import LAB as COST
from embviz.labs.exercises.learns import LAB as LEARNS
from embviz.labs.exercises.row import LAB as ROW
from embviz.labs.record import Lab, LabError
from embviz.labs.student import Student

LABS: tuple[Lab[Any], ...] = (ROW, BAG, LEARNS, COST)
KEPT = 256  # students' values; some kB each


def lab(code: str) -> Lab[Any]:
    """The lab of that code.

    Raises:
        LabError: (a ValueError) there is none; names those that exist.
    """
    for one in LABS:
        if one.code == code:
            return one
    codes = ", ".join(one.code for one in LABS)
    raise LabError(f"{str(code)[:40]!r} is not one of the labs: {codes}.")


@lru_cache(maxsize=KEPT)
def values_of(code: str, student: Student) -> Any:
    """A student's values in the lab of that code, as `Lab.values`, kept for those seen last.

    A page and its class need the same values, and to draw them takes milliseconds. Nobody may
    change them in place.

    Raises:
        LabError: there is no such lab, or no values for this student.
    """
    return lab(code).values(student)
