"""The presses of a teacher: the SQL of each, and when it is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from embviz.classes.room import ClassError, Room

# SQL for one member, or for all who came since a moment.
REMOVED = "FROM member WHERE code = :code AND (number = :member OR joined >= :since)"
# SQL that ends the countdown at this step, or, where nobody was brought anywhere (`at` is 0), any.
END_OF_COUNTDOWN = (
    "UPDATE class SET until = 0 WHERE code = :code AND lab = :lab AND at IN (0, :step)"
)
# SQL of each press. `:step` is the number of a step of `:lab`, `:member` that of a row. `:since`
# and `:until` are moments, in seconds since 1970.
PRESSES: dict[str, tuple[str, ...]] = {
    "bring": (
        "INSERT OR IGNORE INTO opened (code, lab) VALUES (:code, :lab)",
        "UPDATE class SET lab = :lab, at = :step, moved = moved + 1, until = 0 WHERE code = :code",
    ),
    "pause_here": ("UPDATE step SET paused = (step = :step) WHERE code = :code AND lab = :lab",),
    "go_on": ("UPDATE step SET paused = 0 WHERE code = :code AND lab = :lab",),
    "reveal": (
        "UPDATE step SET revealed = 1 WHERE code = :code AND lab = :lab AND step = :step",
        END_OF_COUNTDOWN,
    ),
    "vote_again": (
        "UPDATE step SET vote = 2 WHERE code = :code AND lab = :lab AND step = :step "
        "AND NOT revealed",
        END_OF_COUNTDOWN,
    ),
    "countdown": ("UPDATE class SET until = :until WHERE code = :code",),
    "show": ("UPDATE class SET shown_lab = :lab, shown_step = :step WHERE code = :code",),
    # The browsers come again only if they ask to.
    "remove": (
        f"INSERT OR IGNORE INTO removed SELECT code, browser {REMOVED}",
        f"DELETE {REMOVED}",
    ),
    "close_door": ("UPDATE class SET closed = 1 WHERE code = :code",),
    "open_door": ("UPDATE class SET closed = 0 WHERE code = :code",),
    "end": (
        "UPDATE class SET ended = 1, until = 0 WHERE code = :code",
        "UPDATE step SET paused = 0 WHERE code = :code",
    ),
    "delete": ("DELETE FROM class WHERE code = :code",),
}
OF_A_STEP = ["bring", "pause_here", "go_on", "reveal", "vote_again"]


def apply(db: sqlite3.Connection, room: Room, press: str, parameters: Mapping[str, Any]) -> None:
    """Change a class by a press; the parameters have the names that the SQL has.

    A class that is brought past the step where it has paused is paused there: else nobody could
    answer. A countdown ends with the vote for which it was, so it never stands beside *Reveal*.

    Raises:
        ClassError: the class has ended, and this press would change a step.
    """
    if room.ended and press in (*OF_A_STEP, "countdown"):
        raise ClassError("The class has ended: its steps cannot be changed any more.")
    done = [press]
    if press == "bring" and 0 < room.paused(parameters["lab"]) < parameters["step"]:
        done.append("pause_here")
    if press in OF_A_STEP:
        new = "INSERT OR IGNORE INTO step (code, lab, step) VALUES (:code, :lab, :step)"
        db.execute(new, parameters)
    for name in done:
        for statement in PRESSES[name]:
            db.execute(statement, parameters)
    if press != "show":  # It changes boards alone, and these look each second.
        db.execute("UPDATE class SET version = version + 1 WHERE code = :code", parameters)
