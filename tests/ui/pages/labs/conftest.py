"""A class of this server, and browsers in it without a browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from embviz.classes.here import here
from embviz.classes.store import Room, Store
from embviz.labs.catalogue import question
from embviz.labs.question import Answer, Question
from embviz.labs.work import _coded
from embviz.server.class_routes import STUDENT, TEACHER
from embviz.ui.pages.labs import class_link, member
from tests.ui.headless import open_page, unescaped

BOSS = "t" * 43


@dataclass
class Class:
    """A class with the lab *row*, and cookies by the name of a browser."""

    store: Store
    code: str
    cookies: dict[str, str]

    @property
    def room(self) -> Room:
        """As it stands."""
        return self.store.room(self.code)

    def asked(self, step: int) -> Question:
        """The question of a step."""
        return question(self.room.lab, step, self.room.seed)

    def press(self, press: str, step: int = 0) -> None:
        """The teacher presses something."""
        self.store.press(self.code, BOSS, press, step)

    def student(self, name: str = "a", step: int = 1) -> AppTest:
        """A student's page."""
        self.cookies[STUDENT] = name * 43
        return open_page("labs", **{"class": self.code, "step": str(step)})

    def board(self, cookie: str = BOSS, **query: str) -> AppTest:
        """The board in a browser with this cookie."""
        self.cookies[TEACHER] = cookie
        return open_page("labs", board=self.code, **query)

    def typed(self) -> list[tuple[object, ...]]:
        """What the store has: step, vote, typed, right, mistake."""
        rows = self.store.answers(self.code)
        return [(*row[2:5], *row[6:]) for row in rows if row[2]]


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    """A class that votes."""
    return made(tmp_path, monkeypatch, "row", False)


def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lab: str, own_pace: bool) -> Class:
    """A class on a server with a folder of its own."""
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    monkeypatch.setattr(member, "WRONG_S", 0.0)
    cookies: dict[str, str] = {}
    monkeypatch.setattr(class_link, "cookie", lambda name: cookies.get(name, ""))
    store = here()
    assert store is not None
    return Class(store, store.start(lab, own_pace, BOSS), cookies)


def give(app: AppTest, asked: Question, answer: Answer) -> None:
    """Type or choose an answer and press the button."""
    typed = answer if isinstance(answer, str) else _coded(asked, answer)
    give_text(app, typed)


def give_text(app: AppTest, typed: str) -> None:
    """The same for any text."""
    field = [*app.main.radio, *app.main.text_input][0]
    field.set_value(typed)
    next(one for one in app.button if one.label in ("Answer", "Check")).click().run()
    assert [failure.value for failure in app.exception] == []


def words(app: AppTest) -> str:
    """All that the page says."""
    parts = [
        *app.main.markdown,
        *app.info,
        *app.warning,
        *app.error,
        *app.success,
        *app.get("html"),
    ]
    return unescaped("\n".join(str(getattr(part, "value", "") or part.proto) for part in parts))


def prompt(app: AppTest) -> str:
    """The question, with the rows of a table that can be pressed."""
    texts = [str(part.value) for part in app.main.markdown]
    at = next(place for place, text in enumerate(texts) if ", step " in text) + 2
    rows = [one.label.strip("`") for one in app.main.button if one.label.startswith("`")]
    if not rows:
        return texts[at]
    table = "\n".join(["```", *rows, "```"]).replace("\xa0", " ")
    return f"{texts[at]}\n{table}\n{texts[at + 1]}"
