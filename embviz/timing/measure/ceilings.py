"""The best that this machine does: plain copies, one square matrix product, an empty kernel.

Rates compare a case with these, and a dtype's product says whether PyTorch is fast in it. The
largest copy moves 128 MiB, which the last-level cache of a large processor may hold.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from embviz.fact.dtypes import DTYPES
from embviz.timing.measure.timed import Timed

if TYPE_CHECKING:
    import pandas as pd

COPY_BYTES = (2**12, 2**15, 2**18, 2**21, 2**23, 2**24, 2**26)  # Bytes of one buffer.
CALL_BYTES = 64  # Bytes that are copied to find the cost of a call.
GEMM_SIZE, GEMM_SIZE_GPU = 256, 2048  # Rows of the square matrices, on a CPU and on a GPU.
BLOCK_S = 0.0003  # Seconds of a block: it is short, so that some find the core free.
SHORTEST_S = 1e-9  # Seconds at least: no clock gives a zero to divide by.
FLOOR_BLOCKS, FLOOR_CALLS = 10, 100  # Blocks of the floor, and calls in each.


@cache
def calibrate(device: str, dtype: str, threads: int) -> dict[str, Any]:
    """Measure one device in one dtype, once in a process; takes about a tenth of a second.

    Returns:
        for JSON: `copy_gb_per_s` (GB copied in a second into a ready buffer, by its bytes) and
        `gflop_per_s` of the product, by the better of two layouts, beside what was asked for.
    """
    import torch
    from torch.utils import benchmark

    def fastest(statement: str, **names: Any) -> float:
        """Seconds of a call in the fastest block, which other work disturbed least."""
        timer = timeit.Timer(statement, timer=benchmark.timer, globals=names)
        once = min(timer.repeat(3, 1)) or SHORTEST_S
        number = max(1, round(BLOCK_S / once))
        return min(timer.repeat(20 if number > 1 else 3, number)) / number

    def copy_s(size: int) -> float:
        source = torch.zeros(size // number.itemsize, dtype=number, device=device)
        return fastest("target.copy_(source)", source=source, target=torch.zeros_like(source))

    torch.set_num_threads(threads)
    number = DTYPES[dtype].torch
    call = copy_s(CALL_BYTES)  # the cost of a call is no bandwidth
    copies = {size: copy_s(size) for size in COPY_BYTES}
    side = GEMM_SIZE if device == "cpu" else GEMM_SIZE_GPU
    left = torch.ones(side, side, dtype=number, device=device)
    # Where PyTorch has no fast product, one layout takes several times as long as the other.
    gemm = min(
        fastest("torch.mm(left, right, out=out)", torch=torch, left=left, right=right, out=out)
        for out in [left.clone()]
        for right in (left, left.t())
    )
    return {
        "device": device,
        "dtype": dtype,
        "threads": threads,
        "copy_gb_per_s": {
            str(size): size / max(taken - call, taken / 10) / 1e9 for size, taken in copies.items()
        },
        "gflop_per_s": 2 * side**3 / gemm / 1e9,
    }


def floor(empty: Callable[[], object]) -> dict[str, list[float]]:
    """Seconds of one call of an empty kernel on a CUDA GPU: `wait` for it, and its work, `gpu`.

    Args:
        empty: starts a kernel that does nearly nothing, such as `zero_` of one number.
    """
    from torch.utils import benchmark

    from embviz.timing.measure.gpu import GpuClock

    waits = timeit.Timer(empty, timer=benchmark.timer).repeat(FLOOR_BLOCKS, FLOOR_CALLS)
    plain = timeit.Timer(empty)  # does not wait for the GPU
    clock = GpuClock(lambda calls: partial(plain.timeit, calls), FLOOR_CALLS)
    return {"wait": [seconds / FLOOR_CALLS for seconds in waits], "gpu": clock.replay(FLOOR_BLOCKS)}


def calibration_of(
    case: Timed, calibrations: Iterable[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The calibration of a case's device, dtype and threads, of those of a run's environment."""
    wanted = {"device": case.device, "dtype": case.dtype, "threads": case.threads}
    return next((made for made in calibrations if {**made, **wanted} == made), None)


def shares(points: pd.DataFrame, calibrations: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The points with their shares of what their device did at best.

    Args:
        points: one row a measured case: `case`, its fields, `gb_per_s` and `gflop_per_s`.
        calibrations: of a run's environment; sizes in any order.

    Returns:
        the same rows with `share_of_copy` (of a copy that moves as many bytes, half of them read
        and half written) and `share_of_product`; NaN where nothing was calibrated in that dtype,
        and where a case is quicker: then they were not the best.
    """
    import numpy as np

    def best(case: Any) -> tuple[float, float]:
        calibration = calibration_of(case, calibrations)
        if calibration is None:
            return np.nan, np.nan
        sizes, rates = np.log(
            sorted((int(n), rate) for n, rate in calibration["copy_gb_per_s"].items())
        ).T
        # A copy of n bytes moves 2n.
        copy = 2 * np.exp(np.interp(np.log(case.bytes / 2), sizes, rates))
        # The calibration's product has full precision.
        product = calibration["gflop_per_s"] if case.precision == "highest" else np.nan
        return float(copy), product

    found = np.array([best(case) for case in points["case"]], dtype=float).reshape(-1, 2)
    parts = points[["gb_per_s", "gflop_per_s"]].to_numpy() / found
    parts[parts > 1] = np.nan
    return points.assign(share_of_copy=parts[:, 0], share_of_product=parts[:, 1])
