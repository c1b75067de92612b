"""The machine: cores that may be used, from its files, and the record of what it is."""

import platform
from collections.abc import Iterable
from pathlib import Path

import pytest

from embviz.core import machine
from embviz.core.machine import cores_written, environment

V1, V2 = "4:memory:/\n3:cpuacct,cpu:/job/step\n", "0::/job/step\n"


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of 64 logical and 32 physical cores, with files that a test adds to."""
    monkeypatch.setattr(machine, "PROC", tmp_path / "proc")
    monkeypatch.setattr(machine, "SYS", tmp_path / "sys")
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("psutil.cpu_count", lambda logical=True: 64 if logical else 32)
    allow(monkeypatch, range(64))
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    return tmp_path


def allow(monkeypatch: pytest.MonkeyPatch, allowed: Iterable[int]) -> None:
    """Give this process a CPU affinity."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(allowed), raising=False)


def write(place: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "ascii")


@pytest.mark.parametrize(("allowed", "usable"), [(64, 32), (33, 32), (31, 31), (2, 2), (1, 1)])
def test_affinity_and_physical_cores_bound_the_threads(
    allowed: int, usable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Physical cores count, not more than the affinity has, and one is left free."""
    allow(monkeypatch, range(allowed))
    assert machine.usable_cores() == usable
    assert machine.default_threads() == max(1, usable - 1)
    assert machine.most_threads()[0] == allowed


def v1(folder: str, quota: str) -> dict[str, str]:
    """The files of a limit of version 1."""
    place = f"cpu{folder}/cpu.cfs"
    return {f"{place}_quota_us": quota, f"{place}_period_us": "100000"}


@pytest.mark.parametrize(
    ("line", "files", "limit"),
    [
        (V2, {"job/step/cpu.max": "450000 100000"}, 4.5),
        (V2, {"job/cpu.max": "50000 100000", "cpu.max": "300000 100000"}, 0.5),
        (V2, {"cpu.max": "300000 100000"}, 3.0),
        (V2, {"unified/job/cpu.max": "300000 100000"}, 3.0),
        (V2, {"cpu.max": "max 100000"}, None),
        (V2, {"cpu.max": "many"}, None),
        (V1, v1("/job/step", "-1") | v1("/job", "200000") | v1("", "900000"), 2.0),
        ("4:memory:/job\n", v1("/job", "200000"), None),
        ("", {}, None),
    ],
)
def test_the_cgroup_bounds_the_threads(
    line: str, files: dict[str, str], limit: float | None, small: Path
) -> None:
    """The smallest CPU limit of the cgroup and its parents counts, rounded down."""
    write(small, {f"sys/fs/cgroup/{name}": text for name, text in files.items()})
    write(small, {"proc/self/cgroup": line})
    assert machine.cgroup_cores() == limit
    most, words = machine.most_threads()
    assert most == (64 if limit is None else max(1, int(limit)))
    assert ("cgroup" in words) is (limit is not None)
    assert machine.usable_cores() == min(32, most)


def test_the_record_of_a_machine(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts come from Linux's files where they are there, and no user or folder is named."""
    monkeypatch.setenv("USER", "anna_secret")
    allow(monkeypatch, [1, 2, 3, 8])
    bare = environment()
    assert (bare["governor"], bare["cache_bytes"], bare["cgroup_cores"]) == (None, None, None)
    assert (bare["affinity"], bare["logical_cores"], bare["physical_cores"]) == ("1-3,8", 64, 32)
    assert bare["hostname"] == platform.node()
    cpu = "sys/devices/system/cpu"
    write(
        small,
        {
            "proc/cpuinfo": "processor: 0\nmodel name\t: Fast One: 9000\nmodel name: Other\n",
            f"{cpu}/cpu1/cpufreq/scaling_governor": "powersave\n",
            f"{cpu}/cpu0/cache/index0/size": "48K\n",
            f"{cpu}/cpu0/cache/index3/size": "32768K\n",
        },
    )
    here = environment(hostname=False)
    assert (here["cpu"], here["governor"], here["hostname"]) == (
        "Fast One: 9000",
        "powersave",
        None,
    )
    assert here["cache_bytes"] == 32 * 1024**2
    assert here["memory_bytes"] > 2**28
    assert (here["blas"] != "unknown", here["devices"][0]) == (True, "cpu")
    kept = str(here)
    assert "anna_secret" not in kept
    assert str(Path.home()) not in kept
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert environment()["hostname"] is None
    assert cores_written([]) == ""
    assert cores_written([0, 1, 3, 5, 6, 7]) == "0-1,3,5-7"
