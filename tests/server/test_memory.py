"""What the server has freed goes back to the system."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from embviz.server import memory

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20
# A thread of its own keeps every hundredth of many blocks: what it frees lies in between.
FREES = """
import threading, psutil
from embviz.server import memory
def work():
    blocks = [bytes(50_000) for _ in range(4_000)]
    kept.extend(blocks[::100])
kept, size = [], psutil.Process().memory_info
before = size().rss
thread = threading.Thread(target=work)
thread.start()
thread.join()
freed = size().rss
memory.trimmer()()
print(freed - before, size().rss - before)
"""


@pytest.mark.skipif(memory.trimmer() is None, reason="no glibc")
def test_what_threads_have_freed_is_given_back() -> None:
    """Of 200 MB most stay until the trimmer is called."""
    given = [sys.executable, "-c", FREES]
    before, after = map(int, subprocess.check_output(given, cwd=ROOT, text=True).split())
    assert after < before / 2


def test_it_is_given_back_when_the_server_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the start, then at a look that finds growth; seldom where it stays above the least.

    The size is read from a file, and a server may have no descriptor for it just now.
    """
    # MiB at the start, at each look, and after a trim.
    sizes = iter([500, 510, 540, 530, None, 540, 570, 540, 470, 480, 490])
    looked, trims = list[int](), list[int]()

    def size() -> SimpleNamespace:
        found = next(sizes)
        if found is None:
            raise OSError("Too many open files")
        looked.append(found)
        return SimpleNamespace(rss=found * MIB)

    monkeypatch.setattr(psutil, "Process", lambda: SimpleNamespace(memory_info=size))
    monkeypatch.setattr(memory, "LOOK_S", 0.0)
    monkeypatch.setattr(memory, "SELDOM", 4)
    with pytest.raises(StopIteration):
        memory.watch_size(lambda: trims.append(looked[-1] if looked else 0))
    assert trims == [0, 540, 540]


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the function no thread is started."""
    monkeypatch.setattr("ctypes.CDLL", lambda _name: SimpleNamespace())
    assert memory.trimmer() is None
    memory.watch()
    monkeypatch.undo()
