"""Log axes: their ranges and readable ticks. Every value must be above zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def log_range(values: Iterable[float], at_least: Sequence[float] = ()) -> tuple[float, float]:
    """The range of a log axis in powers of ten, with room around the values."""
    logs = [math.log10(value) for value in [*values, *at_least]]
    low, high = min(logs), max(logs)
    room = max(0.06 * (high - low), 0.04)
    return low - room, high + room


def log_ticks(low: float, high: float, word: Callable[[float], str]) -> dict[str, Any]:
    """Ticks at powers of ten, or closer ones if there are fewer than three."""
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1, 1.2, 1.5, 2, 3, 5, 7)):
        ticks = [
            step * 10.0**power
            for power in range(math.floor(low) - 1, math.ceil(high) + 1)
            for step in steps
            if low <= math.log10(step) + power <= high
        ]
        if len(ticks) >= 3:
            break
    return {"tickvals": ticks, "ticktext": [word(tick) for tick in ticks]}


def thinned(values: Sequence[int], most: int = 6) -> list[int]:
    """Some of the sizes, so that their labels do not overlap; the largest is always kept."""
    kept: list[int] = []
    gap = math.log(values[-1] / values[0]) / (most - 0.5) if values[0] < values[-1] else 0.0
    for value in reversed(values):
        if not kept or math.log(kept[-1] / value) >= gap:
            kept.append(value)
    return kept[::-1]
