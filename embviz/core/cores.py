"""The CPU cores that this process may use: its affinity, and the CPU limit of its cgroups.

Nothing is measured or changed. A system that lacks a file leaves its limit out.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

PROC, SYS = Path("/proc"), Path("/sys")


def usable_cores() -> int:
    """Physical cores that this process may use, at least one."""
    found, limit = _physical(affinity()), cgroup_cores()
    return found if limit is None else max(1, min(found, int(limit)))


def default_threads() -> int:
    """PyTorch's threads for a sweep: one core less than usable, for everything else."""
    return max(1, usable_cores() - 1)


def most_threads() -> tuple[int, str]:
    """The most threads that can run at the same time, and what limits them."""
    limit = cgroup_cores()
    limits = [
        (os.cpu_count() or 1, "the cores of this machine"),
        (len(affinity()), "the CPU affinity of this process"),
        *([] if limit is None else [(max(1, int(limit)), "the CPU limit of its cgroup")]),
    ]
    return min(limits, key=lambda one: one[0])


def cpu_name() -> str:
    """The processor's name from /proc/cpuinfo on Linux, else from Python."""
    for line in read(PROC / "cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def affinity() -> list[int]:
    """The logical cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cgroup_cores() -> float | None:
    """The smallest CPU limit of this process's cgroups and their parents, in cores.

    Versions 1 and 2 are read. None without a limit.
    """
    limits = []
    for line in read(PROC / "self" / "cgroup").splitlines():
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if names and "cpu" not in names.split(","):
            continue
        for mount in {names, "cpu"} if names else {"", "unified"}:
            for folder in (Path(path), *Path(path).parents):
                limits += _quota(SYS / "fs" / "cgroup" / mount / str(folder).lstrip("/"))
    return min(limits, default=None)


def _quota(folder: Path) -> list[float]:
    """The limit of one cgroup, in cores, or nothing."""
    period = read(folder / "cpu.cfs_period_us")
    with suppress(ValueError, ZeroDivisionError):
        if period:
            given, length = int(read(folder / "cpu.cfs_quota_us")), int(period)  # -1: no limit
        else:
            first, second = read(folder / "cpu.max").split()  # `max`: no limit
            given, length = int(first), int(second)
        if given > 0:
            return [given / length]
    return []


def _physical(cores: list[int]) -> int:
    """The physical cores among logical ones: siblings count once."""
    topology = SYS / "devices" / "system" / "cpu"
    siblings = [read(topology / f"cpu{n}" / "topology" / "thread_siblings_list") for n in cores]
    if all(siblings):
        return max(1, len(set(siblings)))
    found = None
    with suppress(ImportError):
        import psutil

        found = psutil.cpu_count(logical=False)
    return max(1, min(found or len(cores), len(cores)))


def read(path: Path) -> str:
    """The text of a small file, stripped; empty where it cannot be read."""
    with suppress(OSError, ValueError):
        return path.read_text("utf-8").strip()
    return ""
