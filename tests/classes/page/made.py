"""A class of this server, with its students and its board, without a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from embviz.classes import pace
from embviz.classes.here import here
from embviz.classes.page import class_link
from embviz.classes.routes import STUDENT, TEACHER
from embviz.labs.catalogue import questions
from embviz.labs.question import Question
from tests.classes import conftest
from tests.labs.page.visitor import Visitor

BOSS = "t" * 43


@dataclass
class Class(conftest.Class):
    """A class, and cookies by the name of a browser."""

    secret: str = BOSS
    cookies: dict[str, str] = field(default_factory=dict)

    def asked(self, step: int, lab: str = "row") -> Question:
        """The question of a step."""
        return questions(lab, self.room.seed)[step - 1]

    def student(self, name: str = "a", step: int = 1, **query: str) -> Visitor:
        """A student's page."""
        self.cookies[STUDENT] = name * 43
        return Visitor(**{"class": self.code, "step": str(step), **query})

    def board(self, cookie: str = BOSS, **query: str) -> Visitor:
        """The board in a browser with this cookie."""
        self.cookies[TEACHER] = cookie
        return Visitor(board=self.code, **query)


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    """A class that begins with the lab *row*, on a server of its own."""
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    monkeypatch.setattr(pace, "AT_ONCE", 10_000)
    cookies: dict[str, str] = {}
    monkeypatch.setattr(class_link, "cookie", lambda name: cookies.get(name, ""))
    store = here()
    return Class(store, store.start("row", BOSS), cookies=cookies)
