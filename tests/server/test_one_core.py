"""A container of one core on a host of more: the server computes as on a machine of one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What a host of 64 cores says; its other words are of the machine that runs this.
HOST = """
import os, resource, sys
os.cpu_count = lambda: 64
"""
SERVER = """
from embviz.server import scheduler, start
start.begin = lambda *_: None
import app
print("torch" in sys.modules)
app.first_page()
import torch
print(torch.get_num_threads(), scheduler._slices._value)
"""
WORKER = """
from embviz.system import bounds
from embviz.system.machine import default_threads
from embviz.timing.measure import process as measure
limits = []
resource.setrlimit = lambda kind, limit: limits.append(limit[0])
measure._limit_memory()
stacks = limits[0] - bounds.TIMING.value() * bounds.MIB - measure.SPARE_BYTES
print(default_threads(), stacks // measure.STACK_BYTES)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no CPU affinity here")
def test_one_core_is_one_thread_one_slot_and_one_thread_of_a_sweep() -> None:
    """As `taskset` says it; PyTorch is not imported for it. `test_machine.py` has cgroups."""
    core = {min(os.sched_getaffinity(0))}
    done = subprocess.run(
        [sys.executable, "-c", HOST + SERVER + WORKER],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, core),
    )
    assert done.stdout.split() == ["False", "1", "1", "1", "1"]
