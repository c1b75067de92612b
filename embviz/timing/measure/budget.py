"""The memory that cases take, predicted before anything is allocated, and what they may take.

Nothing is allocated here. The definition of a case gives its parts; see `Timed.memory`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection
from typing import Any

import torch

from embviz.system import bounds
from embviz.system.machine import cache_bytes
from embviz.text.wording import format_bytes
from embviz.timing.measure.timed import Timed

USUAL_CACHE = 64 << 20  # Bytes of the last-level cache, where the system does not say.
FLUSH = 1.25  # Bytes written to flush the caches, for each byte of the last-level cache.
RESERVE_BYTES = 512 << 20  # Bytes of a GPU's memory left to PyTorch's own buffers and rounding.


def budget(device: str) -> tuple[int, str]:
    """Bytes that cases on a device may take together, and what sets this bound.

    On a CUDA GPU it is what is free there, with what this process holds. A bound that the host has
    set holds there too.
    """
    variable = bounds.TIMING.variable
    allowed = bounds.TIMING.value() * bounds.MIB
    if device != "cuda" or not torch.cuda.is_available():
        return allowed, variable
    free = max(0, torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved() - RESERVE_BYTES)
    is_set = bounds.hosted() or variable in os.environ
    if is_set and allowed < free:
        return allowed, variable
    return free, "what is free on the GPU"


def needed(case: Timed) -> dict[str, int]:
    """Bytes that a case takes, part by part, with those of the clock `gpu`.

    >>> needed(Timed("lookup", 100, 64, 8, device="cuda"))["CUDA graph"]
    2048
    """
    parts = case.memory()
    if case.device == "cuda":  # a graph has memory of its own for all that its calls make
        made = ["output", "gradients"]
        if case.record.builds:
            made.append("one-hot")
        parts["CUDA graph"] = sum(parts.get(name, 0) for name in made)
    return parts


def too_large(cases: Collection[Timed]) -> bool:
    """Whether memory does not hold the tensors of all points of a device, one of them twice."""
    for device in {case.device for case in cases}:
        most, _ = budget(device)
        held = Counter[Any]()
        for case in cases:
            size = sum(needed(case).values())
            if case.device == device and size <= most:
                held[case.point] += size
        if held and held.total() + max(held.values()) > most:
            return True
    return False


def check_memory(case: Timed, held: int) -> None:
    """Refuse a case that does not fit beside the `held` bytes of its point.

    Raises:
        MemoryError: with the arithmetic.
    """
    parts, (most, what) = needed(case), budget(case.device)
    if case.cache_record.flushes:
        parts["flushing buffer"] = flush_bytes(case.device)
    if held:
        parts["what is measured beside it"] = held
    if (total := sum(parts.values())) > most:
        sizes = " + ".join(f"{name} {format_bytes(size)}" for name, size in parts.items())
        needs, allowed = (format_bytes(count, 3) for count in (total, most))
        raise MemoryError(f"needs {sizes} = {needs}, over the budget of {allowed} ({what})")


def flush_bytes(device: str) -> int:
    """Bytes of the buffer that flushes the caches: more than the last one holds."""
    return int(FLUSH * (cache_bytes(device) or USUAL_CACHE))
