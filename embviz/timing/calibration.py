"""What this machine does at best: plain copies of several sizes, and one square matrix product.

Nothing is predicted from it. Charts and rates compare a case with these (see `physical`).
"""

from __future__ import annotations

from typing import Any

import torch

from embviz.core.dtypes import DTYPES
from embviz.timing.clock import fastest

COPY_BYTES = (2**12, 2**15, 2**18, 2**21, 2**23, 2**24, 2**26)  # of one buffer: caches, then memory
GEMM_SIZE, GEMM_SIZE_GPU = 256, 2048  # side of the square matrices
CALL_BYTES = 64  # copied to find the cost of a call that copies almost nothing


def calibrate(device: str, dtype: str, threads: int) -> dict[str, Any]:
    """Measure one device in one dtype; takes about a tenth of a second.

    Returns:
        for JSON: `copy_gb_per_s` (GB copied in a second into a ready buffer, by its bytes) and
        `gflop_per_s` of the product, beside what was asked for.
    """
    torch.set_num_threads(threads)
    copies = dict[int, float]()
    number = DTYPES[dtype].torch
    for size in (CALL_BYTES, *COPY_BYTES):
        source = torch.zeros(size // number.itemsize, dtype=number, device=device)
        names = {"source": source, "target": torch.zeros_like(source)}
        copies[size] = fastest("target.copy_(source)", names)
    call = copies.pop(CALL_BYTES)  # the cost of a call is no bandwidth
    side = GEMM_SIZE if device == "cpu" else GEMM_SIZE_GPU
    left = torch.ones(side, side, dtype=number, device=device)
    gemm_names: dict[str, Any] = {"torch": torch, "left": left, "out": torch.empty_like(left)}
    gemm = fastest("torch.mm(left, left, out=out)", gemm_names)
    return {
        "device": device,
        "dtype": dtype,
        "threads": threads,
        "copy_gb_per_s": {
            str(size): size / max(taken - call, taken / 10) / 1e9 for size, taken in copies.items()
        },
        "gflop_per_s": 2 * side**3 / gemm / 1e9,
    }
