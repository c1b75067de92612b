"""Garbage collection skips imported objects and collects those that a session leaves."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import gc
from embviz.server import memory

kept = [[] for _ in range(400_000)]
memory.freeze()
assert gc.isenabled()
assert gc.get_freeze_count() > 400_000
assert len(gc.get_objects()) < 1_000

class Session: pass

alive = []
import weakref
for _ in range(60_000):  # cycles that survive the young generations
    one = Session()
    one.itself = one
    alive.append(weakref.ref(one))
    hold = [[] for _ in range(20)]
assert sum(ref() is not None for ref in alive) < 30_000, "nothing collects what sessions leave"
"""


def test_frozen_objects_do_not_delay_the_automatic_collection() -> None:
    """After `freeze` a collection walks new objects only, and Python still collects by itself."""
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
