import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from embviz.core import bounds
from embviz.core.refused import Refused
from embviz.timing.case import ROUNDS
from embviz.timing.cluster import Cluster, ClusterError, take_lines
from embviz.timing.run import RunFile, read_run
from embviz.timing.sweep import Sweep
from tests.timing.conftest import Lines, finished, points, rounds, until, workers
from tests.timing.dask_processes import Processes

dask = pytest.importorskip("dask.config")
Client = pytest.importorskip("distributed").Client
FEW = points(16, 64)
WHOLE = len(FEW) * ROUNDS * 2
HANGING = {"hangs_with": "matmul"}
BOTH = ["one", "two"]


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and the fake machines `one` and `two`."""
    made = Processes(tmp_path_factory.mktemp("cluster"))
    for name in BOTH:
        made.worker(name)
    yield made
    made.close()


@pytest.fixture(scope="module")
def connected(processes: Processes) -> Iterator[Cluster]:
    """The cluster, once both machines are there."""
    made = Cluster(processes.address)
    until(lambda: names(made) == BOTH)
    yield made
    made.close()


@pytest.fixture
def cluster(connected: Cluster, processes: Processes) -> Cluster:
    """The cluster, whose machines do nothing strange."""
    for name in BOTH:
        processes.plan(name)
    return connected


def names(cluster: Cluster) -> list[str]:
    """The machines that are there."""
    try:
        return cluster.machines()
    except ClusterError:
        return []


def test_a_named_machine(cluster: Cluster) -> None:
    """It gives the whole run, with its name; what is not there is refused."""
    lines = Lines()
    sweep = finished(cluster.start(FEW, lines.append, 2, machine="two"))
    assert (sweep.state, sweep.reason, sweep.rounds) == ("done", "", (2 * ROUNDS,) * 2)
    assert (lines[0]["worker"], lines[-1]["type"]) == ("two", "end")
    assert all(rounds(lines, case, one) == [*range(ROUNDS)] for case in FEW for one in (0, 1))
    with pytest.raises(ClusterError, match="one, two"):
        cluster.start(FEW, machine="three")
    many = [replace(case, threads=1024) for case in FEW]
    sweep = finished(cluster.start(many, machine="one"))
    assert (sweep.state, "at most" in sweep.reason, sweep.run.failures) == ("failed", True, {})


def test_any_machine(cluster: Cluster, processes: Processes) -> None:
    """Sweeps for any machine use all of them, one at a time on each, and all end."""
    for name in BOTH:
        processes.plan(name, round_s=0.05)
    kept = [Lines() for _ in range(4)]
    sweeps = [cluster.start(FEW, lines.append) for lines in kept]
    assert {len(finished(sweep).run.times) for sweep in sweeps} == {WHOLE}
    assert {lines[0]["worker"] for lines in kept} == {*BOTH}


def test_stop(cluster: Cluster, processes: Processes, tmp_path: Path) -> None:
    """Stop ends a call that hangs, with its process, and a sweep that waits; the rest is kept."""
    processes.plan("one", **HANGING)
    file = RunFile(tmp_path / "r.jsonl")
    sweep = cluster.start(FEW, file.append, machine="one")
    until(lambda: len(sweep.run.times))
    waiting = cluster.start(FEW, machine="one")
    (child,) = workers(processes.running["one"].pid)
    processes.fakes["one"].plan()  # of the next one; this one hangs on
    began = time.monotonic()
    for one in (waiting, sweep):
        one.stop()
        assert (finished(one).state, one.reason) == ("stopped", "")
    assert time.monotonic() - began < 2
    until(lambda: not child.is_running())
    read = read_run(file.path.read_bytes(), "r")
    assert (len(read.times), (read.end or {})["status"]) == (2, "stopped")
    assert finished(cluster.start(FEW, machine="one")).state == "done"


def test_a_killed_dask_worker(cluster: Cluster, processes: Processes) -> None:
    """A Dask worker that dies is one sentence, what arrived is kept, and the other's run whole."""
    for name in BOTH:
        processes.plan(name, round_s=0.2)
    lines, other = Lines(), cluster.start(FEW, machine="one")
    until(lambda: other.state == "running")
    lost = cluster.start(FEW, lines.append)
    until(lambda: lost.rounds[0] > 3)
    processes.end("two")
    assert (finished(lost).state, other.active) == ("failed", True)
    assert lines[-1]["reason"] == lost.reason == "the Dask worker of machine two has ended."
    assert len(lost.run.times) >= 4 * 8
    assert len(finished(other).run.times) == WHOLE
    asked = len(processes.fakes["one"].asked)
    processes.worker("two")
    until(lambda: names(cluster) == BOTH)
    processes.plan("two")
    assert finished(cluster.start(FEW, machine="two")).state == "done"
    assert len(processes.fakes["one"].asked) == asked, "the lost sweep began again"


def test_lost_lines_are_fetched(cluster: Cluster, processes: Processes) -> None:
    """A run whose messages were lost on the way is whole, and in order."""
    (lossy := processes.folder / "one" / "lossy").touch()
    sweep = finished(cluster.start(FEW, machine="one"))
    lossy.unlink()
    assert (sweep.state, len(sweep.run.times)) == ("done", WHOLE)
    assert list(sweep.run.times["round"].unique()) == [*range(ROUNDS)]


@pytest.mark.parametrize(("there", "here"), [("1", "600"), ("600", "1")])
def test_the_time_limit(
    cluster: Cluster,
    processes: Processes,
    monkeypatch: pytest.MonkeyPatch,
    there: str,
    here: str,
) -> None:
    """A machine stops after the seconds that it allows itself, or after this server's if fewer."""
    variable = bounds.SWEEP_S.variable
    processes.plan("one", round_s=0.3)

    def allow(seconds: str) -> None:
        os.environ[variable] = seconds

    with Client(processes.address, set_as_default=False) as client:
        client.run(allow, there)
    monkeypatch.setenv(variable, here)
    sweep = finished(cluster.start(FEW, machine="one"))
    assert (sweep.state, f"1 s here ({variable})" in sweep.reason) == ("stopped", True)
    assert 1 < sweep.rounds[0] < 6


def test_a_real_machine(cluster: Cluster, processes: Processes) -> None:
    """A real machine measures; its Dask process imports no PyTorch, its worker knows no nanny."""
    processes.worker("real", fake=False, nanny=True)
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
        until(lambda: names(cluster) == BOTH)


@pytest.mark.parametrize("there", [["one"], BOTH])
def test_a_scheduler_that_ends(tmp_path: Path, there: list[str]) -> None:
    """What measures ends with it, alone or in the same moment; no worker, no scheduler: refused."""
    made = Processes(tmp_path)
    cluster, all_end = Cluster(made.address), there == BOTH
    try:
        made.worker("bare", resources="other=1")
        with Client(made.address, set_as_default=False) as client:
            client.wait_for_workers(1)
        with pytest.raises(ClusterError, match=r"resource embviz.*dask worker tcp.*--host 127"):
            cluster.start(FEW)
        for name in there:
            made.worker(name, nanny=name == "two")
            made.plan(name, **HANGING)
        until(lambda: names(cluster) == there)
        sweeps = [cluster.start(FEW, machine=name) for name in there]
        until(lambda: all(len(sweep.run.times) for sweep in sweeps))
        children = [one for name in there for one in workers(made.running[name].pid)]
        assert len(children) == len(there)
        began = time.monotonic()
        made.end("scheduler", *(there if all_end else []), number=signal.SIGTERM)
        assert time.monotonic() - began < 10
        assert {finished(sweep).state for sweep in sweeps} == {"failed"}
        until(lambda: not any(one.is_running() for one in children))
        with pytest.raises(ClusterError, match=f"{made.address}.*dask scheduler"):
            cluster.machines()
    finally:
        cluster.close()
        made.close()


def message(number: int, line: Any, attempt: str = "a") -> dict[str, Any]:
    """What a machine sends."""
    return {"attempt": attempt, "number": number, "line": json.dumps(line)}


ENVIRONMENT = {"type": "environment", "worker": "ada"}
TIMES = {"type": "times", "case": asdict(FEW[0]), "process": 0, "again": False, "seconds": [1.0]}
END = {"type": "end", "status": "stopped", "wall_s": 1.0, "reason": "the limit"}


def test_lines_of_one_attempt_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that come late, twice or as the result are kept once; strangers learn no names."""
    for hosted, name in (("0", "ada"), ("1", "")):
        monkeypatch.setenv("EMBVIZ_HOSTED", hosted)
        lines = [ENVIRONMENT, *({**TIMES, "round": n} for n in range(3)), END]
        sent = [message(n, line) for n, line in enumerate(lines)]
        sweep = Sweep(FEW, (kept := Lines()).append)
        late = [*sent[1::-1], sent[3], sent[3], *sent]
        assert take_lines(sweep, late) == ("stopped", "the limit")
        assert (sweep.state, sweep.rounds) == ("running", (2, ROUNDS))
        assert [line["type"] for line in kept] == ["environment", *["times"] * 3]
        assert (rounds(kept, FEW[0]), kept[0]["worker"]) == ([0, 1, 2], name)
        assert take_lines(Sweep(FEW), sent[:2]) == ("stopped", "")


@pytest.mark.parametrize(("line", "attempt"), [(END, "b"), ({"type": "x"}, "a"), ([], "a")])
def test_a_second_attempt_and_strange_lines_end_the_run(line: Any, attempt: str) -> None:
    """Lines of a second attempt and of no known kind are refused; what came before is kept."""
    sweep = Sweep(FEW)
    with pytest.raises(Refused):
        take_lines(sweep, [message(0, ENVIRONMENT), message(1, line, attempt)])
    assert sweep.run.environment
    assert sweep.run.end is None


@pytest.mark.parametrize("address", ["tcp://10.0.0.7:8786", "ucx://127.0.0.1:1", "tcp://127.0.0.1"])
def test_far_addresses_are_refused(address: str) -> None:
    """Plain TCP is for this machine alone; what is no address is refused."""
    with pytest.raises(ClusterError, match=address):
        Cluster(address)
    for good in ("tcp://[::1]:8786", "localhost:8786", "tls://10.0.0.7:8786"):
        assert Cluster(good).address.endswith(good)
    assert Cluster("tcp://10.0.0.7:8786", insecure=True).address == "tcp://10.0.0.7:8786"


def test_a_silent_server_and_no_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    """What accepts the connection and says nothing is refused in time, as is a missing Dask."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        with pytest.raises(ClusterError, match="cannot be used"):
            Cluster(f"tcp://127.0.0.1:{server.getsockname()[1]}").start(FEW)
        assert time.monotonic() - began < 20
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="pip install distributed=="):
        Cluster("tcp://127.0.0.1:8786")


def test_tls(tmp_path: Path) -> None:
    """A cluster over TLS, by Dask's own configuration; without certificates it is refused."""
    pem = tmp_path / "both.pem"
    new = "req -x509 -newkey rsa:2048 -nodes -subj /CN=us -days 1 -keyout both.pem -out cert.pem"
    subprocess.run(["openssl", *new.split()], check=True, capture_output=True, cwd=tmp_path)
    pem.write_text(pem.read_text() + (tmp_path / "cert.pem").read_text())
    ends = ("ca-file", "client.cert", "scheduler.cert", "worker.cert")
    given = {f"distributed.comm.tls.{one}": str(pem) for one in ends}
    made = Processes(tmp_path, given)
    try:
        made.worker("one")
        with dask.set(given):
            cluster = Cluster(made.address)
            until(lambda: names(cluster) == ["one"])
            cluster.close()
        with pytest.raises(ClusterError, match=f"the scheduler at {made.address}"):
            Cluster(made.address).machines()
    finally:
        made.close()
