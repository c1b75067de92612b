"""A cluster of Dask processes: machines that measure, stop, are lost, or say strange things."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from embviz.text.refused import Refused
from embviz.timing.measure import cluster as cluster_module
from embviz.timing.measure.cluster import Cluster, ClusterError, take_lines
from embviz.timing.measure.run import RunFile, read_run
from embviz.timing.measure.sweep import Sweep
from embviz.timing.measure.timed import ROUNDS
from tests.timing.conftest import Lines, finished, points, rounds, until, workers
from tests.timing.measure.dask_processes import Processes

pytest.importorskip("distributed")
dask = pytest.importorskip("dask.config")
Patch = pytest.MonkeyPatch
FEW = points(16, 64)
WHOLE = len(FEW) * ROUNDS * 2
HANGING = {"hangs_with": "matmul"}
BOTH = ["one", "two"]


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler, the fake machines `one` and `two`, and one that does not offer to measure."""
    made = Processes(tmp_path_factory.mktemp("cluster"))
    made.worker("bare", resources="other=1")
    for name in BOTH:
        made.worker(name)
    yield made
    made.close()


@pytest.fixture
def cluster(processes: Processes) -> Iterator[Cluster]:
    """The cluster, whose machines do nothing strange."""
    made = Cluster(processes.address)
    until(lambda: names(made) == BOTH)
    for name in BOTH:
        processes.plan(name)
    yield made
    made.close()


def names(cluster: Cluster) -> list[str]:
    """The machines that are there."""
    try:
        return cluster.machines()
    except ClusterError:
        return []


def test_a_named_machine(cluster: Cluster, processes: Processes) -> None:
    """It gives the whole run, also where messages are lost; what cannot measure is refused."""
    (lossy := processes.folder / "two" / "lossy").touch()
    lines = Lines()
    sweep = finished(cluster.start(FEW, lines.append, 2, machine="two"))
    lossy.unlink()
    assert (sweep.state, sweep.reason) == ("done", "")
    assert sweep.rounds == (2 * ROUNDS, 2 * ROUNDS)
    assert (lines[0]["worker"], lines[-1]["type"]) == ("two", "end")
    assert all(rounds(lines, case, one) == [*range(ROUNDS)] for case in FEW for one in (0, 1))
    assert cluster.machines("two") == ["two"]
    with pytest.raises(ClusterError, match="one, two"):
        cluster.machines("one", "three")
    sweep = finished(cluster.start([replace(FEW[0], threads=1024)], machine="one"))
    assert sweep.state == "failed"
    assert sweep.reason.startswith("machine one: at most ")


def test_stop(cluster: Cluster, processes: Processes, tmp_path: Path) -> None:
    """Stop ends a call that hangs, with its process, and a sweep that waits; the rest is kept."""
    processes.plan("one", **HANGING)
    file = RunFile(tmp_path / "r.jsonl")
    sweep = cluster.start(FEW, file.append, machine="one")
    until(lambda: len(sweep.run.times))
    waiting = cluster.start(FEW, machine="one")
    (child,) = workers(processes.running["one"].pid)
    processes.fakes["one"].plan()  # of the next one; this one hangs on
    for one in (waiting, sweep):
        one.stop()
        assert one.finished.wait(2)
        assert (one.state, one.reason) == ("stopped", "")
    until(lambda: not child.is_running())
    read = read_run(file.path.read_bytes(), "r")
    assert (len(read.times), (read.end or {})["status"]) == (2, "stopped")
    assert finished(cluster.start(FEW, machine="one")).state == "done"


def test_a_killed_dask_worker(cluster: Cluster, processes: Processes) -> None:
    """A Dask worker that dies is one sentence, what arrived is kept, and the other's run whole."""
    for name in BOTH:
        processes.plan(name, round_s=0.2)
    other = cluster.start(FEW, machine="one")
    until(lambda: other.state == "running")
    lost = cluster.start(FEW, machine="two")
    until(lambda: lost.rounds[0] > 3)
    processes.end("two")
    assert (finished(lost).state, other.active) == ("failed", True)
    assert lost.reason == "the Dask worker of machine two has ended."
    assert len(lost.run.times) >= 4 * 8
    assert len(finished(other).run.times) == WHOLE
    asked = len(processes.fakes["one"].asked)
    processes.worker("two")
    until(lambda: names(cluster) == BOTH)
    processes.plan("two")
    assert finished(cluster.start(FEW, machine="two")).state == "done"
    assert len(processes.fakes["one"].asked) == asked, "the lost sweep began again"


def test_a_real_machine(cluster: Cluster, processes: Processes) -> None:
    """A real machine measures; its Dask process imports no PyTorch, its worker knows no nanny."""
    processes.worker("real", fake=False, nanny=True)
    try:
        until(lambda: "real" in names(cluster))
        sweep = cluster.start(FEW, machine="real")
        until(lambda: len(sweep.run.times))
        (child,) = workers(processes.running["real"].pid)
        both = [child, *child.parents()[:1]]
        assert ["libtorch" in str(one.memory_maps()) for one in both] == [True, False]
        assert ["MALLOC_TRIM_THRESHOLD_" in one.environ() for one in both] == [False, True]
        assert finished(sweep).state == "done"
    finally:
        processes.end("real")
        until(lambda: names(cluster) == BOTH)


def test_a_scheduler_that_ends(tmp_path: Path) -> None:
    """What measures ends with it, also where its own worker is told to end in the same moment.

    Without a worker, and without a scheduler, a sweep is refused.
    """
    there = ["alone", "told"]
    made = Processes(tmp_path)
    cluster = Cluster(made.address)
    try:
        with pytest.raises(ClusterError, match=r"resource embviz.*dask worker tcp.*--host 127"):
            cluster.start(FEW)
        for name in there:
            made.worker(name)
            made.plan(name, **HANGING)
        until(lambda: names(cluster) == there)
        sweeps = [cluster.start(FEW, machine=name) for name in there]
        until(lambda: all(len(sweep.run.times) for sweep in sweeps))
        children = [one for name in there for one in workers(made.running[name].pid)]
        assert len(children) == len(there)
        made.end("scheduler", "told", number=signal.SIGTERM)
        assert {finished(sweep).state for sweep in sweeps} == {"failed"}
        until(lambda: not any(one.is_running() for one in children))
        with pytest.raises(ClusterError, match=f"{made.address}.*no longer"):
            cluster.machines()
    finally:
        cluster.close()
        made.close()


def message(number: int, line: Any, attempt: str = "a") -> dict[str, Any]:
    """What a machine sends."""
    return {"attempt": attempt, "number": number, "line": json.dumps(line)}


ENVIRONMENT = {"type": "environment", "worker": "ada", "cases": [asdict(FEW[0])]}
TIMES = {"type": "times", "case": 0, "process": 0, "placement": 0, "again": False, "wait": [1.0]}
END = {"type": "end", "status": "stopped", "wall_s": 1.0, "reason": "the limit"}


def test_lines_of_one_attempt_in_order() -> None:
    """Lines that come twice, after a lost one or as the result are kept once.

    Those of a second attempt, of no known kind and of no known case are refused; what came before
    is kept. The cases are those that were asked for, whatever the machine says.
    """
    lines = [ENVIRONMENT, *({**TIMES, "round": n} for n in range(3)), END]
    sent = [message(n, line) for n, line in enumerate(lines)]
    sweep = Sweep(FEW, (kept := Lines()).append)
    assert take_lines(sweep, [*sent[:2], sent[1], sent[3], *sent]) == ("stopped", "the limit")
    assert (sweep.state, sweep.rounds) == ("running", (2, ROUNDS))
    assert [line["type"] for line in kept] == ["environment", *["times"] * 3]
    assert rounds(kept, FEW[0]) == [0, 1, 2]
    assert take_lines(Sweep(FEW), sent[:2]) == ("stopped", "")
    other = {"type": "failure", "case": len(FEW), "reason": "?"}
    for strange in (END, "b"), ({"type": "x"}, "a"), ([], "a"), (other, "a"):
        sweep = Sweep(FEW)
        with pytest.raises(Refused):
            take_lines(sweep, [sent[0], message(1, *strange)])
        assert (sweep.run.environment["worker"], sweep.run.end) == ("ada", None)
        assert sweep.run.cases == FEW


def test_a_silent_server_and_no_dask(monkeypatch: Patch) -> None:
    """What accepts the connection and says nothing is refused in time, as is a missing Dask."""
    monkeypatch.setattr(cluster_module, "ANSWER_S", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(ClusterError, match="cannot be used"),
    ):
        Cluster(f"127.0.0.1:{server.getsockname()[1]}")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="pip install distributed=="):
        Cluster("tcp://127.0.0.1:8786")


def test_tls(tmp_path: Path, monkeypatch: Patch) -> None:
    """A cluster over TLS, by Dask's own configuration; without certificates it is refused."""
    new = "req -x509 -newkey rsa:2048 -nodes -subj /CN=us -days 1 -keyout pem -out cert"
    subprocess.run(["openssl", *new.split()], check=True, capture_output=True, cwd=tmp_path)
    with (pem := tmp_path / "pem").open("a") as file:
        file.write((tmp_path / "cert").read_text())
    given = dict.fromkeys(["ca_file", "client__cert", "scheduler__cert", "worker__cert"], str(pem))
    for name, path in given.items():
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name.upper()}", path)
    made = Processes(tmp_path, "tls")
    try:
        made.worker("one")
        ours = {f"distributed__comm__tls__{name}": path for name, path in given.items()}
        with dask.set(**ours):
            cluster = Cluster(made.address)
            until(lambda: names(cluster) == ["one"])
            cluster.close()
        with pytest.raises(ClusterError, match=f"the scheduler at {made.address}"):
            Cluster(made.address)
    finally:
        made.close()
