"""Cases, measured in rounds: in each round every case once, in random order.

A machine that slows down for a while slows all alike. The methods of a point are measured one after
another, in random order too, and its first method twice: the A/A control. Before some rounds all
tensors are made anew, elsewhere in memory. Warm-up is discarded; all other times are kept.

Memory is predicted first: a case over the budget is refused with the arithmetic, and nothing is
allocated.
"""

from __future__ import annotations

import random
import time
import timeit
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

import torch
from torch.utils import benchmark

from embviz.core import bounds
from embviz.core.layers import check_range
from embviz.core.machine import cache_bytes
from embviz.core.wording import format_bytes, without_paths
from embviz.timing.axes import SKEWS
from embviz.timing.tensors import SEED, Ready, nbytes, statement
from embviz.timing.timed import PLACEMENTS, ROUNDS, Timed

BLOCK_S = 0.001  # a block lasts at least so long, so that reading the clock costs nothing
ROUND_S = 0.002  # timed for each case in a round; a slower one takes part in half of them
FLUSHED_BLOCKS = 3  # of one call each in a round: flushing takes far longer than the call
SLOW_S = 1.0  # of a slow call, in all rounds: as many rounds as fit, but one in each placement
MAKE_S = 2.0  # of a point that is made anew in each round; one that takes longer has fewer rounds
SHORTEST_S = 1e-9  # of a block: no clock gives a zero to divide by
USUAL_CACHE = 64 << 20  # bytes, where the system does not say
FLUSH = 1.25  # bytes written for each byte of the last-level cache
IN_PLACEMENT = ROUNDS // PLACEMENTS

Line = dict[str, Any]


class Series:
    """One case while it is measured.

    `torch.utils.benchmark.Timer` measures one statement until it is done. Statements that are
    interleaved need single blocks, by the same clock, which waits for a GPU.

    Args:
        case: what is timed.

    Attributes:
        names: the globals of the statement in this placement; empty between two.
        number: calls in a block; 0 before the first placement.
        blocks: in a round.
        rounds: in each placement.
        slow: whether one call lasts longer than several blocks of a quick method.
        peak: bytes of GPU memory that the case needs for itself, where the device counts them.
    """

    def __init__(self, case: Timed) -> None:
        self.case = case
        self.names: dict[str, Any] = {}
        self.number, self.blocks, self.rounds, self.slow = 0, 1, IN_PLACEMENT, False
        self.peak: int | None = None
        self._generator = torch.Generator().manual_seed(SEED)

    def takes_part(self, number: int) -> bool:
        """Whether it is measured in a round: a slow case in the first rounds of a placement."""
        return number % IN_PLACEMENT < self.rounds

    def place(self, names: dict[str, Any]) -> None:
        """Take other tensors, which frees those of the placement before, and warm up."""
        self.names = names
        self._timer = timeit.Timer(statement(self.case), timer=benchmark.timer, globals=names)
        torch.set_num_threads(self.case.threads)
        if not self.number:
            self._calibrate()
        elif self.case.backward:
            self.seconds(1)  # a new optimizer makes its moments in the first step

    def times(self) -> list[float]:
        """Seconds of a call in each block of one round."""
        torch.set_num_threads(self.case.threads)
        if not self.slow and not self.case.cache_record.flushes:
            # Another method's data is in the cache now.
            self.seconds(self.number if self.case.cache_record.renews else 1)
        return [self.seconds(self.number) for _ in range(self.blocks)]

    def seconds(self, number: int) -> float:
        """Seconds of one call, over a block of `number` calls.

        New ids are drawn for the block, and caches are flushed before each call, outside the clock.
        """
        timer, taken = self._timer, 0.0
        if self.case.cache_record.flushes:
            for _ in range(number):
                flush_buffer(self.case.device).zero_()
                taken += timer.timeit(1)
        elif self.case.cache_record.renews:
            self.names["batches"] = self.draw(number)
            taken = timer.timeit(1)
        else:
            taken = timer.timeit(number)
        return max(taken, SHORTEST_S) / number

    def draw(self, calls: int) -> list[torch.Tensor]:
        """New ids (N), int64, for each of `calls` calls, within the table."""
        drawn = torch.empty(calls, self.case.tokens, dtype=torch.int64)
        rows = self.case.num_embeddings
        SKEWS[self.case.ids](drawn.view(-1), rows, self._generator)
        check_range(drawn, rows)
        return list(drawn.to(self.case.device).unbind())

    def _calibrate(self) -> None:
        """Warm up, and choose the calls in a block and the blocks in a round."""
        if cuda := self.case.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        self.seconds(1)  # the first call sets up what later ones find ready
        if cuda:
            read = (one for one in self.names.values() if isinstance(one, torch.Tensor))
            self.peak = torch.cuda.max_memory_allocated() - before + sum(map(nbytes, read))
        number, once = 1, self.seconds(1)
        if self.case.cache_record.flushes:
            self.blocks = FLUSHED_BLOCKS
        else:
            while number * once < BLOCK_S / 4:  # too short to judge by
                number *= 4
                once = min(once, self.seconds(number))
            number = max(1, round(BLOCK_S / once))
            self.blocks = max(1, round(ROUND_S / once / number))
        self.number, self.slow = number, once > 10 * BLOCK_S
        taken = self.blocks * number * once
        most = IN_PLACEMENT if taken < 2 * ROUND_S else IN_PLACEMENT // 2
        self.rounds = max(1, min(most, int(SLOW_S / taken / PLACEMENTS)))


def points_of(cases: Iterable[Timed]) -> list[list[Series]]:
    """The cases, point by point."""
    points: dict[Any, list[Series]] = {}
    for case in cases:
        points.setdefault(case.point, []).append(Series(case))
    return list(points.values())


def too_large(points: list[list[Series]]) -> bool:
    """Whether memory does not hold the tensors of all points, with those of one point twice."""
    sizes = ([one.case.memory_bytes for one in point] for point in points)
    fit = [sum(size for size in point if size <= _budget()) for point in sizes]
    return sum(fit) + max(fit) > _budget()


def rounds(points: list[list[Series]], process: int, first: int = 0) -> Iterator[Line]:
    """Measure all points in ROUNDS rounds.

    Tensors are made anew at the first round of each placement, or in every round where memory does
    not hold them all.

    Args:
        points: from `points_of`; a case that fails is taken out.
        process: its number, for the lines.
        first: the round to begin with, after a crash.

    Yields:
        the lines `times`, `failure`, `round` and `now`; a control comes after its method. `now`
        has the case whose first calls in a placement, or whose slow call, comes next; None when
        they are over. So the parent knows which case hangs.
    """
    remade = too_large(points)
    for number in range(first, ROUNDS):
        random.shuffle(points)
        for point in points:
            if not any(one.takes_part(number) for one in point):
                continue
            if number % IN_PLACEMENT == 0 or not point[0].names:
                yield from _place(point, remade)
            yield from _visit(point, number, process)
            if remade:
                for one in point:
                    one.names.clear()
        yield {"type": "round", "round": number}


def _place(point: list[Series], remade: bool) -> Iterator[Line]:
    """Make the tensors of a point anew, before the old ones are freed."""
    ready, held, taken = Ready(point[0].case), 0, 0.0
    for one in list(point):
        yield _now(one.case)
        try:
            _check_memory(one.case, held)
            begun = time.perf_counter()
            names = ready.names(one.case)
            taken += time.perf_counter() - begun
            one.place(names)
        except Exception as error:  # any error of PyTorch is the result of this case
            point.remove(one)
            yield _failure(one.case, error)
            continue
        held += one.case.memory_bytes
    yield _now(None)
    for one in point if remade else ():
        one.rounds = min(one.rounds, 1 if taken > MAKE_S else IN_PLACEMENT // 2)


def _visit(point: list[Series], number: int, process: int) -> Iterator[Line]:
    """One round of a point; its first method twice."""
    first = point[:1]
    visits = [(one, False) for one in point] + [(one, True) for one in first]
    random.shuffle(visits)
    controls = list[Line]()
    for one, again in visits:
        if one not in point or not one.takes_part(number):  # it may just have failed
            continue
        if one.slow:
            yield _now(one.case)
        try:
            seconds = one.times()
        except Exception as error:  # out of memory, say, now that others hold some
            point.remove(one)
            yield _failure(one.case, error)
            continue
        line: Line = {"type": "times", "case": asdict(one.case), "process": process}
        line |= {"round": number, "again": again, "seconds": seconds}
        if one.peak is not None:
            line["peak_bytes"] = one.peak
        if again:
            controls.append(line)
        else:
            yield line
        if one.slow:
            yield _now(None)
    if point[:1] == first:
        yield from controls


def _now(case: Timed | None) -> Line:
    return {"type": "now", "case": case and asdict(case)}


def _failure(case: Timed, error: Exception) -> Line:
    """The line of a case that gives no further times; its reason is one line without paths."""
    text = str(error).strip().partition("\n")[0]
    if not isinstance(error, MemoryError):
        text = f"{type(error).__name__}: {text}"
    reason = without_paths(text or "the memory of the measuring process is full")
    return {"type": "failure", "case": asdict(case), "reason": reason}


def _budget() -> int:
    return bounds.TIMING.value() * bounds.MIB


def _check_memory(case: Timed, held: int) -> None:
    """Refuse a case that does not fit beside what its point already holds."""
    parts = case.memory()
    if case.cache_record.flushes:
        parts["flushing buffer"] = flush_bytes(case.device)
    if held:
        parts["what is measured beside it"] = held
    if (needed := sum(parts.values())) > _budget():
        sizes = " + ".join(f"{name} {format_bytes(size)}" for name, size in parts.items())
        needs, allowed = (format_bytes(one, 3) for one in (needed, _budget()))
        variable = bounds.TIMING.variable
        raise MemoryError(f"needs {sizes} = {needs}, over the budget of {allowed} ({variable})")


def flush_bytes(device: str) -> int:
    """Bytes of the buffer that flushes the caches: more than the last one holds."""
    return int(FLUSH * (cache_bytes(device) or USUAL_CACHE))


@cache
def flush_buffer(device: str) -> torch.Tensor:
    """It pushes all data of the program, its code too, out of the caches when it is written."""
    return torch.empty(flush_bytes(device), dtype=torch.uint8, device=device)
