"""The model under the plot: the time that this machine should need for a case.

It is calibrated with copies of several sizes, a square matrix product, and each statement at the
smallest size. Then `max(bytes / bandwidth, flops / rate) + overhead` estimates the time of a case.
The model is an estimate, not a bound, and it is never fitted to the cases that it predicts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from embviz.core.dtypes import DTYPES
from embviz.timing.cases import Case
from embviz.timing.clock import fastest
from embviz.timing.random_rows import RandomRows
from embviz.timing.tensors import Ready, statement

COPY_BYTES = (2**12, 2**15, 2**18, 2**21, 2**23, 2**24, 2**26)  # of one buffer: caches, then memory
GEMM_SIZE, GEMM_SIZE_GPU = 256, 2048  # side of the square matrices
CALL_BYTES = 64  # copied to find the cost of a call that copies almost nothing


@dataclass(frozen=True)
class Prediction:
    """The model's three terms for one case, in seconds."""

    memory_s: float
    compute_s: float
    overhead_s: float

    @property
    def seconds(self) -> float:
        """Seconds that the model expects for one call."""
        return max(self.memory_s, self.compute_s) + self.overhead_s

    @property
    def dominant(self) -> str:
        """The largest term, a key of `results.TERMS`."""
        terms = {
            "bandwidth": self.memory_s,
            "compute": self.compute_s,
            "overhead": self.overhead_s,
        }
        return max(terms, key=terms.__getitem__)


@dataclass
class Floor:
    """The speed of one device in one dtype with one number of threads.

    Attributes:
        copy_s: seconds to copy a buffer into a ready one, by its bytes.
        fresh_s: the same into a new buffer, whose pages the system may have to fetch first.
        flops_per_s: floating-point operations in a second, in a square matrix product.
    """

    device: str
    dtype: str
    threads: int
    copy_s: dict[int, float]
    fresh_s: dict[int, float]
    flops_per_s: float
    _overhead_s: dict[tuple[str, str, str], float] = field(default_factory=dict)
    _random: RandomRows | None = None

    @classmethod
    def calibrate(cls, device: str, dtype: str, threads: int) -> Floor:
        """Measure this machine; takes about a fifth of a second."""
        torch.set_num_threads(threads)
        copies, fresh = dict[int, float](), dict[int, float]()
        number = DTYPES[dtype].torch
        for size in (CALL_BYTES, *COPY_BYTES):
            source = torch.zeros(size // number.itemsize, dtype=number, device=device)
            names = {"source": source, "target": torch.zeros_like(source)}
            copies[size] = fastest("target.copy_(source)", names)
            fresh[size] = fastest("source.clone()", names)
        for seconds in (copies, fresh):
            call = seconds.pop(CALL_BYTES)  # counted as overhead, not as bandwidth
            for size, taken in seconds.items():
                seconds[size] = max(taken - call, taken / 10)
        side = GEMM_SIZE if device == "cpu" else GEMM_SIZE_GPU
        left = torch.ones(side, side, dtype=number, device=device)
        gemm_names: dict[str, Any] = {"torch": torch, "left": left, "out": torch.empty_like(left)}
        gemm = fastest("torch.mm(left, left, out=out)", gemm_names)
        return cls(device, dtype, threads, copies, fresh, 2 * side**3 / gemm)

    def predict(self, case: Case) -> Prediction:
        """The model's terms for a case of this device, dtype and thread count."""
        ready = max(0, case.bytes - case.fresh_bytes)
        # A copy of n bytes reads n and writes n; into a new buffer, writing is what costs.
        memory = ready / (2 * _rate(self.copy_s, case.bytes / 2))
        memory += case.fresh_bytes / _rate(self.fresh_s, case.fresh_bytes)
        if case.random_rows:
            self._random = self._random or RandomRows(self.device)
            row = self._random.seconds(case.table_bytes // case.num_embeddings, case.table_bytes)
            memory += case.random_rows * row
        return Prediction(memory, case.flops / self.flops_per_s, self._overhead(case))

    def _overhead(self, case: Case) -> float:
        key = (case.method, case.pass_, case.output)
        if key not in self._overhead_s:
            least = replace(case, num_embeddings=2, embedding_dim=1, tokens=1, cache="same")
            names = Ready(least.point).names(least)
            self._overhead_s[key] = fastest(statement(least), names)
        return self._overhead_s[key]

    def to_dict(self) -> dict[str, Any]:
        """The calibration for JSON: GB copied in a second by buffer size, GFLOP/s."""
        return {
            "device": self.device,
            "dtype": self.dtype,
            "threads": self.threads,
            "copy_gb_per_s": {str(k): k / s / 1e9 for k, s in self.copy_s.items()},
            "fresh_gb_per_s": {str(k): k / s / 1e9 for k, s in self.fresh_s.items()},
            "gflop_per_s": self.flops_per_s / 1e9,
            "random_row_ns": {
                str(size): [1e9 * one for one in extra]
                for size, extra in sorted(self._random.extra_s.items())
            }
            if self._random
            else {},
        }


def _rate(seconds: dict[int, float], size: float) -> float:
    """Bytes copied in a second, for a buffer of `size` bytes, between the sizes that were timed."""
    sizes = sorted(seconds)
    rates = [math.log(one / seconds[one]) for one in sizes]
    return math.exp(np.interp(math.log(max(size, 1)), np.log(sizes), rates))
