"""A class in a store, and what its teacher and its students do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from embviz.classes.room import Room, StoredAnswer
from embviz.classes.snapshot import LATE, Snapshot
from embviz.classes.store import Store

TEACHER = "a teacher's cookie"
GIVEN = {
    "+": StoredAnswer("4", "4", True, "", "A sum"),
    "-": StoredAnswer("5", "5", False, "Counted from 1.", "A sum"),
    "?": StoredAnswer("9", "other", False, "", "A sum"),
    "!": StoredAnswer("3", "3", False, "A rare one.", "A sum"),
}


@dataclass
class Class:
    """A class of a store."""

    store: Store
    code: str
    secret: str = TEACHER

    @property
    def room(self) -> Room:
        """Where it stands."""
        return self.store.room(self.code)

    @property
    def snapshot(self) -> Snapshot:
        """All members and answers."""
        return self.store.snapshot(self.code)

    def press(self, press: str, step: int = 1, lab: str = "row", **more: float) -> None:
        """The teacher presses something."""
        self.store.press(self.code, self.secret, press, lab, step, **more)

    def answer(self, who: str, step: int = 1, lab: str = "row") -> None:
        """A browser and the sign of its answer, such as `a+`, in the vote that is open."""
        vote = self.room.step(lab, step).vote
        self.store.keep(self.code, who[:-1], lab, step, GIVEN[who[-1]], vote=vote)

    def play(self, script: str, step: int = 1, lab: str = "row") -> Class:
        """Answers, presses and coming (`a=`) on a step, one after the other."""
        for word in script.split():
            if word[-1] in GIVEN:
                self.answer(word, step, lab)
            elif word[-1] == "=":
                self.store.join(self.code, word[:-1])
            else:
                self.press(word, step, lab)
        return self

    def kept(self, step: int = 1, lab: str = "row") -> str:
        """The answers to a step in the order of members: vote and sign."""
        signs = {answer.typed: sign for sign, answer in GIVEN.items()}
        rows = [one for one in self.snapshot.answers if (one.lab, one.step) == (lab, step)]
        assert all(one.vote in (1, 2, LATE) for one in rows)
        return " ".join(f"{one.vote}{signs.get(one.typed, one.typed)}" for one in rows)

    def names(self, browser: str = "") -> list[str]:
        """Names of the members, or of a browser."""
        return [one.name for one in self.store.snapshot(self.code, browser).members]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A server's store, without a file so far."""
    return Store(tmp_path / "data" / "votes.sqlite3")


@pytest.fixture
def one(store: Store) -> Class:
    """A class."""
    return Class(store, store.start("row", TEACHER))


@pytest.fixture
def other(store: Store) -> Class:
    """Another one of the same store."""
    return Class(store, store.start("row", TEACHER))
