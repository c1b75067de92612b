"""A measurement with all its raw times, or a failure with its reason.

Statistics are properties of the raw times. Nothing is averaged away, and no outlier is left out.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from statistics import median, quantiles
from typing import Any, TypeVar

from embviz.timing.cases import Case

ROUNDS = 12  # in each, a sweep measures every case once

# The terms of the model, and what each means in a sentence.
TERMS = {
    "overhead": "the fixed cost of a call",
    "bandwidth": "moving bytes",
    "compute": "arithmetic",
}


Key = tuple[Case, bool, bool]
Place = tuple[int, int]  # process and round
Item = TypeVar("Item")


@dataclass(frozen=True)
class Measurement:
    """Raw times of one case.

    Attributes:
        case: what was timed.
        times_s: seconds for one call, one value for each timed block.
        number_per_run: calls in a block.
        predicted_s: the model's seconds for one call (see `floor`), or None.
        dominant: the model's largest term, a key of TERMS, or empty.
        control: whether this is the A/A control, the first method measured a second time.
        rounds: how `times_s` divides into rounds, as counts; 0 where it was not measured. One
            round where empty.
        processes: how `rounds` divides into processes, as counts. One process where empty.
        anchor: whether this is the anchor: one case, measured at every point of every round.
        peak_bytes: bytes of GPU memory at the peak, where the device counts them.
        compile_s: seconds that torch.compile took before the first block, where it was used.
    """

    case: Case
    times_s: tuple[float, ...]
    number_per_run: int
    predicted_s: float | None = None
    dominant: str = ""
    control: bool = False
    peak_bytes: int | None = None
    compile_s: float | None = None
    rounds: tuple[int, ...] = ()
    anchor: bool = False
    processes: tuple[int, ...] = ()

    @property
    def by_round(self) -> list[tuple[float, ...]]:
        """`times_s`, one tuple for each round of each process; empty where it was not measured."""
        return [tuple(part) for part in _parts(self.times_s, self.rounds)]

    @property
    def by_process(self) -> list[list[tuple[float, ...]]]:
        """`by_round`, one list for each process; empty where it was not measured."""
        return [list(part) for part in _parts(self.by_round, self.processes)]

    @cached_property
    def logs(self) -> list[list[float | None]]:
        """The median logarithm of each round's seconds, by process; None where it has no block."""
        return [
            [median(map(math.log, blocks)) if blocks else None for blocks in rounds]
            for rounds in self.by_process
        ]

    @property
    def by_place(self) -> dict[Place, float]:
        """`logs` by process and number of the round, where it was measured."""
        return {
            (process, number): value
            for process, rounds in enumerate(self.logs)
            for number, value in enumerate(rounds)
            if value is not None
        }

    @property
    def helps(self) -> bool:
        """Whether it serves to know the noise, and is no result of its own."""
        return self.control or self.anchor

    @property
    def key(self) -> Key:
        """Equal for the lines of one measurement: its rounds, and its processes."""
        return self.case, self.control, self.anchor

    def with_rounds(self, *others: Measurement) -> Measurement:
        """All blocks of it and of others with the same `key`, by process, then by round.

        Calls in a block, prediction and peak are those of the first.
        """
        blocks: dict[Place, list[float]] = {}
        for one in (self, *others):
            for process, rounds in enumerate(one.by_process):
                for number, times in enumerate(rounds):
                    if times:
                        blocks.setdefault((process, number), []).extend(times)
        lengths = [0] * (1 + max(process for process, _ in blocks))
        for process, number in blocks:
            lengths[process] = max(lengths[process], number + 1)
        places = [(process, n) for process, length in enumerate(lengths) for n in range(length)]
        return replace(
            self,
            times_s=tuple(time for place in places for time in blocks.get(place, ())),
            rounds=tuple(len(blocks.get(place, ())) for place in places) if places[1:] else (),
            processes=tuple(lengths) if len(lengths) > 1 else (),
        )

    @property
    def median_s(self) -> float:
        """Seconds for one call."""
        return median(self.times_s)

    @property
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

    @property
    def timed_s(self) -> float:
        """Seconds inside the timed blocks."""
        return sum(self.times_s) * self.number_per_run

    @property
    def spread(self) -> float:
        """`iqr_s` as a share of the median."""
        return self.iqr_s / self.median_s

    def to_dict(self) -> dict[str, Any]:
        """One line of a run file; its times have 4 significant digits."""
        times = [float(f"{one:.3e}") for one in self.times_s]
        written = replace(self, times_s=tuple(times))
        line: dict[str, Any] = {
            "type": "measurement",
            "case": self.case.to_dict(),
            "times_s": times,
            "number_per_run": self.number_per_run,
            "median_s": written.median_s,
            "iqr_s": written.iqr_s,
            "predicted_s": self.predicted_s,
            "dominant": self.dominant,
            "bytes": self.case.bytes,
            "flops": self.case.flops,
            "memory_bytes": self.case.memory_bytes,
        }
        counted = {"peak_bytes": self.peak_bytes, "compile_s": self.compile_s}
        line |= {name: one for name, one in counted.items() if one is not None}
        if len(self.rounds) > 1:
            line["rounds"] = list(self.rounds)
        if len(self.processes) > 1:
            line["processes"] = list(self.processes)
        return line | {name: True for name in ("control", "anchor") if getattr(self, name)}


@dataclass(frozen=True)
class Failure:
    """A case that gave no time, and the reason in one sentence."""

    case: Case
    reason: str

    @property
    def key(self) -> Key:
        """As a measurement has it."""
        return self.case, False, False

    def to_dict(self) -> dict[str, Any]:
        """One line of a run file."""
        return {"type": "failure", "case": self.case.to_dict(), "reason": self.reason}


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
                for control in (False, True):
                    self._parts.pop((one.case, control, False), None)
                self._parts[own] = one

    @property
    def results(self) -> list[Result]:
        """One result a case, control and anchor, in the order of their first lines."""
        with self._lock:
            for parts in self._parts.values():
                if isinstance(parts, list) and len(parts) > 1:
                    parts[:] = [parts[0].with_rounds(*parts[1:])]
            return [one[0] if isinstance(one, list) else one for one in self._parts.values()]


def _parts(items: Sequence[Item], counts: Sequence[int]) -> Iterator[Sequence[Item]]:
    """`items`, divided by counts; all of them where there are no counts."""
    ends = list(accumulate(counts or (len(items),)))
    return (items[start:end] for start, end in zip([0, *ends], ends, strict=False))
