"""The file of the classes: many at once, faults, what it holds, and what is deleted from it."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from embviz.classes import here as server
from embviz.classes.room import NoClassError, StoredAnswer, StoreError
from embviz.classes.store import Store
from tests.classes.conftest import TEACHER, Class


def files(store: Store) -> bytes:
    """All bytes of the file and of what lies beside it."""
    return b"".join(path.read_bytes() for path in store.path.parent.iterdir())


def test_three_hundred_join_at_once(one: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """In two servers with one file: each answer is kept once, each student has one row."""
    monkeypatch.setenv("EMBVIZ_MAX_MEMBERS", "300")
    stores = [one.store, Store(one.store.path)]

    def work(place: int) -> None:
        stores[place % 2].keep(one.code, f"{place}", 1, 1, StoredAnswer(f"{place}", "", True))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(300)))
    found = stores[1].answers(one.code)
    assert len(found) == len({row[4] for row in found}) == len({row[1] for row in found}) == 300


def test_a_full_disk(one: Class) -> None:
    """It refuses an answer, which leaves no row; what was kept stays."""
    one.answer("a+")
    db = one.store.db
    assert db is not None
    db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StoreError, match="disk is full"):
        one.store.keep(one.code, "b", 1, 1, StoredAnswer("4" * 9000, "", True))
    assert one.kept() == "1+"


def test_a_file_of_somebody_else_is_refused(store: Store) -> None:
    """With a sentence, for a new class too, and not changed."""
    store.path.parent.mkdir()
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("CREATE TABLE mine (x)")
    before = store.path.read_bytes()
    for ask in (lambda: store.start("row", False, TEACHER), lambda: store.room("bbb-bbbb")):
        with pytest.raises(StoreError, match=r"votes\.sqlite3 is not of this"):
            ask()
    assert store.path.read_bytes() == before


def test_a_folder_that_is_closed_to_this_user(tmp_path: Path) -> None:
    """No class is found in it, and none can be made."""
    store = Store(tmp_path / ("x" * 300) / "votes.sqlite3")  # closed for root too: a long name
    store.forget_old()
    assert store.classes_of(TEACHER) == []
    with pytest.raises(NoClassError):
        store.room("bbb-bbbb")
    with pytest.raises(StoreError, match="press again"):
        store.start("row", False, TEACHER)


def test_a_server_forgets_old_classes_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it starts; nobody has to ask for the class."""
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    Store(tmp_path / server.FILE).start("row", False, TEACHER)
    monkeypatch.setattr(time, "time", lambda: 5e9)
    found = server.here()
    end = time.monotonic() + 30
    while found.classes_of(TEACHER) and time.monotonic() < end:
        time.sleep(0.02)
    assert found.classes_of(TEACHER) == []


@pytest.mark.parametrize("press", ["delete", "remove"])
def test_what_is_deleted_is_in_no_file(one: Class, press: str) -> None:
    """Answers and names are overwritten, in the log too; no cookie is ever in it."""
    one.store.keep(one.code, "the cookie of a student", 1, 1, StoredAnswer("31415926", "", True))
    (number, name, *_), *_ = one.store.answers(one.code)
    assert b"31415926" in files(one.store)
    assert b"cookie" not in files(one.store)
    assert {path.stat().st_mode & 0o777 for path in one.store.path.parent.iterdir()} == {0o600}
    one.press(press, number)
    assert b"31415926" not in files(one.store)
    assert name.encode() not in files(one.store)
    assert bool(one.store.classes_of(TEACHER)) == (press == "remove")
