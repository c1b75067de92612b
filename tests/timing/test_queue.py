import itertools
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from filelock import FileLock

from embviz.core import bounds
from embviz.timing import queue
from embviz.timing.cases import Case
from embviz.timing.queue import QueueFull, Ticket, folder
from embviz.timing.sweep import Engine
from embviz.ui.pages.timing import sweeps
from tests.timing.conftest import FakeWorker
from tests.timing.waiting import points, script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@pytest.fixture(autouse=True)
def empty_queue(own_queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queue for each test."""
    monkeypatch.setenv(queue.FOLDER_VARIABLE, str(tmp_path))


def test_tickets_are_served_in_order() -> None:
    """Tickets are served in order, and positions follow."""
    tickets = [Ticket() for _ in range(4)]
    assert [ticket.position() for ticket in tickets] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    tickets[2].give_back()
    assert [tickets[n].position() for n in (0, 1, 3)] == [(1, 3), (2, 3), (3, 3)]
    seen: list[tuple[int, ...]] = []

    def told(*place: int) -> None:
        if not seen:  # while the second one waits, the first one goes
            tickets[0].give_back()
        seen.append(place)

    assert tickets[1].wait(told, lambda: False)
    assert seen == [(2, 3), (1, 2)]
    assert not tickets[3].wait(lambda *place: None, lambda: True)
    for ticket in (tickets[1], tickets[3]):
        ticket.give_back()
    assert list(folder().glob("*.ticket")) == []


def test_the_queue_is_bounded(shared: Engine) -> None:
    """The queue refuses one more than its limit."""
    tickets = [Ticket() for _ in range(bounds.SWEEPS.value())]
    assert len(tickets) == 32
    for refused in (Ticket, lambda: shared.start(points(16))):
        with pytest.raises(QueueFull, match="32 sweeps are in the queue already; try again"):
            refused()
    tickets.pop().give_back()
    tickets.append(Ticket())
    assert tickets[-1].position() == (32, 32)
    for ticket in tickets:
        ticket.give_back()


def test_a_dead_process_gives_up_its_place(tmp_path: Path) -> None:
    """The tickets of a dead process are removed."""
    code = (
        "from embviz.timing.queue import Ticket\n"
        "mine = [Ticket(), Ticket()]\nprint(flush=True)\ninput()"
    )
    with script(code, tmp_path) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        mine = Ticket()
        assert mine.position() == (3, 3)
        holder.kill()
        holder.wait()
        assert mine.position() == (1, 1)
    assert len(list(folder().glob("*.ticket"))) == 1
    mine.give_back()


def test_the_place_does_not_depend_on_tmpdir(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is the same whatever TMPDIR says; another place serves where it is not there."""
    monkeypatch.delenv(queue.FOLDER_VARIABLE)
    assert folder().parent in map(Path, queue.FIXED)
    before = folder()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert folder() == before
    monkeypatch.setattr(queue, "FIXED", (str(tmp_path / "none"),))
    assert folder().parent == tmp_path
    monkeypatch.setattr(os, "getuid", lambda: -1)
    monkeypatch.setenv(queue.FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "embviz--1").mkdir()
    with pytest.raises(PermissionError, match="belongs to somebody else"):
        folder()


EIGHT = """
import json, pathlib, sys, time
from embviz.core import child
from embviz.timing.cases import Case
from embviz.timing.sweep import Engine

child.ROOT = pathlib.Path(sys.argv[1])

class Note(list):
    def __init__(self, note):
        self.note = note

    def append(self, line):
        self.note["lines"].append(time.monotonic())

engine, notes, sweeps = Engine(), [], []
engine.warm()
input()  # until the other process is there too
for number in range(8):
    note = {"asked": time.monotonic(), "lines": []}
    notes.append(note)
    sweeps.append(engine.start(
        [Case("lookup", 16 + number, 2, 3)],
        Note(note),
    ))
    note["queued"] = time.monotonic()
    time.sleep(0.05)
for sweep, note in zip(sweeps, notes):
    sweep.finished.wait(200)
    note |= {"state": sweep.state, "results": len(sweep.results)}
print(json.dumps(notes))
engine.close()
"""


def test_sixteen_sweeps_of_two_processes_never_overlap(
    tmp_path: Path, fake_worker: FakeWorker
) -> None:
    """Sweeps of two processes never overlap and are served in order."""
    processes = [script(EIGHT, tmp_path, str(tmp_path)) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    notes = [note for one in processes for note in json.loads(one.communicate(timeout=300)[0])]
    assert [one.returncode for one in processes] == [0, 0]
    assert [(note["state"], note["results"]) for note in notes] == [("done", 2)] * 16
    # time.monotonic() is one clock for all processes.
    served = sorted(notes, key=lambda note: note["lines"][0])
    for before, after in itertools.pairwise(served):
        assert before["lines"][-1] <= after["lines"][0]
    for first, second in itertools.combinations(served, 2):
        assert not second["queued"] < first["asked"], "somebody who came later was served first"


def test_a_process_that_hangs_with_the_lock_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that presses Start shows after LOCKED_S that the queue does not move."""
    monkeypatch.setattr(queue, "LOCKED_S", 0.1)
    mine = Ticket()
    with FileLock(folder() / "queue.lock", thread_local=False):
        with pytest.raises(QueueFull, match="the queue of sweeps is locked: a process has held"):
            Ticket()
        session = sweeps.SessionSweep()
        session.start([Case("lookup", 64, 8, 4)])
        assert session.refusal.startswith("The queue of sweeps is locked: ")
        mine.give_back()  # returns although the lock is held
    after = Ticket()
    assert after.position() == (1, 1)
    after.give_back()
