"""The reason why two times differ, where the definitions or the run's own numbers give it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from embviz.text.wording import counted
from embviz.timing.measure.ceilings import calibration_of
from embviz.timing.measure.timed import Timed

# Bytes in the caches, and operations in 32 bits, that every processor does in a second: what takes
# four times as long as they say is mostly the cost of a call.
RATE = 1e10
CALL_S = 2e-5  # Seconds that a call without work takes, at most.


def reason(
    a: Timed,
    b: Timed,
    seconds: Mapping[Timed, float],
    clock: str,
    calibrations: Sequence[Mapping[str, Any]],
) -> str:
    """Why the times of two cases differ, as a clause; empty where it is not known.

    Args:
        a: the case that is told.
        b: the case that it is told by.
        seconds: of each case.
        clock: `wait` or `gpu`.
        calibrations: the matrix products that the run has timed, as in its environment.
    """
    slower = seconds[a] >= seconds[b]
    if clock == "wait" and all(_is_call(case, seconds[case]) for case in (a, b)):
        return "the start of the call takes most of both"
    if slower and a.record.builds and not b.record.builds and b.record.dense:
        return f"it first writes a one-hot of {a.tokens:,} × {a.num_embeddings:,}"
    if slower and a.record.dense and not b.record.dense:
        return "a matmul multiplies every row"
    is_short = a.record.sparse_gradient and a.tokens < a.num_embeddings
    if not slower and is_short and not b.record.sparse_gradient:
        return f"its gradient has {counted(a.tokens, 'row')}, not {a.num_embeddings:,}"
    is_shorter = a.record.dense and a.itemsize < b.itemsize
    if slower and is_shorter and _has_slower_product(a, b, calibrations):
        return f"PyTorch has no fast {a.dtype} product on the processor that was timed"
    return ""


def _is_call(case: Timed, seconds: float) -> bool:
    """Whether the work of a short call takes far less than its time.

    Not said where RATE may be too much: of rows that are not in the caches, and of 16 bits.
    """
    is_usual = case.cache == "same" and case.itemsize > 2
    return is_usual and 4 * (case.bytes + case.flops) / RATE < seconds < CALL_S


def _has_slower_product(a: Timed, b: Timed, calibrations: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the run's own matrix product, as of a, has a lower rate than as of b.

    A slow dtype is no reason by itself: one processor computes in it, and the next converts.
    """
    first, second = (calibration_of(case, calibrations) for case in (a, b))
    return bool(first and second and first["gflop_per_s"] < second["gflop_per_s"])
