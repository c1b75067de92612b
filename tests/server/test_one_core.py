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
from pathlib import Path
os.cpu_count = lambda: 64
from embviz.system import machine
machine.PROC, machine.SYS = Path(sys.argv[1], "proc"), Path(sys.argv[1], "sys")
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


def printed(source: str, folder: Path, cores: set[int]) -> list[str]:
    """What a Python prints that may run on these cores, in a container with this folder's files."""
    command = [sys.executable, "-c", HOST + source, str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    return done.stdout.split()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no CPU affinity here")
@pytest.mark.parametrize("limit", ["affinity", "cgroup"])
def test_one_core_is_one_thread_one_slot_and_one_thread_of_a_sweep(
    limit: str, tmp_path: Path
) -> None:
    """Whether `taskset` or the CPU limit of a cgroup says so; PyTorch is not imported for it."""
    cores = os.sched_getaffinity(0)
    if limit == "affinity":
        cores = {min(cores)}
    else:
        for name, text in (
            ("proc/self/cgroup", "0::/"),
            ("sys/fs/cgroup/cpu.max", "100000 100000"),
        ):
            (tmp_path / name).parent.mkdir(parents=True)
            (tmp_path / name).write_text(text + "\n")
    assert printed(SERVER + WORKER, tmp_path, cores) == ["False", "1", "1", "1", "1"]
