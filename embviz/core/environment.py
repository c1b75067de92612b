"""The machine and its software as one record: the facts that its timings depend on.

Nothing is changed or measured. No user name and no path is recorded; the hostname can be left out,
and a public server has none.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import numpy as np
import psutil
import torch

from embviz import __version__
from embviz.core import bounds, machine
from embviz.core.config import available_devices, why_no_gpu


def environment(hostname: bool = True) -> dict[str, Any]:
    """The machine that runs this and its software, as plain values that JSON can hold.

    `cache_bytes` is that of the processor's last-level cache, `float32_matmul_precision` is
    `highest` without TF32, `affinity` the logical cores that this process may run on, such as
    `0-3,8`, and `cgroup_cores` the CPU limit of its cgroup. What a system lacks is None.

    Args:
        hostname: whether to record it; a public server never does.
    """
    blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    return dict(
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
        hostname=platform.node() or None if hostname and not bounds.hosted() else None,
        **machine.busy(),
    )


def cores_written(numbers: Iterable[int]) -> str:
    """Rising numbers in few characters.

    >>> cores_written([0, 1, 2, 3, 8])
    '0-3,8'
    """
    runs = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])  # equal in a run
    found = ([str(number) for _, number in run] for _, run in runs)
    return ",".join("-".join(dict.fromkeys((run[0], run[-1]))) for run in found)
