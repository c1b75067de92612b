"""The board of a class, drawn by one component: students down, steps across; or one question.

Python sends all of it as JSON. The component then asks the route `class/board` for
news each second, and changes what differs. A press comes back as a trigger. The component checks no
right: Python does, at each press.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from embviz.classes.board import STATES
from embviz.classes.room import Room
from embviz.classes.shown import shown
from embviz.ui.pages.labs.class_link import ClassLink
from embviz.ui.parts.component import component

FOLDER = Path(__file__).parent
KEY = "class_board"
_component = component(
    "embviz_class_board",
    [FOLDER / "words.js", FOLDER / "board.js"],
    html=(FOLDER / "board.html").read_text("utf-8"),
    css=(FOLDER / "board.css").read_text("utf-8"),
)


def draw(
    room: Room,
    link: ClassLink,
    question: int,
    on_press: Callable[[], None],
    on_gone: Callable[[], None],
) -> None:
    """Draw the board, or with `question` the answers to that step, counted from 1.

    `on_press` is called after a press, which the component's value has, and `on_gone` where the
    route no longer shows the class to this browser.
    """
    data = {"text": packed(room, link, question)}
    _component(key=KEY, data=data, on_press_change=on_press, on_gone_change=on_gone)


def packed(room: Room, link: ClassLink, question: int) -> str:
    """All that the component shows, as JSON."""
    return json.dumps(
        {
            "code": room.classroom.code,
            "lab": room.lab.title,
            "link": link.url,
            "remark": link.remark,
            "qr": link.qr(),
            "states": [vars(state) for state in STATES],
            **shown(room, question),
        }
    )
