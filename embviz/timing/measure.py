"""Cases, measured in rounds: in each round every point once, in random order.

It runs in the worker process, where nothing else runs. A machine that slows down for a while slows
all points alike, and each round gives one pair of values for each comparison. At every point
the first method is measured twice: the A/A control. The anchor, one case, is measured at every
point: its differences are the noise of statements across points. Warm-up is discarded; all other
times are kept.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import torch

from embviz.core.wording import printable, without_paths
from embviz.timing.cases import Case
from embviz.timing.results import ROUNDS, Failure, Measurement, Result
from embviz.timing.series import Calibrations, Series, prepare
from embviz.timing.tensors import Ready

REASON_LIMIT = 300
SLOW_ANCHOR_S = 0.05  # a block of the anchor is measured at every point


class Cancelled(Exception):
    """The sweep was stopped; its results stay."""


@dataclass
class Measuring:
    """The state of one request.

    Attributes:
        calibrations: by device, dtype and threads; a missing one is added.
        announce: called with a case before its first call and before each slow call, so that the
            parent knows which case hangs.
        cancelled: asked between blocks.
        order: of points and methods.
        anchor: measured at every point, or None.
        anchored: its blocks of this round, by place.
    """

    calibrations: Calibrations
    announce: Callable[[Case], None]
    cancelled: Callable[[], bool]
    order: random.Random = field(default_factory=random.Random)
    anchor: Series | None = None
    anchored: dict[int, float] = field(default_factory=dict)

    def rounds(
        self, points: Sequence[Sequence[Case]], anchor: Case | None = None, first: int = 0
    ) -> Iterator[Result]:
        """Measure points whose tensors fit into memory together, in ROUNDS rounds.

        Args:
            points: the cases of each. A point without cases keeps its place for the anchor.
            anchor: the case that is measured at every point.
            first: the round to begin with, after a worker was lost.

        Yields:
            A failure for each case that gave no time. For each case, control and anchor, one
            measurement a round, with blocks in this round only. A control comes after its method.

        Raises:
            Cancelled: when `cancelled()` is true.
        """
        if anchor is not None:
            self._set_anchor(anchor)
        prepared: dict[int, list[Series]] = {}
        for number in range(first, ROUNDS):
            places = list(range(len(points)))
            self.order.shuffle(places)
            for place in places:
                if place not in prepared:  # in the first round, so that results come at once
                    prepared[place] = []
                    yield from self._prepare(points[place], prepared[place])
                yield from self._visit(prepared[place], place, number)
            if self.anchor is not None and len(self.anchored) == len(points):
                yield self.anchor.result([self.anchored[place] for place in sorted(places)], number)
            self.anchored.clear()

    def _set_anchor(self, case: Case) -> None:
        """Prepare the anchor; without it if it gives no time, or takes long at every point."""
        self.announce(case)
        with contextlib.suppress(Exception):  # its own point says why
            series = prepare(case, Ready(case.point), self.calibrations, 0)
            if series.number * series.once_s < SLOW_ANCHOR_S:
                self.anchor = replace(series, anchor=True)

    def _prepare(self, cases: Sequence[Case], series: list[Series]) -> Iterator[Failure]:
        if not cases:
            return
        ready = Ready(cases[0].point)
        for case in cases:
            if self.cancelled():
                raise Cancelled
            self.announce(case)
            # Tensors of a backward pass are each case's own.
            own = sum(one.case.memory_bytes for one in series if case.backward and not one.again)
            try:
                prepared = prepare(case, ready, self.calibrations, ready.shared_bytes + own)
            except Exception as error:  # any error of PyTorch is the result of this case
                yield Failure(case, _reason(error))
                continue
            series.append(prepared)
            if len(series) == 1:
                series.append(replace(prepared, again=True))

    def _visit(self, series: list[Series], place: int, number: int) -> Iterator[Result]:
        """Time a few blocks of each method; a slow one leaves the last rounds out."""
        visited = [one for one in series if number < one.rounds]
        if self.anchor is not None:
            visited.append(self.anchor)
        self.order.shuffle(visited)
        given, controls = set[Case](), list[Measurement]()
        for one in visited:
            try:
                times = self._blocks(one)
            except Cancelled:
                raise
            except Exception as error:  # out of memory, say, now that others hold some
                if one is self.anchor:
                    self.anchor = None
                elif one in series:
                    series[:] = [other for other in series if other.case != one.case]
                    yield Failure(one.case, _reason(error))
                continue
            if one is self.anchor:
                self.anchored[place] = median(times)
            elif one.again and one.case not in given:
                controls.append(one.result(times, number))
            else:
                given.add(one.case)
                yield one.result(times, number)
                # A file that is cut here must not have a control without its method.
                yield from controls
                controls.clear()

    def _blocks(self, one: Series) -> list[float]:
        times = list[float]()
        if torch.get_num_threads() != one.case.threads:
            torch.set_num_threads(one.case.threads)
        for _ in range(one.blocks):
            if self.cancelled():
                raise Cancelled
            if one.slow:
                self.announce(one.case)
            elif not times:
                one.warm_up()
            times.append(one.timer.seconds(one.number))
        return times


def _reason(error: Exception) -> str:
    """An error as one printable sentence, without paths."""
    text = next(iter(str(error).strip().splitlines()), "")
    if not isinstance(error, MemoryError):
        text = f"{type(error).__name__}: {text}"
    text = text or "the memory that the worker may use is full"
    return without_paths("".join(printable(c) for c in text))[:REASON_LIMIT]
