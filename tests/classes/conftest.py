"""A class in a store, and what its teacher and its students do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from embviz.classes.room import StoredAnswer
from embviz.classes.store import Store

TEACHER = "a teacher's cookie"
GIVEN = {
    "+": StoredAnswer("4", "4", True),
    "-": StoredAnswer("5", "5", False, "Counted from 1."),
    "?": StoredAnswer("9", "other", False),
    "!": StoredAnswer("3", "3", False, "A rare one."),
}


@dataclass
class Class:
    """A class of a store."""

    store: Store
    code: str

    def press(self, press: str, step: int = 1, secret: str = TEACHER) -> None:
        """The teacher presses something."""
        self.store.press(self.code, secret, press, step)

    def answer(self, who: str, step: int = 1, vote: int | None = None) -> None:
        """A browser and the sign of its answer, such as `a+`, in the vote that is open."""
        open_vote = self.store.room(self.code).step(step).vote
        vote = open_vote if vote is None else vote
        self.store.keep(self.code, who[:-1], step, vote, GIVEN[who[-1]])

    def play(self, script: str, step: int = 1) -> Class:
        """Answers and presses on a step, one after the other."""
        for word in script.split():
            if word[-1] in GIVEN:
                self.answer(word, step)
            else:
                self.press(word, step)
        return self

    def kept(self, step: int = 1) -> str:
        """The answers to a step in the order of members: vote and sign."""
        signs = {answer.typed: sign for sign, answer in GIVEN.items()}
        rows = [row for row in self.store.answers(self.code) if row[2] == step]
        return " ".join(f"{row[3]}{signs.get(row[4], row[4])}" for row in rows)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A server's store, without a file so far."""
    return Store(tmp_path / "data" / "votes.sqlite3")


@pytest.fixture
def one(store: Store) -> Class:
    """A class that votes."""
    return Class(store, store.start("row", False, TEACHER))


@pytest.fixture
def other(store: Store) -> Class:
    """Another one of the same store, at the students' own pace."""
    return Class(store, store.start("row", True, TEACHER))
