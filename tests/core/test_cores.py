import os
import sys
from pathlib import Path

import pytest

from embviz.core import cores
from embviz.core.cores import cgroup_cores, default_threads, most_threads, usable_cores

Files = dict[str, str]
V1 = "4:memory:/\n3:cpuacct,cpu:/job/step\n"
V2 = "0::/job/step\n"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of 64 logical and 32 physical cores: files that a test adds to."""
    monkeypatch.setattr(cores, "PROC", tmp_path / "proc")
    monkeypatch.setattr(cores, "SYS", tmp_path / "sys")
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    allow(monkeypatch, range(64))
    for n in range(64):
        siblings = f"{n % 32},{n % 32 + 32}\n"
        write(tmp_path, {f"sys/devices/system/cpu/cpu{n}/topology/thread_siblings_list": siblings})
    return tmp_path


def allow(monkeypatch: pytest.MonkeyPatch, allowed: range) -> None:
    """Give this process a CPU affinity."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(allowed), raising=False)


def write(place: Path, files: Files) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "ascii")


@pytest.mark.parametrize(
    ("allowed", "usable", "threads"),
    [
        (range(64), 32, 31),
        (range(2), 2, 1),
        (range(0, 64, 32), 1, 1),  # two threads of one core
        (range(5, 6), 1, 1),
    ],
)
def test_the_affinity_bounds_the_threads(
    allowed: range, usable: int, threads: int, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only physical cores of the affinity count, and one is left free."""
    assert machine
    allow(monkeypatch, allowed)
    assert (usable_cores(), default_threads()) == (usable, threads)
    assert most_threads()[0] == len(allowed)


CGROUPS: dict[str, tuple[Files, float | None]] = {
    "v2": ({"proc/self/cgroup": V2, "sys/fs/cgroup/job/step/cpu.max": "450000 100000"}, 4.5),
    "v2 parent": ({"proc/self/cgroup": V2, "sys/fs/cgroup/job/cpu.max": "50000 100000"}, 0.5),
    "v2 root": ({"proc/self/cgroup": V2, "sys/fs/cgroup/cpu.max": "300000 100000"}, 3.0),
    "v2 none": ({"proc/self/cgroup": V2, "sys/fs/cgroup/cpu.max": "max 100000"}, None),
    "v1": (
        {
            "proc/self/cgroup": V1,
            "sys/fs/cgroup/cpu/job/step/cpu.cfs_quota_us": "-1",
            "sys/fs/cgroup/cpu/job/step/cpu.cfs_period_us": "100000",
            "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "200000",
            "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000",
        },
        2.0,
    ),
    "garbled": ({"proc/self/cgroup": V2, "sys/fs/cgroup/cpu.max": "many"}, None),
    "no cgroups": ({}, None),
}


@pytest.mark.parametrize("name", CGROUPS)
def test_the_cgroup_bounds_the_threads(name: str, machine: Path) -> None:
    """The smallest CPU limit of the cgroup and its parents counts, rounded down."""
    files, limit = CGROUPS[name]
    write(machine, files)
    assert cgroup_cores() == limit
    usable = 32 if limit is None else max(1, int(limit))
    assert (usable_cores(), default_threads()) == (usable, max(1, usable - 1))
    words = "the cores of this machine" if limit is None else "the CPU limit of its cgroup"
    assert most_threads() == (64 if limit is None else usable, words)


def test_a_system_without_these_files_has_all_its_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without affinity, cgroups and topology, the count of cores is the system's."""
    monkeypatch.setattr(cores, "PROC", tmp_path)
    monkeypatch.setattr(cores, "SYS", tmp_path)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setitem(sys.modules, "psutil", None)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert (usable_cores(), most_threads()) == (8, (8, "the cores of this machine"))
