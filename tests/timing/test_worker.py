import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from embviz.timing.cases import Case
from embviz.timing.results import ROUNDS
from tests.timing.waiting import AT_ONCE_S, ROOT, SOON_S, is_gone, script, until, until_slow

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="sends signals"),
    pytest.mark.usefixtures("own_queue"),
]

ROUND = ("times", False), ("times", True)
GOOD: dict[str, Any] = {"method": "lookup", "num_embeddings": 9, "embedding_dim": 2, "tokens": 3}


OWNER = """
import time
from embviz.timing.cases import Case
from embviz.timing.results import ROUNDS
from embviz.timing.sweep import Engine

engine = Engine()
quick, slow = Case("lookup", 16, 2, 3), Case("matmul", 4096, 8192, 8192)
sweep = engine.start([quick, slow])
while sweep.state != "running":
    time.sleep(0.01)
print("measuring", flush=True)
time.sleep(600)
"""


def test_killing_the_server_leaves_no_orphan(tmp_path: Path) -> None:
    """A worker ends when its server is killed, also in the middle of a long call."""
    with script(OWNER, tmp_path) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline()
        (worker,) = psutil.Process(owner.pid).children()
        pid = worker.pid
        until_slow(pid)
        assert not is_gone(pid)
        owner.kill()
        owner.wait()
        until(lambda: is_gone(pid), AT_ONCE_S)


def request(*cases: dict[str, Any], first: int = ROUNDS - 1) -> dict[str, Any]:
    """A request for one round of these cases, a point each."""
    return {"points": [[case] for case in cases], "anchor": None, "first": first}


class Spoken:
    """A worker process, line by line."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", *(arguments or ("-m", "embviz", "time", "--worker"))],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):
            for line in self.process.stdout:
                if line != b"\n":  # the reader skips these too
                    self._lines.put(line)

    def say(self, message: object) -> None:
        """Send a line: bytes as they are, everything else as JSON."""
        raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def hear(self, timeout: float = SOON_S) -> dict[str, Any]:
        """The next line: strict JSON, an object with a type."""
        line = self._lines.get(timeout=timeout)
        heard: dict[str, Any] = json.loads(line, parse_constant=pytest.fail)
        assert line.endswith(b"\n")
        return heard

    def until_done(self) -> list[dict[str, Any]]:
        """All lines to the next `done`."""
        lines = [self.hear()]
        while lines[-1]["type"] != "done":
            lines.append(self.hear())
        return lines

    def works(self) -> list[dict[str, Any]]:
        """The lines before those of a right case, which is measured."""
        self.say(request(GOOD))
        before: list[dict[str, Any]] = []
        while (line := self.hear())["type"] != "now":
            before.append(line)
        assert line["case"] == Case.from_dict(GOOD).to_dict()
        kinds = [(one["type"], one.get("again", False)) for one in self.until_done()]
        assert kinds == [*ROUND, ("done", False)]
        return before

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        self.reader.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


@pytest.fixture(scope="module")
def worker() -> Iterator[Spoken]:
    """A worker for tests that leave it usable. It ends when its stdin ends."""
    spoken = Spoken()
    assert spoken.hear()["type"] == "ready"
    yield spoken
    assert spoken.process.stdin is not None
    spoken.process.stdin.close()
    assert spoken.process.wait(timeout=AT_ONCE_S) == 0
    spoken.close()


@pytest.fixture
def make_worker() -> Iterator[Callable[..., Spoken]]:
    """Workers of a test's own."""
    made: list[Spoken] = []

    def make(*arguments: str, **environment: str) -> Spoken:
        made.append(Spoken(*arguments, **environment))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_cancel_ends_the_request_and_not_the_next(worker: Spoken) -> None:
    """Cancel ends the request under way and no later one."""
    worker.say(request(*({**GOOD, "tokens": tokens} for tokens in range(1, 101)), first=0))
    while worker.hear()["type"] != "times":
        pass
    worker.say({"cancel": True})
    lines = worker.until_done()
    assert lines[-1]["cancelled"] is True
    assert len([one for one in lines if one["type"] == "times"]) < 1200
    worker.say({"cancel": True})  # with nothing to cancel
    worker.say(request(GOOD))
    lines = worker.until_done()
    assert [one["type"] for one in lines] == ["now", "times", "times", "done"]
    assert lines[-1]["cancelled"] is False


def test_what_a_library_prints_stays_out_of_the_protocol(
    make_worker: Callable[..., Spoken],
) -> None:
    """Text that a library prints does not reach the protocol."""
    spoken = make_worker(
        "-c",
        (
            "import os, threading, time\n"
            "def chatter():\n"
            "    while True:\n"
            "        print('noise'); os.write(1, b'noise\\n'); time.sleep(0.01)\n"
            "threading.Thread(target=chatter, daemon=True).start()\n"
            "from embviz.timing.worker import serve\n"
            "print('half a line', end='')\n"
            "serve()"
        ),
    )
    first = spoken._lines.get(timeout=SOON_S)
    while not first.startswith(b"{"):  # printed before the worker took stdout for itself
        first = spoken._lines.get(timeout=SOON_S)
    assert json.loads(first)["type"] == "ready"
    assert spoken.works() == []


def test_memory_that_nobody_foresaw_is_a_failure(make_worker: Callable[..., Spoken]) -> None:
    """An unpredicted allocation over the limit is a failure, and the worker goes on."""
    spoken = make_worker(
        "-c",
        (
            "from embviz.timing.cases import Case\n"
            "Case.memory = lambda case: {}\n"  # as if every case were free
            "from embviz.timing.worker import serve\n"
            "serve()"
        ),
        EMBVIZ_TIMING_BUDGET_MIB="64",
    )
    assert spoken.hear()["type"] == "ready"
    before = psutil.Process(spoken.process.pid).memory_info().rss
    spoken.say(request({**GOOD, "num_embeddings": 2**23, "embedding_dim": 64}))  # 2 GiB
    now, failure, done = spoken.until_done()
    assert [now["type"], failure["type"], done["type"]] == ["now", "failure", "done"]
    assert "allocate" in failure["reason"]
    assert psutil.Process(spoken.process.pid).memory_info().rss < before + 2**28
    assert spoken.works() == []


def test_a_parent_that_is_gone_at_once(make_worker: Callable[..., Spoken]) -> None:
    """A worker whose stdin ends during its start ends too."""
    spoken = make_worker()
    assert spoken.process.stdin is not None
    spoken.process.stdin.close()
    assert spoken.process.wait(timeout=SOON_S) == 0
