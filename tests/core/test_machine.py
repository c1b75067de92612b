"""The machine: cores that may be used, from its files, and the record of what it is."""

from collections.abc import Callable, Iterable
from pathlib import Path

import psutil
import pytest

from embviz.core import machine
from embviz.core.machine import cores_written, environment

Write = Callable[[str, str], None]
V1, V2 = "4:memory:/\n3:cpuacct,cpu:/job/step\n", "0::/job/step\n"
CPU = "sys/devices/system/cpu"


@pytest.fixture(autouse=True)
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """A machine of 64 logical and 32 physical cores; writes a file of it."""
    monkeypatch.setattr(machine, "PROC", tmp_path / "proc")
    monkeypatch.setattr(machine, "SYS", tmp_path / "sys")
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("psutil.cpu_count", lambda logical=True: 64 if logical else 32)
    allow(monkeypatch, range(64))
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)

    def file(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "ascii")

    return file


def allow(monkeypatch: pytest.MonkeyPatch, allowed: Iterable[int]) -> None:
    """Give this process a CPU affinity."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {*allowed}, raising=False)


def test_affinity_and_physical_cores_bound_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Physical cores count, not more than the affinity has, and one is left free."""
    for allowed, usable, threads in [(64, 32, 31), (33, 32, 31), (31, 31, 30), (1, 1, 1)]:
        allow(monkeypatch, range(allowed))
        assert machine.most_threads()[0] == allowed
        assert (machine.usable_cores(), machine.default_threads()) == (usable, threads)


@pytest.mark.parametrize(
    ("line", "files", "limit"),
    [
        (V2, {"job/step/cpu.max": "470000 100000"}, 4.7),
        (V2, {"job/cpu.max": "50000 100000", "cpu.max": "300000 100000"}, 0.5),
        (V2, {"unified/job/cpu.max": "300000 100000", "cpu.max": "max 100000"}, 3.0),
        (V2, {"cpu.max": "many"}, None),
        (V1, {"cpu/job/step/QUOTA": "-1", "cpu/job/QUOTA": "200000", "cpu/QUOTA": "900000"}, 2.0),
        ("4:memory:/job\n", {"cpu/job/QUOTA": "200000"}, None),
    ],
)
def test_the_cgroup_bounds_the_threads(
    line: str, files: dict[str, str], limit: float | None, write: Write
) -> None:
    """The smallest CPU limit of the cgroup and its parents counts, rounded down."""
    for name, text in files.items():
        place = f"sys/fs/cgroup/{name}".replace("QUOTA", "cpu.cfs_quota_us")
        write(place.replace("quota", "period"), "100000")
        write(place, text)
    write("proc/self/cgroup", line)
    assert machine.cgroup_cores() == limit
    most, words = machine.most_threads()
    assert (most, "cgroup" in words) == (max(1, int(limit)) if limit else 64, bool(limit))
    assert machine.usable_cores() == min(32, most)


def test_the_record_of_a_machine(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts come from Linux's files where they are there, and no user or folder is named."""
    monkeypatch.setenv("USER", "anna_secret")
    monkeypatch.setattr("platform.node", lambda: "here")
    allow(monkeypatch, [1, 2, 3, 8])
    unknown = {"governor": None, "cache_bytes": None, "cgroup_cores": None}
    known = {"affinity": "1-3,8", "logical_cores": 64, "physical_cores": 32, "hostname": "here"}
    assert environment().items() >= (unknown | known).items()
    write("proc/cpuinfo", "processor: 0\nmodel name\t: Fast One: 9000\nmodel name: Other\n")
    write(f"{CPU}/cpu1/cpufreq/scaling_governor", "powersave\n")
    write(f"{CPU}/cpu0/cache/index0/size", "48K\n")
    write(f"{CPU}/cpu0/cache/index3/size", "32768K\n")
    found = environment(hostname=False)
    facts = {"cpu": "Fast One: 9000", "governor": "powersave", "cache_bytes": 32 * 1024**2}
    facts |= {"hostname": None, "memory_bytes": psutil.virtual_memory().total}
    assert found.items() >= facts.items()
    assert (found["devices"][0], "anna_secret" in str(found)) == ("cpu", False)
    assert str(Path.home()) not in str(found)
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert environment()["hostname"] is None
    assert [*map(cores_written, ([], [0, 1, 3, 5, 6, 7]))] == ["", "0-1,3,5-7"]
