"""The store keeps what it acknowledges, once and in order, and says why it cannot."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from embviz.classes import database, queries, writer
from embviz.classes.codes import guest_of, new_code, new_token
from embviz.classes.outbox import MOST_AT_ONCE
from embviz.classes.record import Answer, ClassError, StoreError
from embviz.classes.store import Store
from embviz.core import bounds
from tests.classes.stores import TEACHER, AClass

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AClass]:
    """A class with one member."""
    monkeypatch.setattr(database, "BUSY_S", 0.01)
    made = AClass(tmp_path / "data" / "classes.sqlite3")
    yield made
    made.store.close()


def test_a_class_from_start_to_end(one: AClass) -> None:
    """News have the class, its members and answers, later only what is new; it ends and goes."""
    one.post(1)
    first = one.store.news(one.code)
    (member,) = first.members
    assert (member.number, member.guest) == (1, guest_of(one.token))
    assert [(found.member, found.answer) for found in first.answers] == [
        (1, Answer("ids", 1, "3", 1))
    ]
    again = one.store.news(one.code, first.last)
    assert (again.members, again.answers, again.last) == ((), (), first.last)

    other = one.joined()
    news = one.store.news(one.code, first.last)
    assert [found.guest for found in news.members] == [guest_of(other)]
    changed = one.store.change(one.code, TEACHER, paused=2, revealed=["ids"]).result()
    assert (changed.version, changed.paused, {*changed.revealed}) == (1, 2, {"ids"})
    assert changed.revealed["ids"] == news.last  # what comes later is not in its spread
    assert one.store.change(one.code, TEACHER, paused=2).result() == changed
    both = one.store.change(one.code, TEACHER, revealed=["ids", "bits"]).result()
    assert both.revealed["ids"] == news.last
    assert one.store.classroom(one.code) == both
    assert one.store.change(one.code, TEACHER, paused=None, ended=True).result().paused is None
    with pytest.raises(ClassError, match="has ended"):
        one.post(2)
    with pytest.raises(ClassError, match="has ended"):
        one.joined()
    assert one.store.join(one.code, one.token).result().pseudonym == member.pseudonym
    assert [found.code for found in one.store.classes_of(TEACHER)] == [one.code]
    one.store.delete(one.code, TEACHER).result()
    assert one.store.classes_of(TEACHER) == ()
    with pytest.raises(ClassError, match=f"There is no class '{one.code}'"):
        one.store.news(one.code)


def test_nothing_is_made_before_a_class_starts(tmp_path: Path) -> None:
    """Without a class there is no file, and each code is refused."""
    store = Store(tmp_path / "data" / "classes.sqlite3")
    code, token = new_code(), new_token()
    for ask in (lambda: store.classroom(code), store.join(code, token).result):
        with pytest.raises(ClassError, match="no class"):
            ask()
    assert store.classes_of(TEACHER) == ()
    assert not store.has(code, token)
    assert not store.is_teacher(code, TEACHER)
    assert not (tmp_path / "data").exists()
    store.close()
    with pytest.raises(StoreError, match="stopping"):
        store.start("row", TEACHER)


def test_resent_answers_count_once(one: AClass) -> None:
    """Two tabs send attempt 1 with different values: both are kept, and nothing counts twice."""
    for typed in ("3", "4", "3"):
        one.post(1, typed)
    one.reopen()
    work = [Answer("ids", 1, typed, 1) for typed in ("3", "4", "5")]
    one.store.post(one.code, one.token, work * 2).result()
    assert one.kept() == [(1, "3"), (1, "4"), (1, "5")]
    assert one.store.join(one.code, one.token).result().number == 1


def test_a_hundred_students_at_once(one: AClass) -> None:
    """100 threads join and post: each answer is kept once, in each student's order."""
    most, start = 10, threading.Barrier(100)

    def student(_: int) -> None:
        start.wait(60)
        token = one.joined()
        for nth in range(1, most + 1):
            one.post(nth, token=token)

    with ThreadPoolExecutor(100) as pool:
        assert list(pool.map(student, range(100))) == [None] * 100
    news = one.store.news(one.code)
    assert len({found.pseudonym for found in news.members}) == 101
    orders: dict[int, list[int]] = {}
    for found in news.answers:
        orders.setdefault(found.member, []).append(found.answer.nth)
    assert len(one.kept()) == 1000
    assert [*orders.values()] == [[*range(1, most + 1)]] * 100


def half_done(db: sqlite3.Connection) -> None:
    """A job that is refused after it has changed something."""
    db.execute("DELETE FROM answer")
    raise ClassError("It changed its mind.")


def test_answers_that_wait_are_committed_together(one: AClass) -> None:
    """Jobs that arrive while the thread writes are one transaction; a refused one undoes itself."""
    seen: list[str] = []
    one.store._writer.submit(lambda db: db.set_trace_callback(seen.append)).result()
    tokens = [one.joined() for _ in range(30)]
    with one.held():
        seen.clear()
        sent = [one.store.post(one.code, token, [Answer("ids", 1, "3", 1)]) for token in tokens]
        wrong = one.store.post(one.code, new_token(), [Answer("ids", 1, "3", 1)])
        undone = one.store._writer.submit(half_done)
    for future in sent:
        future.result()
    with pytest.raises(ClassError, match="no member"):
        wrong.result()
    with pytest.raises(ClassError, match="changed its mind"):
        undone.result()
    assert len(one.kept()) == 30
    assert seen.count("COMMIT") == 2  # of the thread's earlier job, and of these
    seen.clear()
    later = one.store.post(one.code, tokens[0], [Answer("ids", 2, "4", 1)], within_s=3600)
    assert not later.done()
    one.store.join(one.code, tokens[1]).result()
    assert later.done()
    assert seen.count("COMMIT") == 1
    last = one.store.post(one.code, tokens[0], [Answer("ids", 3, "5", 1)], within_s=3600)
    one.store.close()
    last.result()
    assert len(one.kept()) == 32


CHILD = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tests.classes.stores import AClass
one = AClass(Path(sys.argv[1]))
print(one.code, flush=True)
def student(who):
    token = one.joined()
    for nth in range(1, 400):
        one.post(nth, f"{who}", token=token)
        sys.stdout.write(f"{nth} {who}\\n")  # one write: lines of other threads stay whole
        sys.stdout.flush()
list(ThreadPoolExecutor(4).map(student, range(4)))
"""


def test_what_was_acknowledged_survives_kill_9(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server killed in the middle of writing has lost no answer that it acknowledged."""
    monkeypatch.setenv(bounds.ANSWERS.variable, "1000")
    path = tmp_path / "classes.sqlite3"
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        code = child.stdout.readline().strip()
        acknowledged = [child.stdout.readline() for _ in range(200)]
        child.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        acknowledged += child.stdout.readlines()
    store = Store(path)
    found = {f"{one.answer.nth} {one.answer.typed}\n" for one in store.news(code).answers}
    # The last line may be torn.
    assert {line for line in acknowledged if line.endswith("\n")} <= found
    assert len(found) < 4 * 399
    store.start("row", TEACHER)  # and it goes on
    store.close()


def test_a_locked_file(one: AClass, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another program writes, answers wait; reading goes on, and tells why nothing comes."""
    one.post(1)
    last = one.store.news(one.code).last
    with one.locked():
        with pytest.raises(StoreError, match=r"file classes\.sqlite3 .* locked by another program"):
            one.post(2)
        assert one.kept() == [(1, "3")]
        with pytest.raises(StoreError, match="locked by another program"):
            one.store.news(one.code, last)
        with monkeypatch.context() as later:
            later.setattr(writer, "FRESH_S", 0.0)  # nobody tries any more
            assert one.store.news(one.code, last).answers == ()
    one.store.change(one.code, TEACHER, paused=1).result()
    assert one.store.news(one.code, last).classroom.paused == 1
    one.post(2)
    assert one.kept() == [(1, "3"), (2, "3")]


def test_a_full_disk(one: AClass) -> None:
    """A disk that is full refuses answers for now; what was acknowledged stays."""

    def most(pages: int) -> None:
        limit = f"PRAGMA max_page_count = {pages}"
        one.store._writer.submit(lambda db: db.execute(limit).fetchone()).result()

    most(1)  # SQLite takes the present size
    tokens = [one.joined()]
    acknowledged = []
    with pytest.raises(StoreError, match="disk is full"):  # noqa: PT012  # some fit
        for nth in range(1, 60):
            one.post(nth, "9" * 100, token=tokens[0])
            acknowledged.append((nth, "9" * 100))
    assert one.kept() == acknowledged
    most(100_000)
    one.post(60)
    assert one.kept() == [*acknowledged, (60, "3")]


def test_a_file_that_is_removed_is_not_made_anew(one: AClass) -> None:
    """Answers wait while the file is gone; it may come back, and a new class makes a new file."""
    one.post(1)
    aside = one.path.with_name("aside")
    one.path.rename(aside)
    for ask in (lambda: one.post(2), one.kept):
        with pytest.raises(StoreError, match="was removed"):
            ask()
    assert not one.path.exists()
    aside.rename(one.path)
    one.post(2)
    assert one.kept() == [(1, "3"), (2, "3")]

    for file in one.path.parent.iterdir():
        file.unlink()
    new = one.store.start("row", TEACHER).code
    assert one.store.news(new).answers == ()
    with pytest.raises(ClassError, match="no class"):
        one.post(3)


def test_nothing_is_acknowledged_in_a_file_that_nobody_finds(one: AClass) -> None:
    """A file that is removed in the middle of a transaction takes what was written with it."""
    aside = one.path.with_name("aside")
    with one.held():
        one.store._writer.submit(lambda _: one.path.rename(aside))
        sent = one.store.post(one.code, one.token, [Answer("ids", 1, "3", 1)])
    with pytest.raises(StoreError, match="removed or replaced"):
        sent.result()
    aside.rename(one.path)
    one.post(1)
    assert one.kept() == [(1, "3")]


def of_nobody(path: Path) -> None:
    """A text in the file's place."""
    path.write_bytes(b"nothing " * 1000)


def of_another_program(path: Path) -> None:
    """A database that is not embviz's."""
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (x)")
    db.close()


def a_folder(path: Path) -> None:
    """A folder in the file's place."""
    path.mkdir()


@pytest.mark.parametrize(
    ("put", "words"),
    [
        (of_nobody, "is damaged or is no database"),
        (of_another_program, "is of another program: move it away"),
        (a_folder, "cannot be opened, read or written"),
    ],
)
def test_another_file_is_refused(one: AClass, put: Callable[[Path], None], words: str) -> None:
    """A file of somebody else is refused with a sentence, by a new class too, and not changed."""
    one.post(1)
    aside = one.path.with_name("aside")
    one.path.rename(aside)
    put(one.path)
    for ask in (lambda: one.post(2), one.kept, lambda: one.store.start("row", TEACHER)):
        with pytest.raises(StoreError, match=words) as error:
            ask()
        assert str(one.path.parent) not in str(error.value)
    shutil.rmtree(one.path) if one.path.is_dir() else one.path.unlink()
    aside.rename(one.path)
    one.post(2)
    assert one.kept() == [(1, "3"), (2, "3")]


def test_a_file_of_another_version_is_refused(one: AClass) -> None:
    """A file of another version is refused, with what to do, and nothing in it changes."""
    one.store.close()
    one.sql("PRAGMA user_version = 7")
    one.reopen()
    for ask in (lambda: one.post(2), one.kept, lambda: one.store.start("row", TEACHER)):
        with pytest.raises(StoreError, match="another version of embviz: move it away"):
            ask()
    assert one.sql("SELECT count(*) FROM class") == [(1,)]


def test_two_servers_share_a_file(one: AClass) -> None:
    """Two servers of one user write to one file in turn, and each sees what the other has kept."""
    other = Store(one.path)
    try:
        for nth in range(1, 5):
            store = (one.store, other)[nth % 2]
            store.post(one.code, one.token, [Answer("ids", nth, "3", 1)]).result()
        assert [one.answer.nth for one in other.news(one.code).answers] == [1, 2, 3, 4]
        assert other.start("row", TEACHER) in one.store.classes_of(TEACHER)
    finally:
        other.close()
    one.post(5)


def test_only_the_teacher_changes_a_class(one: AClass) -> None:
    """Another browser's secret, and another class's, change and delete nothing."""
    other = one.store.start("row", "another secret").code
    for secret in ("another secret", "", one.token):
        assert not one.store.is_teacher(one.code, secret)
        for ask in (
            one.store.change(one.code, secret, ended=True),
            one.store.delete(one.code, secret),
        ):
            with pytest.raises(ClassError, match="Only the browser that started"):
                ask.result()
    assert one.store.is_teacher(one.code, TEACHER)
    assert not one.store.is_teacher(other, TEACHER)
    assert not one.store.is_teacher(new_code(), TEACHER)
    assert one.store.classroom(one.code).version == 0


def test_forged_members_and_classes_are_refused(one: AClass) -> None:
    """A foreign class, a foreign member, and what is no code or token at all are refused."""
    other = one.store.start("row", TEACHER).code
    answers = [Answer("ids", 1, "3", 1)]
    tokens = [new_token(), "", "' OR 1 --", "x" * 10_000, one.token + " "]
    pairs = [(other, one.token), (new_code(), one.token), ("' OR 1 --", one.token)]
    for code, token in [*pairs, *((one.code, token) for token in tokens)]:
        assert not one.store.has(code, token)
        with pytest.raises(ClassError, match=r"^.{1,200}$"):
            one.store.post(code, token, answers).result()
    assert one.store.has(one.code, one.token)
    assert one.kept() == []


def test_the_bounds(one: AClass, monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes and members are bounded."""
    monkeypatch.setenv(bounds.MEMBERS.variable, "2")
    monkeypatch.setenv(bounds.CLASSES.variable, "2")
    one.joined()
    with pytest.raises(ClassError, match="is full: it has 2 members"):
        one.joined()
    assert one.store.join(one.code, one.token).result().number == 1
    other = one.store.start("row", TEACHER).code
    with pytest.raises(ClassError, match=r"keeps 2 classes\. End and delete"):
        one.store.start("row", TEACHER)
    one.store.delete(other, TEACHER).result()
    one.store.start("row", TEACHER)


def test_answers_a_minute(one: AClass, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10,000 forged answers those of the bound are kept in a minute, and others go on."""
    now = queries.time.time()
    monkeypatch.setattr(queries.time, "time", lambda: now)
    monkeypatch.setenv(bounds.ANSWERS.variable, "20")
    other = one.joined()
    work = [Answer("ids", nth, "3", 1) for nth in range(1, 10_001)]
    for _ in range(2):
        with pytest.raises(queries.TooFastError, match="20 answers of one member in a minute"):
            one.store.post(one.code, one.token, work[:MOST_AT_ONCE]).result()
    assert len(one.kept()) == 20
    one.post(1, token=other)
    now += 61
    with pytest.raises(queries.TooFastError):
        one.store.post(one.code, one.token, work[:MOST_AT_ONCE]).result()
    assert len(one.kept()) == 41
    monkeypatch.setenv(bounds.ANSWERS.variable, "1000")
    with pytest.raises(ClassError, match=f"keeps {queries.MOST_OF_MEMBER} answers"):  # noqa: PT012
        for start in range(0, 10_000, MOST_AT_ONCE):
            one.store.post(one.code, one.token, work[start : start + MOST_AT_ONCE]).result()
    assert len(one.kept()) == queries.MOST_OF_MEMBER + 1


def test_a_class_is_deleted_after_30_days(one: AClass, monkeypatch: pytest.MonkeyPatch) -> None:
    """30 days after its last answer a class is gone when a server starts; a younger one stays."""
    began = queries.time.time()
    now = began + 29 * queries.DAY_S
    monkeypatch.setattr(queries.time, "time", lambda: now)
    one.post(1)  # a new answer: 30 more days
    young = one.store.start("row", TEACHER).code
    now = began + 59 * queries.DAY_S - 10
    one.post(2, token=one.token)
    for moment, left in ((now + 30 * queries.DAY_S - 5, {one.code}), (now + 31e9, set())):
        monkeypatch.setattr(queries.time, "time", lambda moment=moment: moment)
        one.reopen()
        one.store._writer.submit(lambda _: None).result()  # the deletion came first
        assert {found.code for found in one.store.classes_of(TEACHER)} == left
    assert young


def test_what_is_deleted_is_in_no_file(one: AClass) -> None:
    """A deleted class's answers are overwritten, in the log too."""
    pseudonym = one.store.join(one.code, one.token).result().pseudonym
    secrets = [b"31415926535", pseudonym.encode(), one.code.encode()]

    def found() -> list[bytes]:
        content = b"".join(file.read_bytes() for file in one.path.parent.iterdir())
        return [secret for secret in secrets if secret in content]

    one.post(1, "31415926535")
    assert found() == secrets
    one.store.delete(one.code, TEACHER).result()
    one.settle()
    assert found() == []


def test_the_file_has_no_secrets(one: AClass) -> None:
    """The file has no token and no teacher's secret, and only its owner may read it."""
    content = b"".join(file.read_bytes() for file in one.path.parent.iterdir())
    assert one.code.encode() in content
    assert one.token.encode() not in content
    assert TEACHER.encode() not in content
    assert one.path.stat().st_mode & 0o077 == 0
