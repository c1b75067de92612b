import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from embviz.timing.cluster import Cluster, ClusterError
from embviz.timing.run import RunFile, read_run
from tests.timing.conftest import Lines, finished, points, rounds, until, workers
from tests.timing.dask_processes import Processes

pytest.importorskip("distributed")
FEW = points(16, 64)
HANGING = {"hangs_with": "matmul"}


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and the fake machines `one` and `two`."""
    made = Processes(tmp_path_factory.mktemp("cluster"))
    for name in ("one", "two"):
        made.worker(name)
    yield made
    made.close()


@pytest.fixture(scope="module")
def cluster(processes: Processes) -> Iterator[Cluster]:
    """The cluster, once both machines are there."""
    made = Cluster(processes.address)
    until(lambda: names(made) == ["one", "two"])
    yield made
    made.close()


def names(cluster: Cluster) -> list[str]:
    """The machines that are there."""
    try:
        return [one.name for one in cluster.machines()]
    except ClusterError:
        return []


def refusal(cluster: Cluster) -> str:
    """The sentence of `machines`."""
    try:
        cluster.machines()
    except ClusterError as error:
        return str(error)
    return ""


def test_machines(cluster: Cluster, processes: Processes) -> None:
    """A machine says what it is, whether it is busy, and gives the run of a named machine."""
    one, two = cluster.machines()
    assert (one.trouble, one.busy, one.torch[:2], bool(one.cpu)) == ("", False, "2.", True)
    processes.plan("two", round_s=0.1)
    states, lines = list[str](), Lines()
    sweep = cluster.start(
        FEW, lines.append, 2, lambda one: states.append(one.state), machine="two"
    )
    until(lambda: sweep.rounds[0] > 2)
    assert [one.busy for one in cluster.machines()] == [False, True]
    finished(sweep)
    until(lambda: states[-1] == "done")
    assert states == ["queued", "running", "done"]
    assert (sweep.error, sweep.rounds) == ("", (24, 24))
    assert lines[0]["worker"] == "two"
    own = [replace(case, threads=two.threads) for case in FEW]
    assert all(rounds(lines, case, process) == [*range(12)] for case in own for process in (0, 1))
    assert [line["type"] for line in lines].count("end") == 1
    processes.plan("two")
    with pytest.raises(ClusterError, match="one, two"):
        cluster.start(FEW, machine="three")


def test_any_machine(cluster: Cluster, processes: Processes) -> None:
    """Sweeps for any machine use all of them, one at a time on each, and all end."""
    for name in ("one", "two"):
        processes.plan(name, round_s=0.05)
    kept = [Lines() for _ in range(5)]
    sweeps = [cluster.start(FEW, lines.append) for lines in kept]
    assert [finished(sweep).error for sweep in sweeps] == [""] * 5
    assert {lines[0]["worker"] for lines in kept} == {"one", "two"}
    assert {len(sweep.run.times) for sweep in sweeps} == {len(FEW) * 24}
    for name in ("one", "two"):
        processes.plan(name)


def test_stop(cluster: Cluster, processes: Processes, tmp_path: Path) -> None:
    """Stop ends a call that hangs, with its process, and a sweep that waits; the rest is kept."""
    processes.plan("one", **HANGING)
    file = RunFile(tmp_path / "r.jsonl")
    sweep = cluster.start(FEW, file.append, machine="one")
    until(lambda: len(sweep.run.times))
    waiting = cluster.start(FEW, machine="one")
    (child,) = workers(processes.running["one"].pid)
    processes.plan("one")
    began = time.monotonic()
    for one in (waiting, sweep):
        one.stop()
        finished(one)
    assert time.monotonic() - began < 2
    assert (sweep.state, waiting.state, sweep.error) == ("stopped", "stopped", "")
    until(lambda: not child.is_running())
    read = read_run(file.path.read_bytes(), "r")
    assert read.end
    assert (len(read.times), read.end["status"]) == (2, "stopped")
    assert finished(cluster.start(FEW, machine="one")).state == "done"


def test_a_killed_dask_worker(cluster: Cluster, processes: Processes) -> None:
    """A Dask worker that dies is one sentence, what arrived is kept, and the other's run whole."""
    for name in ("one", "two"):
        processes.plan(name, round_s=0.2)
    lines = Lines()
    lost, other = cluster.start(FEW, lines.append, machine="two"), cluster.start(FEW, machine="one")
    until(lambda: lost.rounds[0] > 3)
    processes.end("two")
    finished(lost)
    assert (lost.state, "machine two has ended" in lost.error) == ("failed", True)
    assert lines[-1]["reason"] == lost.error
    assert len(lost.run.times) >= 4 * 8
    finished(other)
    assert (other.state, len(other.run.times)) == ("done", len(FEW) * 24)
    processes.worker("two")
    until(lambda: names(cluster) == ["one", "two"])
    for name in ("one", "two"):
        processes.plan(name)
    assert finished(cluster.start(FEW, machine="two")).state == "done"


def test_a_machine_refuses_too_many_threads(cluster: Cluster) -> None:
    """Threads that a machine does not have are a sentence."""
    cases = [replace(case, threads=1024) for case in FEW]
    sweep = finished(cluster.start(cases, machine="one", own_threads=False))
    assert (sweep.state, "at most" in sweep.error, sweep.run.failures) == ("failed", True, {})


def test_a_real_machine(cluster: Cluster, processes: Processes) -> None:
    """A real machine measures; its Dask process imports no PyTorch, its worker knows no nanny."""
    processes.worker("real", fake=False)
    try:
        until(lambda: "real" in names(cluster))
        sweep = cluster.start(FEW, machine="real")
        until(lambda: len(sweep.run.times))
        (child,) = workers(processes.running["real"].pid)
        parent = child.parent()
        assert parent
        maps = [" ".join(one.path for one in who.memory_maps()) for who in (child, parent)]
        assert ["libtorch" in one for one in maps] == [True, False]
        variables = [who.environ().get("MALLOC_TRIM_THRESHOLD_") for who in (child, parent)]
        assert (variables[0], bool(variables[1])) == (None, True)
        assert finished(sweep).state == "done"
    finally:
        processes.end("real")
        until(lambda: names(cluster) == ["one", "two"])


def test_nobody_there(tmp_path: Path) -> None:
    """No worker, no resource, and a scheduler that dies: one sentence each, nothing is lost."""
    made = Processes(tmp_path)
    cluster = Cluster(made.address)
    try:
        for resources in ("", "other=1"):
            if resources:
                made.worker("bare", resources=resources)
                until(lambda: "bare" in str(cluster.workers()))
            with pytest.raises(ClusterError, match=r"resource embviz.*dask worker tcp"):
                cluster.start(FEW)
        made.worker("one")
        made.plan("one", **HANGING)
        until(lambda: names(cluster) == ["one"])
        sweep = cluster.start(FEW)
        until(lambda: len(sweep.run.times))
        (child,) = workers(made.running["one"].pid)
        made.end("scheduler")
        finished(sweep)
        assert (sweep.state, "no longer answers" in sweep.error) == ("failed", True)
        assert len(sweep.run.times)
        until(lambda: not child.is_running())
        with pytest.raises(ClusterError, match=f"{made.address}.*dask scheduler"):
            cluster.machines()
    finally:
        cluster.close()
        made.close()


@pytest.mark.parametrize("fake", [True, False])
def test_all_end_after_one_signal(tmp_path: Path, fake: bool) -> None:
    """Scheduler and workers that get SIGTERM in the same moment end within 10 s, measuring too."""
    made = Processes(tmp_path)
    cluster = Cluster(made.address)
    try:
        for name in ("one", "two"):
            made.worker(name)
            made.plan(name, **HANGING)
        until(lambda: names(cluster) == ["one", "two"])
        sweeps = [cluster.start(FEW, machine=name) for name in ("one", "two")]
        until(lambda: all(len(sweep.run.times) for sweep in sweeps))
        children = [one for name in ("one", "two") for one in workers(made.running[name].pid)]
        began = time.monotonic()
        made.end("scheduler", "one", "two", number=signal.SIGTERM)
        assert time.monotonic() - began < 10
        until(lambda: not any(one.is_running() for one in children))
        assert len(children) == 2
        assert [finished(sweep).state for sweep in sweeps] == ["failed"] * 2
    finally:
        cluster.close()
        made.close()
