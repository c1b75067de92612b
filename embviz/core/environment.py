"""The machine and its software as one record: the facts that its timings depend on.

Nothing is changed or measured. No user name and no path is recorded; the hostname can be left out,
and a public server has none.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np
import psutil
import torch

from embviz import __version__
from embviz.core import bounds, machine
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
        cache_bytes: of the processor's last-level cache.
        float32_matmul_precision: `highest` is without TF32.
        affinity: the logical cores that this process may run on, such as `0-3,8`.
        cgroup_cores: the CPU limit of its cgroup, in cores.
        job: the batch system and the id of the job.
    """

    embviz: str
    python: str
    torch: str
    numpy: str
    platform: str
    cpu: str
    logical_cores: int
    physical_cores: int | None
    memory_bytes: int
    cache_bytes: int | None
    threads: int
    blas: str
    devices: list[str]
    gpus: list[str]
    cuda: str | None
    gpu_note: str
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
        blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
        return cls(
            embviz=__version__,
            python=platform.python_version(),
            torch=str(torch.__version__),
            numpy=np.__version__,
            platform=platform.platform(),
            cpu=machine.cpu_name(),
            logical_cores=os.cpu_count() or 1,
            physical_cores=psutil.cpu_count(logical=False),
            memory_bytes=psutil.virtual_memory().total,
            cache_bytes=machine.cache_bytes(),
            threads=torch.get_num_threads(),
            blas=blas[1] if blas else "unknown",
            devices=available_devices(),
            gpus=[torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())],
            cuda=torch.version.cuda,
            gpu_note=why_no_gpu(),
            float32_matmul_precision=torch.get_float32_matmul_precision(),
            affinity=cores_written(machine.affinity()),
            cgroup_cores=machine.cgroup_cores(),
            governor=machine.governor(),
            job=_job(),
            hostname=platform.node() or None if hostname and not bounds.hosted() else None,
            **machine.busy(),
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
    runs = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])  # equal in a run
    found = ([str(number) for _, number in run] for _, run in runs)
    return ",".join("-".join(dict.fromkeys((run[0], run[-1]))) for run in found)
