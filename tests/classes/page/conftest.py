"""Visitors of *Labs* without a browser, and a class of this server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
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
from embviz.labs.question import Question, written
from tests.ui.headless import open_page, unescaped, value

BOSS = "t" * 43


def plain(text: str) -> str:
    """Markdown without marks of code and of weight."""
    return re.sub("[*`]", "", text)


class Visitor:
    """A visitor of the page: reads, types, presses."""

    def __init__(self, **query: str) -> None:
        self.app = open_page("labs", **query)

    @property
    def words(self) -> str:
        """All that the main part says."""
        main = self.app.main
        parts = [
            *main.markdown,
            *main.info,
            *main.warning,
            *main.error,
            *main.success,
            *main.html,
        ]
        bars = [f"bar {one.value}: {one.text}" for one in main.get("progress")]
        return unescaped("\n".join([*(str(one.value) for one in parts), *bars]))

    def sees(self, *texts: str, never: Iterable[str] = ()) -> Visitor:
        """Assert what the page says, and what it does not."""
        said = plain(self.words)
        assert [one for one in texts if plain(one) not in said] == []
        assert [one for one in never if plain(one) in said] == []
        return self

    @property
    def place(self) -> str:
        """The shown step, such as `2 of 8`."""
        return re.findall(r"step (\d+ of \d+)", self.words)[0]

    @property
    def rows(self) -> list[Any]:
        """The rows of a table that can be pressed."""
        return [one for one in self.app.main.button if one.label.startswith("`")]

    @property
    def prompt(self) -> str:
        """The question, with the rows of a table that can be pressed."""
        texts = [str(part.value) for part in self.app.main.markdown]
        (title,) = (place for place, text in enumerate(texts) if text.startswith("## "))
        at = title + 1
        lines = [one.label.strip("`").replace("\xa0", " ") for one in self.rows]
        table = "\n".join(["", "```", *lines, "```", texts[at + 1]]) if lines else ""
        return texts[at] + table

    @property
    def field(self) -> Any:
        """The field for the answer."""
        return [*self.app.main.text_input, *self.app.main.radio][0]

    @property
    def picture(self) -> str:
        """The HTML of the picture."""
        shown = [str(one.value) for one in self.app.main.html]
        return next(one for one in shown if one.startswith('<div class="lab-picture'))

    def labels(self) -> list[str]:
        """Of the buttons that can be pressed."""
        return [one.label for one in self.app.button if not one.disabled]

    def press(self, label: str) -> Visitor:
        """Press a button."""
        next(one for one in self.app.button if one.label == label).click().run()
        assert [failure.value for failure in self.app.exception] == []
        return self

    def press_step(self, step: int) -> Visitor:
        """Press a step in the row of steps."""
        self.app.segmented_control(key="step_shown").set_value(step).run()
        return self

    def answer(self, typed: object) -> Visitor:
        """Type or choose an answer, or that of a question, and send it."""
        self.field.set_value(typed if isinstance(typed, str) else written(typed))  # type: ignore[arg-type]
        return self.press("Answer")

    def get(self, name: str) -> Any:
        """A setting of the address."""
        return value(self.app, name)

    @property
    def hint(self) -> str:
        """The hint; it is folded."""
        return "".join(one.markdown[0].value for one in self.app.expander if one.label == "Hint")


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
    monkeypatch.setattr(pace, "WRONG_S", 0.0)
    cookies: dict[str, str] = {}
    monkeypatch.setattr(class_link, "cookie", lambda name: cookies.get(name, ""))
    store = here()
    return lambda lab: Class(store, store.start(lab, BOSS), cookies)


@pytest.fixture
def one(made: Callable[[str], Class]) -> Class:
    """A class that begins with the lab *row*."""
    return made("row")
