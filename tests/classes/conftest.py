"""A class in a store, and what its teacher and its students do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from embviz.classes.store import Answer, Store

TEACHER = "a teacher's cookie"
RIGHT, WRONG = Answer("4", "4", True), Answer("5", "5", False, "Counted from 1.")


@dataclass
class Class:
    """A class of a store."""

    store: Store
    code: str

    def press(self, press: str, step: int = 0, secret: str = TEACHER) -> None:
        """The teacher presses something."""
        self.store.press(self.code, secret, press, step)

    def answer(
        self, who: str, answer: Answer = RIGHT, step: int = 1, vote: int | None = None
    ) -> None:
        """A browser answers a step; by default in the vote that is open."""
        vote = self.store.room(self.code).step(step).vote if vote is None else vote
        self.store.keep(self.code, who, step, vote, answer)

    def name(self, who: str) -> str:
        """The pseudonym of a browser; `""` where it has no row."""
        rows = self.store.answers(self.code, who)
        return str(rows[0][1]) if rows else ""

    def kept(self, step: int = 1) -> list[tuple[Any, ...]]:
        """The answers to a step: vote, typed, bar, right, mistake; in the order of members."""
        return [row[3:] for row in self.store.answers(self.code) if row[2] == step]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A server's store, without a file so far."""
    return Store(tmp_path / "data" / "votes.sqlite3")


@pytest.fixture
def one(store: Store) -> Class:
    """A class that votes."""
    return Class(store, store.start("row", False, TEACHER))
