"""Cases, measured in rounds: in each round every case once, in random order.

A machine that slows down for a while slows all alike. The methods of a point are measured one after
another, in random order too, and its first method twice: the A/A control. Before some rounds all
tensors are made anew, elsewhere in memory and in another order. Warm-up is discarded; all other
times are kept.

On a CUDA GPU a case has two clocks: `wait` is what one waits for a call, and `gpu` how long the
GPU works. A line names a case by its index in the list of the sweep. A case over the budget of
memory is refused first, and nothing is allocated.
"""

from __future__ import annotations

import random
import timeit
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache, partial
from typing import Any

import torch
from torch.utils import benchmark

from embviz.fact.layers import check_range
from embviz.text.wording import without_paths
from embviz.timing.measure.axes import SKEWS
from embviz.timing.measure.budget import check_memory, flush_bytes, needed, too_large
from embviz.timing.measure.gpu import MOST_CALLS, GpuClock, NotCaptured, gpu_clock
from embviz.timing.measure.methods import INDEX
from embviz.timing.measure.tensors import SEED, Ready, nbytes, precision, statement
from embviz.timing.measure.timed import PLACEMENTS, ROUNDS, Line, Timed

BLOCK_S = 0.001  # Seconds of a block, at least, so that reading the clock costs nothing.
ROUND_S = 0.002  # Seconds timed for each case in a round.
SLOW_S = 0.004  # Seconds of a round above which a case has one round in each placement.
FLUSHED_BLOCKS = 3  # Blocks of one call in a round: flushing takes far longer than the call.
SHORTEST_S = 1e-9  # Seconds of a block, at least: no clock gives a zero to divide by.
IN_PLACEMENT = ROUNDS // PLACEMENTS  # Rounds in a placement.
RENEWED_BYTES = 64 << 20  # Bytes of new ids, at most, that the calls of one CUDA graph read.
# Of one call, the clock `gpu` would see mostly its start.
FLUSHED = "With caches flushed before each call a CUDA graph would hold one call, too few to time."
# Its capture fails, and a failed capture keeps memory until the process ends (PyTorch 2.11).
SPARSE_ADAM = "SparseAdam waits for the GPU in each step, which a CUDA graph cannot hold."


class Series:
    """One case while it is measured.

    `torch.utils.benchmark.Timer` measures one statement until it is done. Statements that are
    interleaved need single blocks, by the same clock, which waits for a GPU.

    Args:
        case: what is timed.
        index: of the case in the list of the sweep.

    Attributes:
        names: the globals of the statement in this placement; empty between two.
        number: calls in a block; 0 before the first placement.
        blocks: in a round.
        rounds: in each placement.
        slow: whether one call lasts longer than several blocks of a quick method.
        peak: bytes of GPU memory that the case needs for itself, where the device counts them.
        clock: the clock `gpu` of this placement, for a case on a CUDA GPU.
        batches: the ids (calls, N) that this clock reads, where each call has new ones.
        no_gpu: why a case on a CUDA GPU has no time of the clock `gpu`, in one sentence.
    """

    def __init__(self, case: Timed, index: int = 0) -> None:
        self.case, self.index, self.no_gpu = case, index, _without_gpu(case)
        self.names: dict[str, Any] = {}
        self.number, self.blocks, self.rounds, self.slow = 0, 1, IN_PLACEMENT, False
        self.peak: int | None = None
        self.clock: GpuClock | None = None
        self._generator = torch.Generator().manual_seed(SEED)
        self._calls = 0  # Calls in one replay; 0 before the first placement.
        self.batches = torch.empty(0)

    def takes_part(self, number: int) -> bool:
        """Whether the case is measured in a round: a slow one only in a placement's first."""
        return number % IN_PLACEMENT < self.rounds

    def place(self, names: dict[str, Any]) -> None:
        """Take other tensors, which frees those of the placement before, and warm up."""
        self.free()
        self.names = names
        self._timer = timeit.Timer(statement(self.case), timer=benchmark.timer, globals=names)
        torch.set_num_threads(self.case.threads)
        if not self.number:
            self._calibrate()
        elif self.case.mode_record.moments:
            self.seconds(1)  # a new optimizer makes its moments in the first step

    def free(self) -> None:
        """Free the tensors of this case, also those of its clocks."""
        self.names.clear()  # The timer holds these too.
        self.clock, self.batches = None, torch.empty(0)

    def capture(self) -> None:
        """Make the clock `gpu` of these tensors on a CUDA GPU; or say, once, why there is none."""
        if self.no_gpu:
            return
        try:
            if self._calls:
                self.clock = GpuClock(self._prepare, self._calls)
            else:
                self.clock = gpu_clock(self._prepare, self.number, self.most_calls())
                self._calls = self.clock.calls
        except NotCaptured as why:
            self.no_gpu = str(why)

    def gpu_times(self) -> list[float]:
        """Seconds of work of a call in each replay of one round; none without the clock `gpu`."""
        if self.clock is None:
            return []
        before: Callable[[], object] | None = None
        if self.case.cache_record.renews:
            before = partial(self.batches.copy_, self.draw(self.clock.calls))
        return self.clock.replay(self.blocks, before)

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
            self.names["batches"] = [*self.draw(number).unbind()]
            taken = timer.timeit(1)
        else:
            taken = timer.timeit(number)
        return max(taken, SHORTEST_S) / number

    def draw(self, calls: int) -> torch.Tensor:
        """New ids (`calls`, N), int64, for each of `calls` calls, within the table."""
        drawn = torch.empty(calls, self.case.tokens, dtype=torch.int64)
        rows = self.case.num_embeddings
        SKEWS[self.case.ids](drawn.view(-1), rows, self._generator)
        check_range(drawn, rows)
        return drawn.to(self.case.device)

    def most_calls(self) -> int:
        """The most calls in one replay of the clock `gpu`."""
        if self.case.cache_record.renews:
            return max(1, min(MOST_CALLS, RENEWED_BYTES // (self.case.tokens * INDEX)))
        return MOST_CALLS

    def _prepare(self, calls: int) -> Callable[[], object]:
        """So many calls of the statement for the clock `gpu`, which does not wait for each."""
        plain = timeit.Timer(statement(self.case), globals=self.names)
        if not self.case.cache_record.renews:
            return partial(plain.timeit, calls)
        # A graph reads the ids where they lie: other ids are copied to this place.
        self.batches = self.draw(calls)
        self.names["batches"] = [*self.batches.unbind()]
        return partial(plain.timeit, 1)

    def _calibrate(self) -> None:
        """Warm up, and choose the calls in a block and the blocks in a round."""
        before = 0
        if counted := self.case.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
        self.seconds(1)  # the first call sets up what later ones find ready
        if counted:
            read = (value for value in self.names.values() if isinstance(value, torch.Tensor))
            self.peak = torch.cuda.max_memory_allocated() - before + sum(map(nbytes, read))
        number, once = 1, self.seconds(1)
        if self.case.cache_record.flushes:
            self.blocks = FLUSHED_BLOCKS
        else:
            while number * once < BLOCK_S / 4:  # A shorter block is no guess.
                number *= 4
                once = min(once, self.seconds(number))
            number = max(1, round(BLOCK_S / once))
            self.blocks = max(1, round(ROUND_S / once / number))
        self.number, self.slow = number, once > 10 * BLOCK_S
        if self.blocks * number * once > SLOW_S:
            self.rounds = 1


def points_of(cases: Iterable[Timed], skip: Container[int] = ()) -> list[list[Series]]:
    """The cases, point by point.

    Args:
        cases: all of the sweep, in the order of its list.
        skip: indices of cases that are left out.
    """
    points: dict[Any, list[Series]] = {}
    for index, case in enumerate(cases):
        if index not in skip:
            points.setdefault(case.point, []).append(Series(case, index))
    return list(points.values())


def rounds(points: list[list[Series]], process: int, first: int = 0) -> Iterator[Line]:
    """Measure all points in ROUNDS rounds.

    Tensors are made anew at the first round of each placement. Where memory does not hold those of
    all points, each point has one round in a placement, and its tensors are freed after it.

    Args:
        points: from `points_of`; a case that fails is taken out.
        process: its number, for the lines.
        first: the round to begin with, after a crash.

    Yields:
        the lines `times`, `failure`, `round` and `now`; a control comes after its method. `now`
        has the index of the case whose first calls in a placement, or whose slow call, comes next;
        None when they are over. So the parent knows which case hangs.
    """
    remade = too_large([series.case for point in points for series in point])
    for number in range(first, ROUNDS):
        random.shuffle(points)
        for point in points:
            if not any(series.takes_part(number) for series in point):
                continue
            if number % IN_PLACEMENT == 0 or not point[0].names:
                yield from _place(point, remade)
            yield from _visit(point, number, process)
            if remade:
                for series in point:
                    series.free()
        yield {"type": "round", "round": number}


def _place(point: list[Series], remade: bool) -> Iterator[Line]:
    """Make the tensors of a point anew, before the old ones are freed.

    Tensors that are allocated later lie elsewhere in memory, and may be quicker to read. The first
    time decides which of them fit. After it the order is random: no method always comes last.
    """
    ready, held = Ready(point[0].case), 0
    order = list(point)
    if point[0].number:
        random.shuffle(order)
    for series in order:
        yield _now(series)
        try:
            check_memory(series.case, held)
            with precision(series.case):
                series.place(ready.names(series.case))
                if series.case.device == "cuda":
                    yield _now(series)
                    series.capture()
        except Exception as error:  # Any error of PyTorch is the result of this case.
            point.remove(series)
            yield _failure(series, error)
            continue
        held += sum(needed(series.case).values())
    yield _now(None)
    if remade:
        for series in point:
            series.rounds = 1


def _visit(point: list[Series], number: int, process: int) -> Iterator[Line]:
    """One round of a point; its first method twice."""
    first = point[:1]
    visits = [(series, False) for series in point] + [(series, True) for series in first]
    random.shuffle(visits)
    controls = list[Line]()
    for series, again in visits:
        if series not in point or not series.takes_part(number):  # One may just have failed.
            continue
        if series.slow:
            yield _now(series)
        try:
            with precision(series.case):
                wait = series.times()
            if series.slow and series.clock is not None:
                yield _now(series)
            gpu = series.gpu_times()
        except Exception as error:  # Memory is full, say, now that others hold some.
            point.remove(series)
            yield _failure(series, error)
            continue
        line: Line = {"type": "times", "case": series.index, "process": process}
        line |= {"placement": number // IN_PLACEMENT, "round": number, "again": again, "wait": wait}
        if gpu:
            line["gpu"] = gpu
        elif series.no_gpu and series.case.device == "cuda" and number % IN_PLACEMENT == 0:
            line["no_gpu"] = series.no_gpu
        if series.peak is not None:
            line["peak_bytes"] = series.peak
        if again:
            controls.append(line)
        else:
            yield line
        if series.slow:
            yield _now(None)
    if point[:1] == first:
        yield from controls


def _without_gpu(case: Timed) -> str:
    """Why a case has no time of the clock `gpu`, where that is known before; else empty."""
    if case.cache_record.flushes:
        return FLUSHED
    if case.record.sparse_gradient and case.mode_record.sparse_optimizer == "SparseAdam":
        return SPARSE_ADAM
    return ""


def _now(series: Series | None) -> Line:
    return {"type": "now", "case": None if series is None else series.index}


def _failure(series: Series, error: Exception) -> Line:
    """The line of a case that gives no further times; its reason is one line without paths."""
    text = str(error).strip().partition("\n")[0]
    if isinstance(error, torch.OutOfMemoryError):  # The rest lists other processes of the GPU.
        text = ". ".join(text.split(". ")[:2]).removesuffix(".")
    elif not isinstance(error, MemoryError):
        text = f"{type(error).__name__}: {text}"
    reason = without_paths(text or "the memory of the measuring process is full")
    return {"type": "failure", "case": series.index, "reason": reason}


@cache
def flush_buffer(device: str) -> torch.Tensor:
    """A buffer on a device that is larger than the caches: writing it empties them."""
    return torch.empty(flush_bytes(device), dtype=torch.uint8, device=device)
