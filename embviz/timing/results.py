"""A measurement with all its raw times, or a failure with its reason.

Statistics are properties of the raw times. Nothing is averaged away, and no outlier is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from statistics import median, quantiles
from typing import Any

from embviz.timing.cases import Case

# The terms of the model, and what each means in a sentence.
TERMS = {
    "overhead": "the fixed cost of a call",
    "bandwidth": "moving bytes",
    "compute": "arithmetic",
}


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
        anchor: whether this is the anchor: one case, measured at every point of every round.
        peak_bytes: bytes of GPU memory at the peak, where the device counts them.
    """

    case: Case
    times_s: tuple[float, ...]
    number_per_run: int
    predicted_s: float | None = None
    dominant: str = ""
    control: bool = False
    peak_bytes: int | None = None
    rounds: tuple[int, ...] = ()
    anchor: bool = False

    @property
    def by_round(self) -> list[tuple[float, ...]]:
        """`times_s`, one tuple for each round; empty where it was not measured in a round."""
        times, ends = self.times_s, list(accumulate(self.rounds or (len(self.times_s),)))
        return [times[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    @property
    def helps(self) -> bool:
        """Whether it serves to know the noise, and is no result of its own."""
        return self.control or self.anchor

    def with_rounds(self, others: Measurement) -> Measurement:
        """This and further blocks of the same case, round by round."""
        both = [a + b for a, b in zip_longest(self.by_round, others.by_round, fillvalue=())]
        times = tuple(one for blocks in both for one in blocks)
        return replace(self, times_s=times, rounds=tuple(map(len, both)))

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
        """One line of a run file."""
        line: dict[str, Any] = {
            "type": "measurement",
            "case": self.case.to_dict(),
            "times_s": list(self.times_s),
            "number_per_run": self.number_per_run,
            "median_s": self.median_s,
            "iqr_s": self.iqr_s,
            "predicted_s": self.predicted_s,
            "dominant": self.dominant,
            "bytes": self.case.bytes,
            "flops": self.case.flops,
            "memory_bytes": self.case.memory_bytes,
        }
        if self.peak_bytes is not None:
            line["peak_bytes"] = self.peak_bytes
        if len(self.rounds) > 1:
            line["rounds"] = list(self.rounds)
        return line | {name: True for name in ("control", "anchor") if getattr(self, name)}


@dataclass(frozen=True)
class Failure:
    """A case that gave no time, and the reason in one sentence."""

    case: Case
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """One line of a run file."""
        return {"type": "failure", "case": self.case.to_dict(), "reason": self.reason}


Result = Measurement | Failure
