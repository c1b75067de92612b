"""The file of the classes: many at once, faults, what it holds, and what is deleted from it."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from embviz.classes import file
from embviz.classes import here as server
from embviz.classes.room import NoClassError, StoredAnswer, StoreError
from embviz.classes.store import Store
from embviz.server.scheduler import RunQueue
from tests.classes.conftest import TEACHER, Class


def files(store: Store) -> bytes:
    """All bytes of the file and of what lies beside it."""
    return b"".join(path.read_bytes() for path in store.path.parent.iterdir())


def test_many_join_at_once(one: Class) -> None:
    """In two servers with one file: each answer is kept once, each student has one row."""
    stores = [one.store, Store(one.store.path)]

    def work(place: int) -> None:
        store, who = stores[place % 2], f"{place % 150}"
        store.join(one.code, who)
        answer = StoredAnswer(f"{place}", "", True)
        store.keep(one.code, who, "row", 1 + place // 150, answer, vote=1)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(300)))
    found = stores[1].snapshot(one.code)
    assert len(found.answers) == len({given.typed for given in found.answers}) == 300
    assert len(found.members) == len({member.name for member in found.members}) == 150


def test_a_removed_file_is_closed_after_the_transaction_of_another_thread(one: Class) -> None:
    """Whoever starts a class meanwhile waits, and then has a new file."""
    with ThreadPoolExecutor(1) as pool:
        with one.store.transaction(one.code) as db:
            for path in one.store.path.parent.iterdir():
                path.unlink()
            started = pool.submit(one.store.start, "row", TEACHER)
            with pytest.raises(TimeoutError):
                started.result(0.3)
            assert db.execute("SELECT code FROM class").fetchall() == [(one.code,)]
        code = started.result()
    assert [room.code for room in one.store.classes_of(TEACHER)] == [code]


def test_a_full_disk(one: Class) -> None:
    """It refuses an answer, which leaves no row; what was kept stays."""
    one.answer("a+")
    db = one.store.db
    assert db is not None
    db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StoreError, match="disk is full"):
        one.store.keep(one.code, "b", "row", 1, StoredAnswer("4" * 9000, "", True), vote=1)
    assert one.kept() == "1+"
    assert len(one.names()) == 1


def test_a_class_is_read_by_indexes(one: Class) -> None:
    """However many answers other classes have: no table of rows is read from its start."""
    one.play("a+")
    db, said = one.store.db, list[str]()
    assert db is not None
    db.set_trace_callback(said.append)
    for browser in ("", "a"):
        one.store.snapshot(one.code, browser)
    one.play("a-")
    one.store.join(one.code, "b")
    db.set_trace_callback(None)
    asked = [one for one in said if one.startswith("SELECT")]
    plans = [str(row[3]) for one in asked for row in db.execute(f"EXPLAIN QUERY PLAN {one}")]
    assert len(asked) > 10
    assert [plan for plan in plans if plan.startswith("SCAN") and "CONSTANT" not in plan] == []


def test_a_file_of_somebody_else_is_refused(store: Store) -> None:
    """With a sentence, for a new class too, and not changed."""
    store.path.parent.mkdir()
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("CREATE TABLE mine (x)")
    before = store.path.read_bytes()
    for ask in (lambda: store.start("row", TEACHER), lambda: store.room("bbb-bbbb")):
        with pytest.raises(StoreError, match=r"votes\.sqlite3 in embviz"):
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
        store.start("row", TEACHER)


def test_a_server_forgets_old_classes_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it starts; nobody has to ask for the class."""
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    Store(tmp_path / server.FILE).start("row", TEACHER)
    monkeypatch.setattr(time, "time", lambda: 5e9)
    found = server.here()
    end = time.monotonic() + 30
    while found.classes_of(TEACHER) and time.monotonic() < end:
        time.sleep(0.02)
    assert found.classes_of(TEACHER) == []


@pytest.mark.parametrize("press", ["delete", "remove"])
def test_what_is_deleted_is_in_no_file(one: Class, press: str) -> None:
    """Answers and names are overwritten, in the log too; no cookie is ever in it."""
    answer = StoredAnswer("31415926", "", True)
    one.store.keep(one.code, "the cookie of a student", "row", 1, answer, vote=1)
    (member,) = one.snapshot.members
    assert b"31415926" in files(one.store)
    assert b"cookie" not in files(one.store)
    assert {path.stat().st_mode & 0o777 for path in one.store.path.parent.iterdir()} == {0o600}
    one.press(press, member=member.number)
    assert b"31415926" not in files(one.store)
    assert member.name.encode() not in files(one.store)
    assert bool(one.store.classes_of(TEACHER)) == (press == "remove")


def test_a_file_that_is_replaced_is_opened_anew(one: Class, tmp_path: Path) -> None:
    """A backup that is moved here counts from then on."""
    one.answer("a+")
    backup = tmp_path / "backup"
    with closing(sqlite3.connect(one.store.path)) as db:
        db.execute("VACUUM INTO ?", (str(backup),))
    one.answer("b+")
    assert one.kept() == "1+ 1+"
    one.store.close()
    assert one.kept() == "1+ 1+"
    backup.replace(one.store.path)
    assert one.kept() == "1+"


def test_who_waits_for_a_locked_file_holds_no_slot(
    one: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another page begins while one waits for another program, or for a thread that does."""
    monkeypatch.setattr(file, "BUSY_S", 60.0)
    queue = RunQueue(together=1)
    monkeypatch.setattr(file, "run_queue", queue)

    def page(session: str) -> None:
        with queue.slot(session):
            one.store.join(one.code, session)

    with closing(sqlite3.connect(one.store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(3) as pool:
            waiting = [pool.submit(page, session) for session in "abc"]
            end = time.monotonic() + 50
            while (queue.held or queue.waiting) and time.monotonic() < end:
                time.sleep(0.01)
            assert (queue.held, [one.done() for one in waiting]) == (0, [False] * 3)
            with queue.slot("another"):
                pass
            other.execute("ROLLBACK")
            for one_page in waiting:
                one_page.result(20)
    assert len(one.names()) == 3
