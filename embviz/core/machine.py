"""The processor that this process may use, and how busy and fast it is.

psutil knows most of it. Python's files of Linux add what it lacks: the processor's name, its
governor, and the CPU limit of cgroups. Nothing is changed; what a system lacks is None or left out.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

import psutil

PROC, SYS = Path("/proc"), Path("/sys")


def usable_cores() -> int:
    """Physical cores that this process may use, at least one."""
    return max(1, min(psutil.cpu_count(logical=False) or 1, most_threads()[0]))


def default_threads() -> int:
    """PyTorch's threads for a sweep: one core less than usable, for everything else."""
    return max(1, usable_cores() - 1)


def most_threads() -> tuple[int, str]:
    """The most threads that can run at the same time, and what limits them."""
    limits = [
        (os.cpu_count() or 1, "the cores of this machine"),
        (len(affinity()), "the CPU affinity of this process"),
    ]
    if (limit := cgroup_cores()) is not None:
        limits.append((max(1, int(limit)), "the CPU limit of its cgroup"))
    return min(limits, key=lambda one: one[0])


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
    for line in _read(PROC / "self" / "cgroup").splitlines():
        names, _, path = line.partition(":")[2].partition(":")
        if names and "cpu" not in names.split(","):
            continue
        for mount in (names, "cpu") if names else ("", "unified"):
            for folder in (Path(path), *Path(path).parents):
                limits += _quota(SYS / "fs" / "cgroup" / mount / str(folder).lstrip("/"))
    return min(limits, default=None)


def _quota(folder: Path) -> list[float]:
    """The limit of one cgroup, in cores, or nothing."""
    both = _read(folder / "cpu.max") or (
        f"{_read(folder / 'cpu.cfs_quota_us')} {_read(folder / 'cpu.cfs_period_us')}"
    )
    with suppress(ValueError, ZeroDivisionError):  # `max`, or no such files
        quota, period = map(int, both.split())
        if quota > 0:  # -1: no limit
            return [quota / period]
    return []


def cpu_name() -> str:
    """The processor's name from /proc/cpuinfo on Linux, else from Python."""
    for line in _read(PROC / "cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def governor() -> str | None:
    """The frequency governor of the first usable core, such as `powersave`."""
    core = f"cpu{affinity()[0]}"
    folder = SYS / "devices" / "system" / "cpu" / core / "cpufreq"
    return _read(folder / "scaling_governor") or None


def busy() -> dict[str, float | None]:
    """The load average of the last minute, and the mean clock frequency in MHz."""
    frequency = None
    with suppress(OSError, NotImplementedError, AttributeError):
        frequency = psutil.cpu_freq()
    return {
        "load_1min": round(psutil.getloadavg()[0], 2),
        "mhz": round(frequency.current, 1) if frequency else None,
    }


def cache_bytes(device: str = "cpu") -> int | None:
    """Bytes of the last-level cache, as Linux or the GPU reports it.

    A virtual machine may report the whole cache of a processor that it shares with others.
    """
    if device == "cuda":
        import torch

        return int(torch.cuda.get_device_properties(device).L2_cache_size)
    sizes = (SYS / "devices/system/cpu/cpu0/cache").glob("index*/size")  # such as 32768K
    with suppress(ValueError):  # there is none
        return max(int(_read(one).removesuffix("K")) for one in sizes) * 1024
    return None


def _read(path: Path) -> str:
    """The text of a small file, stripped; empty where it cannot be read."""
    with suppress(OSError, ValueError):
        return path.read_text("utf-8").strip()
    return ""
