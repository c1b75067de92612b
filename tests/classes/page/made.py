"""A class of this server, with its students and its board, without a browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from embviz.classes import pace
from embviz.classes.here import here
from embviz.classes.page import class_link
from embviz.classes.room import Room
from embviz.classes.routes import STUDENT, TEACHER
from embviz.classes.store import Store
from embviz.labs.catalogue import questions
from embviz.labs.question import Question
from tests.labs.page.visitor import Visitor

BOSS = "t" * 43


@dataclass
class Class:
    """A class, and cookies by the name of a browser."""

    store: Store
    code: str
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def room(self) -> Room:
        """As it stands."""
        return self.store.room(self.code)

    def asked(self, step: int, lab: str = "row") -> Question:
        """The question of a step."""
        return questions(lab, self.room.seed)[step - 1]

    def press(self, press: str, step: int = 1, lab: str = "row", **more: float) -> None:
        """The teacher presses something."""
        self.store.press(self.code, BOSS, press, lab, step, **more)

    def student(self, name: str = "a", step: int = 1, **query: str) -> Visitor:
        """A student's page."""
        self.cookies[STUDENT] = name * 43
        return Visitor(**{"class": self.code, "step": str(step), **query})

    def board(self, cookie: str = BOSS, **query: str) -> Visitor:
        """The board in a browser with this cookie."""
        self.cookies[TEACHER] = cookie
        return Visitor(board=self.code, **query)

    def kept(self) -> list[tuple[Any, ...]]:
        """What the store has: vote, typed, right."""
        answers = self.store.snapshot(self.code).answers
        return [(one.vote, one.typed, bool(one.right)) for one in answers]

    def names(self) -> list[str]:
        """The pseudonyms, in the order in which they came."""
        return [one.name for one in self.store.snapshot(self.code).members]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Class]:
    """Starts classes that begin with a lab, on a server of its own."""
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    monkeypatch.setattr(pace, "AT_ONCE", 10_000)
    cookies: dict[str, str] = {}
    monkeypatch.setattr(class_link, "cookie", lambda name: cookies.get(name, ""))
    store = here()
    return lambda lab: Class(store, store.start(lab, BOSS), cookies)


@pytest.fixture
def one(made: Callable[[str], Class]) -> Class:
    """A class that begins with the lab *row*."""
    return made("row")
