"""The timing runs of a class in lab *cost*: a student gives one, and the board draws all of them.

A run is measured on the student's own machine and comes as a run file.
"""

from __future__ import annotations

from typing import Any


def draw(code: str, token: str) -> None:
    """A student's fold: give the class a run that was measured on one's own machine.

    The student's page calls it below the step, in each run, while in a class with lab `cost`.
    """


def draw_board(room: Any) -> None:
    """The teacher's fold: all runs of the class. Call it outside the board's own fragment.

    It draws nothing in a class of another lab. It reads `room.runs()`: the newest run of each
    member as (member's number, JSON).
    """
