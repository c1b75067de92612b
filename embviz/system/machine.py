"""The machine: the processor that this process may use, and all that timings depend on.

psutil knows most of it. Python's files of Linux add what it lacks: the processor's name, its
governor, and the CPU limit of cgroups. Nothing is changed or measured; what a system lacks is None.
No user name and no path is recorded.
"""

import os
import platform
import re
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import psutil

from embviz.system import bounds
from embviz.version import __version__

PROC, SYS = Path("/proc"), Path("/sys")


def is_loopback(host: str) -> bool:
    """Whether a host is the machine that asks, whatever a name server answers.

    A system reads `1270000000` as 75.178.169.128, and `127.example.org` is a name.

    >>> [is_loopback(host) for host in ("::ffff:127.0.0.1", "::1", "127.0.0.2", "localhost")]
    [True, True, True, True]
    >>> [is_loopback(host) for host in ("1270000000", "127.1", "127.example.org", "10.0.0.1", "")]
    [False, False, False, False, False]
    """
    try:
        # A socket for both kinds of addresses names 127.0.0.1 as ::ffff:127.0.0.1.
        return ip_address(host.removeprefix("::ffff:")).is_loopback
    except ValueError:
        return host == "localhost"


def usable_cores() -> int:
    """Physical cores that this process may use, at least one."""
    most = most_threads()[0]  # alone where psutil knows no physical cores
    return min(psutil.cpu_count(logical=False) or most, most)


def default_threads() -> int:
    """PyTorch's threads for a sweep: one core less than usable, for everything else."""
    return max(1, usable_cores() - 1)


def most_threads() -> tuple[int, str]:
    """The most threads that can run at the same time, and what limits them."""
    limits = [
        (os.cpu_count() or 1, "the cores of this machine"),
        (len(affinity()), "the CPU affinity of this process"),
    ]
    if limit := cgroup_cores():
        limits.append((max(1, int(limit)), "the CPU limit of its cgroup"))
    return min(limits, key=lambda pair: pair[0])


def affinity() -> list[int]:
    """The logical cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cgroup_cores() -> float | None:
    """The smallest CPU limit of this process's cgroup (version 2) and its parents, in cores."""
    limits = []
    for line in _read(PROC / "self/cgroup").splitlines():
        place = Path(line.removeprefix("0::"))
        for folder in (place, *place.parents):
            limit = _read(SYS / "fs/cgroup" / str(folder).lstrip("/") / "cpu.max")
            if found := re.fullmatch(
                r"([1-9]\d*) ([1-9]\d*)", limit
            ):  # Otherwise it is `max`, or there is no file.
                limits.append(int(found[1]) / int(found[2]))
    return min(limits, default=None)


def cpu_name() -> str:
    """The processor's name from /proc/cpuinfo on Linux, else from Python."""
    named = re.search(r"^model name\s*:(.*)", _read(PROC / "cpuinfo"), re.MULTILINE)
    return named[1].strip() if named else platform.processor() or platform.machine()


def cache_bytes(device: str = "cpu") -> int | None:
    """Bytes of the last-level cache, as Linux or the GPU reports it.

    A virtual machine may report the whole cache of a processor that it shares with others.
    """
    if device == "cuda":
        import torch

        return int(torch.cuda.get_device_properties(device).L2_cache_size)
    sizes = (SYS / "devices/system/cpu/cpu0/cache").glob("index*/size")  # such as 32768K
    with suppress(ValueError):  # there is none
        return max(int(_read(size).removesuffix("K")) for size in sizes) * 1024
    return None


def environment(hostname: bool = True) -> dict[str, Any]:
    """The machine that runs this and its software, as plain values that JSON can hold.

    `cache_bytes` is that of the processor's last-level cache, `float32_matmul_precision` is
    `highest` without TF32, `affinity` the logical cores that this process may run on, such as
    `0,1`, `governor` that of the first of them, and `cgroup_cores` the CPU limit of its cgroup.

    Args:
        hostname: whether to record it; a public server never does.
    """
    import numpy as np
    import torch

    from embviz.system.devices import available_devices, why_no_gpu

    blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    cores = affinity()
    return {
        "embviz": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": np.__version__,
        "platform": platform.platform(),
        "cpu": cpu_name(),
        "logical_cores": os.cpu_count() or 1,
        "physical_cores": psutil.cpu_count(logical=False),
        "memory_bytes": psutil.virtual_memory().total,
        "cache_bytes": cache_bytes(),
        "threads": torch.get_num_threads(),
        "blas": blas[1] if blas else "unknown",
        "devices": available_devices(),
        "gpus": [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())],
        "cuda": torch.version.cuda,
        "gpu_note": why_no_gpu(),
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
        "affinity": ",".join(map(str, cores)),
        "cgroup_cores": cgroup_cores(),
        "governor": _read(SYS / f"devices/system/cpu/cpu{cores[0]}/cpufreq/scaling_governor")
        or None,
        "hostname": platform.node() or None if hostname and not bounds.hosted() else None,
        "load_1min": round(psutil.getloadavg()[0], 2),
    }


def _read(path: Path) -> str:
    """The text of a small file, stripped; empty where it cannot be read."""
    with suppress(OSError, ValueError):
        return path.read_text("utf-8").strip()
    return ""
