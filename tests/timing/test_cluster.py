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


def test_machines(cluster: Cluster, processes: Processes) -> None:
    """A machine says what it is, whether it is busy, and gives the run of a named machine."""
    one, two = cluster.machines()
    assert (one.trouble, one.busy, bool(one.cpu), one.cores > 0) == ("", False, True, True)
    processes.plan("two", round_s=0.1)
    states, lines = list[str](), Lines()
    cases = [replace(case, threads=two.threads + 1) for case in FEW]
    sweep = cluster.start(
        cases, lines.append, 2, lambda one: states.append(one.state), machine="two"
    )
    until(lambda: sweep.rounds[0] > 2)
    assert [one.busy for one in cluster.machines()] == [False, True]
    finished(sweep)
    until(lambda: states[-1] == "done")
    assert states == ["queued", "running", "done"]
    assert (sweep.error, sweep.rounds) == ("", (2 * ROUNDS,) * 2)
    assert lines[0]["worker"] == "two"
    own = [replace(case, threads=two.threads) for case in FEW]
    assert all(
        rounds(lines, case, process) == [*range(ROUNDS)] for case in own for process in (0, 1)
    )
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
    assert {len(sweep.run.times) for sweep in sweeps} == {len(FEW) * ROUNDS * 2}
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
    processes.fakes["one"].plan()  # of the next one; this one hangs on
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
    lines, other = Lines(), cluster.start(FEW, machine="one")
    until(lambda: other.state == "running")
    lost = cluster.start(FEW, lines.append)
    until(lambda: lost.rounds[0] > 3)
    processes.end("two")
    finished(lost)
    assert other.active
    assert (lost.state, "machine two has ended" in lost.error) == ("failed", True)
    assert lines[-1]["reason"] == lost.error
    assert [line["worker"] for line in lines if line["type"] == "environment"] == ["two"]
    assert len(lost.run.times) >= 4 * 8
    finished(other)
    assert (other.state, len(other.run.times)) == ("done", len(FEW) * ROUNDS * 2)
    asked = len(processes.fakes["one"].asked)
    processes.worker("two")
    until(lambda: names(cluster) == ["one", "two"])
    for name in ("one", "two"):
        processes.plan(name)
    assert finished(cluster.start(FEW, machine="two")).state == "done"
    assert len(processes.fakes["one"].asked) == asked, "the lost sweep began again"


def test_lost_lines_are_fetched(cluster: Cluster, processes: Processes, tmp_path: Path) -> None:
    """A run whose messages were lost on the way is whole, and in order."""
    processes.plan("one")
    (lossy := processes.folder / "one" / "lossy").touch()
    file = RunFile(tmp_path / "r.jsonl")
    sweep = finished(cluster.start(FEW, file.append, machine="one"))
    lossy.unlink()
    assert (sweep.state, sweep.error) == ("done", "")
    assert len(read_run(file.path.read_bytes(), "r").times) == len(FEW) * ROUNDS * 2
    assert list(sweep.run.times["round"].unique()) == [*range(ROUNDS)]


def test_the_time_limit(
    cluster: Cluster, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine stops after the seconds that it allows itself, or after this server's if fewer."""
    variable = bounds.SWEEP_S.variable
    here = cluster.machines()[0].address
    processes.plan("one", round_s=0.3)

    def allow(seconds: str) -> None:
        os.environ[variable] = seconds

    with Client(processes.address, set_as_default=False) as client:
        for there, server in (("1", "600"), ("600", "1")):
            client.run(allow, there, workers=[here])
            monkeypatch.setenv(variable, server)
            sweep = finished(cluster.start(FEW, machine="one"))
            assert (sweep.state, f"1 s here ({variable})" in sweep.cut) == ("stopped", True)
            assert 1 < sweep.rounds[0] < 6
    processes.plan("one")


def test_a_machine_refuses_too_many_threads(cluster: Cluster) -> None:
    """Threads that a machine does not have are a sentence."""
    cases = [replace(case, threads=1024) for case in FEW]
    sweep = finished(cluster.start(cases, machine="one", own_threads=False))
    assert (sweep.state, "at most" in sweep.error, sweep.run.failures) == ("failed", True, {})


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
        until(lambda: names(cluster) == ["one", "two"])


@pytest.mark.parametrize("all_end", [False, True])
def test_a_scheduler_that_ends(tmp_path: Path, all_end: bool) -> None:
    """What measures ends with it, alone or in the same moment; no worker, no scheduler: refused."""
    made = Processes(tmp_path)
    cluster, there = Cluster(made.address), ["one", "two"] if all_end else ["one"]
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
        began = time.monotonic()
        made.end("scheduler", *(there if all_end else []), number=signal.SIGTERM)
        assert time.monotonic() - began < 10
        assert [finished(sweep).state for sweep in sweeps] == ["failed"] * len(there)
        assert all(len(sweep.run.times) for sweep in sweeps)
        until(lambda: not any(one.is_running() for one in children))
        assert len(children) == len(there)
        with pytest.raises(ClusterError, match=f"{made.address}.*dask scheduler"):
            cluster.machines()
    finally:
        cluster.close()
        made.close()


def message(number: int, line: dict[str, Any], attempt: str = "a") -> dict[str, Any]:
    """What a machine sends."""
    return {"attempt": attempt, "number": number, "line": json.dumps(line)}


def test_lines_of_one_attempt_in_order() -> None:
    """Lines that come late, twice or as the result are kept once and in order."""
    case = asdict(FEW[0])
    times = [
        {"type": "times", "case": case, "process": 0, "round": n, "again": False, "seconds": [1.0]}
        for n in range(3)
    ]
    end = {"type": "end", "status": "stopped", "wall_s": 1.0, "reason": "the limit"}
    sent = [message(n, line) for n, line in enumerate([{"type": "environment"}, *times, end])]
    sweep, lines = Sweep(FEW, (kept := Lines()).append), [*sent[1::-1], sent[3], sent[3], *sent]
    assert take_lines(sweep, lines) == ("stopped", "the limit")
    assert (sweep.state, sweep.rounds) == ("running", (2, ROUNDS))
    assert [line["type"] for line in kept] == ["environment", *["times"] * 3]
    assert rounds(kept, FEW[0]) == [0, 1, 2]
    failed = [sent[0], message(1, {**end, "status": "failed"})]
    assert take_lines(Sweep(FEW), failed) == ("failed", "the limit")
    assert take_lines(Sweep(FEW), sent[:2]) == ("stopped", "")


@pytest.mark.parametrize(
    ("number", "line", "attempt"),
    [
        (1, {"type": "end", "status": "done", "wall_s": 1.0}, "b"),
        (1, {"type": "x"}, "a"),
        (1, [], "a"),
    ],
)
def test_a_second_attempt_and_strange_lines_end_the_run(
    number: int, line: Any, attempt: str
) -> None:
    """Lines of a second attempt and of no known kind are refused; what came before is kept."""
    sweep = Sweep(FEW)
    with pytest.raises(Refused):
        take_lines(sweep, [message(0, {"type": "environment"}), message(number, line, attempt)])
    assert sweep.run.environment
    assert sweep.run.end is None


def test_a_public_server_hides_host_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host name of a machine is not kept by a public server."""
    for hosted, kept in (("0", "ada"), ("1", None)):
        monkeypatch.setenv("EMBVIZ_HOSTED", hosted)
        take_lines(sweep := Sweep(FEW), [message(0, {"type": "environment", "hostname": "ada"})])
        assert sweep.run.environment["hostname"] == kept


@pytest.mark.parametrize("address", ["tcp://10.0.0.7:8786", "ucx://127.0.0.1:1", "tcp://127.0.0.1"])
def test_far_addresses_are_refused(address: str) -> None:
    """Plain TCP is for this machine alone; what is no address is refused."""
    with pytest.raises(ClusterError, match=address):
        Cluster(address)
    for good in ("tcp://[::1]:8786", "localhost:8786", "tls://10.0.0.7:8786"):
        assert Cluster(good).address.endswith(good)
    assert Cluster("tcp://10.0.0.7:8786", insecure=True).address == "tcp://10.0.0.7:8786"


def test_a_silent_server_is_refused() -> None:
    """What accepts the connection and says nothing is refused in time."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        with pytest.raises(ClusterError, match="cannot be used"):
            Cluster(f"tcp://127.0.0.1:{server.getsockname()[1]}").start(FEW)
        assert time.monotonic() - began < 20


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Dask the sentence has the command that installs it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="pip install distributed=="):
        Cluster("tcp://127.0.0.1:8786")


def test_tls(tmp_path: Path) -> None:
    """A sweep over TLS, by Dask's own configuration; without certificates it is refused."""
    pem = tmp_path / "both.pem"
    new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=us", "-days", "1"]
    files = ["-keyout", str(pem), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(["openssl", *new, *files], check=True, capture_output=True, timeout=60)
    pem.write_text(pem.read_text() + (tmp_path / "cert.pem").read_text())
    given = {f"{one}.cert": str(pem) for one in ("client", "scheduler", "worker")}
    given = {
        f"distributed.comm.tls.{one}": path for one, path in {**given, "ca-file": str(pem)}.items()
    }
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
