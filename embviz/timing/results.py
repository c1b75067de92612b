"""A measurement with all its raw times, or a failure with its reason.

Statistics are properties of the raw times. Nothing is averaged away, and no outlier is left out.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median, quantiles
from typing import Any

from embviz.timing.cases import Case

ROUNDS = 12  # in each, a sweep measures every case once

Key = tuple[Case, bool, bool]
Place = tuple[int, int]  # process and round


@dataclass(frozen=True)
class Measurement:
    """Raw times of one case.

    Attributes:
        case: what was timed.
        blocks: seconds for one call in each timed block, by process and round, in this order.
        again: whether this is the A/A control, the first method measured a second time.
        anchor: whether this is the anchor: one case, measured at every point of every round.
        peak_bytes: bytes of GPU memory at the peak, where the device counts them.
    """

    case: Case
    blocks: dict[Place, tuple[float, ...]]
    again: bool = False
    anchor: bool = False
    peak_bytes: int | None = None

    @cached_property
    def times_s(self) -> tuple[float, ...]:
        """Seconds for one call, one value for each timed block."""
        return tuple(time for times in self.blocks.values() for time in times)

    @cached_property
    def by_place(self) -> dict[Place, float]:
        """The median logarithm of each round's seconds."""
        return {place: median(map(math.log, times)) for place, times in self.blocks.items()}

    @property
    def processes(self) -> set[int]:
        """The processes that measured it."""
        return {process for process, _ in self.blocks}

    @property
    def helps(self) -> bool:
        """Whether it serves to know the noise, and is no result of its own."""
        return self.again or self.anchor

    @property
    def key(self) -> Key:
        """Equal for the lines of one measurement: its rounds, and its processes."""
        return self.case, self.again, self.anchor

    def with_rounds(self, *others: Measurement) -> Measurement:
        """All blocks of it and of others with the same `key`."""
        blocks: dict[Place, tuple[float, ...]] = {}
        for one in (self, *others):
            for place, times in one.blocks.items():
                blocks[place] = blocks.get(place, ()) + times
        return replace(self, blocks=dict(sorted(blocks.items())))

    @cached_property
    def median_s(self) -> float:
        """Seconds for one call."""
        return median(self.times_s)

    @cached_property
    def quartiles_s(self) -> tuple[float, float]:
        """First and third quartile of the blocks, in seconds."""
        if len(self.times_s) < 2:
            return self.times_s[0], self.times_s[0]
        low, _, high = quantiles(self.times_s, n=4, method="inclusive")
        return low, high

    @property
    def iqr_s(self) -> float:
        """Distance of the quartiles, in seconds."""
        low, high = self.quartiles_s
        return high - low

    def lines(self) -> Iterator[dict[str, Any]]:
        """The lines of a run file, one for each round; seconds have 4 significant digits."""
        kind: dict[str, Any] = {"again": self.again}
        kind |= {"anchor": True} if self.anchor else {}
        kind |= {} if self.peak_bytes is None else {"peak_bytes": self.peak_bytes}
        for (process, number), times in self.blocks.items():
            line = {"type": "times", "case": self.case.to_dict(), "process": process}
            seconds = [float(f"{one:.3e}") for one in times]
            yield line | {"round": number, **kind, "seconds": seconds}


@dataclass(frozen=True)
class Failure:
    """A case that gave no time, and the reason in one sentence."""

    case: Case
    reason: str

    @property
    def key(self) -> Key:
        """As a measurement has it."""
        return self.case, False, False

    def lines(self) -> Iterator[dict[str, Any]]:
        """The one line of a run file."""
        yield {"type": "failure", "case": self.case.to_dict(), "reason": self.reason}


Result = Measurement | Failure


class Pool:
    """Results line by line, one for each case and round; given back as one result a case.

    A failure takes the place of its case's measurements, those before it and those after it.
    Several threads may use it.
    """

    def __init__(self) -> None:
        self._parts: dict[Key, list[Measurement] | Failure] = {}
        self._lock = threading.Lock()

    def add(self, one: Result) -> None:
        """Take one more line."""
        with self._lock:
            own = one.case, False, False
            failed = isinstance(self._parts.get(own), Failure)
            if isinstance(one, Measurement):
                parts = self._parts.setdefault(one.key, []) if one.anchor or not failed else None
                if isinstance(parts, list):
                    parts.append(one)
            elif not failed:
                for again in (False, True):
                    self._parts.pop((one.case, again, False), None)
                self._parts[own] = one

    @property
    def results(self) -> list[Result]:
        """One result a case, its control after it, and the anchor last."""
        with self._lock:
            for parts in self._parts.values():
                if isinstance(parts, list) and len(parts) > 1:
                    parts[:] = [parts[0].with_rounds(*parts[1:])]
            found = [one[0] if isinstance(one, list) else one for one in self._parts.values()]
        return sorted(found, key=lambda one: (one.key[2], one.case.rank, one.key[1]))
