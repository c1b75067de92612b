"""The machine and its software: the facts that its timings depend on.

Nothing is changed or measured. psutil adds physical cores and memory where it is installed. No
user name and no path is recorded; the hostname can be left out, and a public server has none.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from embviz import __version__
from embviz.core import activity, bounds, cores
from embviz.core.config import available_devices, why_no_gpu

# The variables that hold the id of a batch job, and the systems that set them.
JOBS = {
    "SLURM_JOB_ID": "Slurm",
    "PBS_JOBID": "PBS",
    "LSB_JOBID": "LSF",
    "OAR_JOB_ID": "OAR",
    "FLUX_JOB_ID": "Flux",
    "JOB_ID": "Grid Engine",
}


@dataclass(frozen=True)
class Environment:
    """One machine and its software, as plain values that JSON can hold.

    Attributes:
        affinity: the logical cores that this process may run on, such as `0-3,8`.
        cgroup_cores: the CPU limit of its cgroup, in cores.
        job: the batch system and the id of the job.
        float32_matmul_precision: `highest` is without TF32.
    """

    embviz: str
    python: str
    torch: str
    numpy: str
    platform: str
    cpu: str
    logical_cores: int
    physical_cores: int | None
    memory_bytes: int | None
    cache_bytes: int | None  # of the processor's last-level cache
    threads: int
    blas: str
    devices: list[str]
    gpus: list[str]
    cuda: str | None
    gpu_note: str
    gpu_driver: str | None
    float32_matmul_precision: str
    affinity: str
    cgroup_cores: float | None
    governor: str | None
    mhz: float | None
    load_1min: float | None
    job: str | None
    hostname: str | None

    @classmethod
    def capture(cls, hostname: bool = True) -> Environment:
        """The machine that runs this, and its hostname if wanted."""
        import numpy

        try:
            import psutil

            physical, memory = psutil.cpu_count(logical=False), psutil.virtual_memory().total
        except ImportError:
            physical, memory = None, None
        gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        return cls(
            embviz=__version__,
            python=platform.python_version(),
            torch=str(torch.__version__),
            numpy=numpy.__version__,
            platform=platform.platform(),
            cpu=cores.cpu_name(),
            logical_cores=os.cpu_count() or 1,
            physical_cores=physical,
            memory_bytes=memory,
            cache_bytes=cache_bytes("cpu"),
            threads=torch.get_num_threads(),
            blas=_blas(),
            devices=available_devices(),
            gpus=gpus,
            cuda=torch.version.cuda,
            gpu_note=why_no_gpu(),
            gpu_driver=_gpu_driver() if gpus else None,
            float32_matmul_precision=torch.get_float32_matmul_precision(),
            affinity=cores_written(cores.affinity()),
            cgroup_cores=cores.cgroup_cores(),
            governor=activity.governor(),
            job=_job(),
            hostname=platform.node() or None if hostname and not bounds.hosted() else None,
            **activity.now(),
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values for JSON."""
        return asdict(self)


def _job() -> str | None:
    """The batch job that this process is part of: `Slurm 123`."""
    for variable, system in JOBS.items():
        # PBS appends its server's name after a dot.
        if found := re.match(r"[\w\[\]-]{1,40}", os.environ.get(variable, ""), re.ASCII):
            return f"{system} {found.group()}"
    return None


def cores_written(numbers: Iterable[int]) -> str:
    """Rising numbers in few characters.

    >>> cores_written([0, 1, 2, 3, 8])
    '0-3,8'
    """
    found = list[list[int]]()
    for number in numbers:
        if found and found[-1][-1] == number - 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return ",".join("-".join(map(str, one)) for one in found)


def cache_bytes(device: str) -> int | None:
    """Bytes of the last-level cache, as the system reports it; None where it does not.

    A virtual machine may report the whole cache of a processor that it shares with others.
    """
    if device == "cuda":
        return int(torch.cuda.get_device_properties(device).L2_cache_size)
    sizes = Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")  # such as 32768K
    try:
        return max(int(one.read_text().strip().removesuffix("K")) for one in sizes) * 1024
    except (OSError, ValueError):  # not Linux, or no such file
        return None


def _blas() -> str:
    """The library for CPU matrix products, from PyTorch's build summary."""
    found = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    return found.group(1) if found else "unknown"


def _gpu_driver() -> str | None:
    """The NVIDIA driver's version from `nvidia-smi`, or None."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    asked = [tool, "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=10)  # noqa: S603
    return done.stdout.strip() or None
