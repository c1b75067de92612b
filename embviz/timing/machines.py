"""The runs of one machine as one run with more processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from embviz.timing.results import Measurement, Pool
from embviz.timing.runs import Run

SAME = ("hostname", "worker", "cpu", "gpus", "torch")  # facts of one machine


def by_machine(runs: Sequence[Run]) -> list[Run]:
    """One run for each machine: its runs are processes of it, in the order of their dates.

    Machines are the same if host name, Dask worker, processor, GPU and PyTorch are. The environment
    and the end are those of the latest run.
    """
    return [_together(sorted(group, key=lambda run: run.date)) for group in _groups(runs)]


def _groups(runs: Sequence[Run]) -> list[list[Run]]:
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(str([run.environment.get(key) for key in SAME]), []).append(run)
    return list(groups.values())


def _together(runs: Sequence[Run]) -> Run:
    if len(runs) == 1:
        return runs[0]
    pool, before = Pool(), 0
    measured = {one.case for run in runs for one in run.results if isinstance(one, Measurement)}
    for run in runs:
        processes = {0}
        for one in run.results:
            if isinstance(one, Measurement):
                processes |= one.processes
                blocks = {(before + p, n): times for (p, n), times in one.blocks.items()}
                pool.add(replace(one, blocks=blocks))
            elif one.case not in measured:
                pool.add(one)
        before += 1 + max(processes)
    return replace(runs[-1], results=tuple(pool.results))
