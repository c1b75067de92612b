import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from embviz.timing import cluster as cluster_module
from embviz.timing.cluster_address import Certificates, ClusterError, checked
from embviz.timing.cluster_sweep import Machine, RemoteSweep
from embviz.timing.results import Failure
from embviz.timing.runs import read_run, to_line
from tests.commands import call
from tests.timing.dask_processes import Processes
from tests.timing.waiting import Lines, finished, is_gone, measured, points, until

pytest.importorskip("distributed")

from embviz.timing.cluster import Cluster

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
def machines(processes: Processes) -> Iterator[Cluster]:
    """The cluster, once both machines are there."""
    cluster = Cluster(processes.address)
    until(lambda: names(cluster) == ["one", "two"])
    yield cluster
    cluster.close()


def names(cluster: Cluster) -> list[str]:
    """The machines that are there."""
    try:
        return [one.name for one in cluster.machines()]
    except ClusterError:
        return []


def free(cluster: Cluster) -> bool:
    """Whether all machines can begin."""
    return all(one.free for one in cluster.machines())


def test_a_real_sweep_comes_line_by_line(processes: Processes, machines: Cluster) -> None:
    """A real machine gives a whole run live, and its Dask process does not import PyTorch."""
    processes.worker("real", fake=False)
    try:
        until(lambda: "real" in names(machines))
        (facts,) = [one for one in machines.machines() if one.name == "real"]
        assert (facts.trouble, facts.torch[:2], bool(facts.cpu)) == ("", "2.", True)
        lines = Lines()
        sweep = machines.start(points(16), lines, machine="real", hostname=False)
        until(lambda: len(lines) > 2)
        assert sweep.active
        (measuring,) = processes.children("real")
        asking = measuring.parent()
        assert asking is not None
        assert "libtorch" not in mapped(asking)
        assert "libtorch" in mapped(measuring)
        assert "MALLOC_TRIM_THRESHOLD_" in asking.environ()  # Dask's nanny sets it
        assert "MALLOC_TRIM_THRESHOLD_" not in measuring.environ()
        finished(sweep)
        assert (sweep.state, sweep.error) == ("done", "")
        assert measured(sweep) == [replace(one, threads=facts.threads) for one in points(16)]
        environment = sweep.run().environment
        assert (environment["worker"], environment["hostname"]) == ("real", None)
        content = "".join(to_line(line) + "\n" for line in lines).encode()
        run = read_run(content, "real")
        assert run == sweep.run()
        assert (run.end or {})["calibrations"]
    finally:
        processes.kill("real")
        until(lambda: names(machines) == ["one", "two"])


def mapped(process: psutil.Process) -> str:
    """The files that a process has in memory."""
    return " ".join(one.path for one in process.memory_maps())


def test_many_sweeps_on_two_machines(machines: Cluster) -> None:
    """Each machine measures one at a time, those that wait know their place, and all end."""
    sweeps = [machines.start(points(16 + n)) for n in range(6)]
    assert max(sweep.place[0] for sweep in sweeps) > 1
    seen = 0
    while any(sweep.active for sweep in sweeps):
        seen = max(seen, len(machines._running))
        sweeps[-1].finished.wait(0.01)
    assert [finished(sweep).error for sweep in sweeps] == [""] * 6
    assert {sweep.state for sweep in sweeps} == {"done"}
    used = [sweep.machine.name for sweep in sweeps if sweep.machine]
    assert (seen, set(used)) == (2, {"one", "two"})


def test_stop(processes: Processes, machines: Cluster) -> None:
    """Stop ends a call that hangs, with its process, and a sweep that waits; the rest is kept."""
    processes.plan("one", **HANGING)
    sweep = machines.start(points(16), machine="one")
    until(lambda: sweep.results)
    waiting = machines.start(points(16), machine="one")
    (child,) = processes.children("one")
    for one in (waiting, sweep):
        one.stop()
        finished(one)
    assert (sweep.state, waiting.state) == ("stopped", "stopped")
    assert sweep.results
    until(lambda: is_gone(child.pid) and free(machines))
    processes.plan("one")
    assert finished(machines.start(points(16), machine="one")).state == "done"


def test_a_killed_dask_worker(processes: Processes, machines: Cluster) -> None:
    """A Dask worker that dies is named; what arrived is kept."""
    processes.plan("two", **HANGING)
    lines = Lines()
    sweep = machines.start(points(16), lines, machine="two")
    until(lambda: sweep.results)
    processes.kill("two")
    finished(sweep)
    processes.fakes["two"].plan()
    assert (sweep.state, sweep.error) == ("failed", "the Dask worker of machine two has ended.")
    assert sweep.results
    assert lines[-1]["reason"] == sweep.error
    processes.worker("two")
    until(lambda: names(machines) == ["one", "two"])
    assert finished(machines.start(points(16), machine="two")).state == "done"


def test_the_command(machines: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command measures on both machines: a table, a list of runs, and one file a machine."""
    given = ["time", "--cluster", machines.address, "--values", 16, 64, "--methods"]
    given += ["lookup", "matmul", "--dim", 4, "--tokens", 4, "--out", tmp_path / "r.jsonl"]
    code, out, err = call(capsys, *given)
    assert (code, err) == (0, "")
    head, *rows = out.split("\n\n")[0].splitlines()
    assert head.split()[:3] == ["machine", "lookup", "matmul"]
    assert "\nTimes at 64 rows; " in out
    assert max(map(len, [head, *rows])) <= 80
    assert [row.split()[0] for row in rows] == ["one", "two"]
    files = sorted(path.name for path in tmp_path.glob("*"))
    assert files == ["r-one.jsonl", "r-two.jsonl"]
    code, out, err = call(capsys, *given[:-2], "--json", "--machines", "two")
    (run,) = json.loads(out)
    assert (code, err, run["environment"]["worker"]) == (0, "", "two")
    code, out, err = call(capsys, *given, "--machines", "three")
    assert (code, out) == (2, "")
    assert err.endswith("--machines 'three' is not all, any or one of these machines: one, two.\n")


def test_no_machine_and_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker, no resource, and a scheduler that dies: one sentence each, and nothing is lost."""
    monkeypatch.setattr(cluster_module, "CONNECT_S", 1)
    made = Processes(tmp_path)
    cluster = Cluster(made.address)
    try:
        with pytest.raises(
            ClusterError, match=r"has no worker. Start one on each.*dask worker tcp"
        ):
            cluster.machines()
        made.worker("bare", resources="")
        sentence = until(lambda: "offers" in (why := refusal(cluster)) and why)
        assert "offers the resource embviz (there: 1)" in sentence
        made.worker("one")
        made.plan("one", **HANGING)
        until(lambda: names(cluster) == ["one"])
        sweep = cluster.start(points(16))
        until(lambda: sweep.results)
        (child,) = made.children("one")
        made.kill("scheduler")
        finished(sweep)
        assert sweep.state == "failed"
        assert sweep.error == f"the scheduler at {made.address} no longer answers."
        assert sweep.results
        until(lambda: is_gone(child.pid))
        with pytest.raises(ClusterError, match="no scheduler answers at"):
            cluster.machines()
    finally:
        cluster.close()
        made.close()


def refusal(cluster: Cluster) -> str:
    """The sentence of `machines`."""
    try:
        cluster.machines()
    except ClusterError as error:
        return str(error)
    return ""


def certificate(folder: Path, name: str, authority: str) -> tuple[str, str, str]:
    """Make a certificate as the document says; the files of authority, certificate and key."""
    made = [str(folder / one) for one in (f"{authority}.pem", f"{name}.pem", f"{name}.key")]
    new = ["-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj"]
    if not Path(made[0]).exists():
        key = str(folder / f"{authority}.key")
        openssl("req", "-x509", *new, f"/CN={authority}", "-keyout", key, "-out", made[0])
    asked = str(folder / f"{name}.csr")
    openssl("req", *new, f"/CN={name}", "-keyout", made[2], "-out", asked)
    signed = ["-CA", made[0], "-CAkey", made[0].replace(".pem", ".key"), "-CAcreateserial"]
    openssl("x509", "-req", "-in", asked, *signed, "-days", "1", "-out", made[1])
    return made[0], made[1], made[2]


def openssl(*arguments: str) -> None:
    """Run it."""
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)


def test_tls(tmp_path: Path) -> None:
    """A sweep over TLS; a certificate of another authority is refused, and so is none."""
    ours = certificate(tmp_path, "ours", "authority")
    wrong = certificate(tmp_path, "wrong", "stranger")
    named = zip(("--tls-ca-file", "--tls-cert", "--tls-key"), ours, strict=True)
    made = Processes(tmp_path, *(word for pair in named for word in pair))
    cluster = Cluster(made.address, Certificates(*ours))
    try:
        made.worker("one")
        until(lambda: names(cluster) == ["one"])
        assert made.address.startswith("tls://")
        assert finished(cluster.start(points(16))).state == "done"
        for address, given, words in (
            (made.address, wrong, "has a certificate that is not of our authority"),
            (made.address, (ours[0], *wrong[1:]), "check --tls-cert and --tls-key"),
            (made.address.replace("tls:", "tcp:"), ours, "ends the connection: is it tls://?"),
        ):
            other = Cluster(address, Certificates(*given))
            assert words in refusal(other)
            other.close()
        with pytest.raises(ClusterError, match="certificates of both sides"):
            Cluster(made.address)
        with pytest.raises(ClusterError, match=r"--tls-ca-file '.*' is not a file"):
            Cluster(made.address, Certificates(str(tmp_path / "none"), *ours[1:]))
        with pytest.raises(ClusterError, match="cannot be used: --tls-key is not given"):
            Cluster(made.address, Certificates(*ours[:2]))
    finally:
        cluster.close()
        made.close()


@pytest.mark.parametrize(
    ("address", "part"),
    [
        ("tcp://10.0.0.7:8786", "is on another machine"),
        ("ucx://127.0.0.1:8786", "another protocol than tcp:// and tls://"),
        ("tcp://127.0.0.1", "is no address"),
    ],
)
def test_far_addresses_are_refused(address: str, part: str) -> None:
    """Plain TCP is for this machine alone; what is no address is refused in one sentence."""
    with pytest.raises(ClusterError, match=part):
        checked(address)
    assert checked("tcp://10.0.0.7:8786", insecure=True) == "tcp://10.0.0.7:8786"
    assert checked("tcp://[::1]:8786") == "tcp://[::1]:8786"


def test_more_threads_than_a_machine_has() -> None:
    """Only those cases fail, with a sentence; without any other the machine is refused."""
    few, many = (replace(points(16)[0], threads=count) for count in (2, 8))
    machine = Machine("one", "tcp://127.0.0.1:1", threads=1, most_threads=4)
    sweep = RemoteSweep([few, many])
    sweep.own_threads = False
    assert sweep.refusal(machine) == ""
    sweep.assign(machine)
    assert sweep.cases == [few]
    assert sweep.results == []
    sweep.take(message("a", {"type": "environment", "cpu": "x"}))
    reason = "needs 8 threads, and this machine allows at most 4."
    assert sweep.results == [Failure(many, reason)]
    sweep = RemoteSweep([many])
    sweep.own_threads = False
    assert sweep.refusal(machine) == "machine one has at most 4 threads; 8 were asked for."


def message(attempt: str, *lines: dict[str, Any]) -> dict[str, Any]:
    """What a machine sends."""
    return {"attempt": attempt, "lines": [*map(json.dumps, lines)]}


def test_a_second_attempt_and_strange_lines_end_the_run() -> None:
    """Lines of a second attempt, of other cases and of no known kind are refused."""
    (case, *_) = points(16)
    sweep = RemoteSweep([case])
    sweep.assign(Machine("one", "tcp://127.0.0.1:1", threads=1, most_threads=1))
    failed = {"type": "failure", "case": case.to_dict(), "reason": "it cannot"}
    sweep.take(message("a", {"type": "environment", "cpu": "x"}, failed))
    assert (len(sweep.results), sweep.state) == (1, "running")
    other = {**failed, "case": points(64)[0].to_dict()}
    for line, part in (
        (other, "not asked for"),
        ({"type": "x"}, "neither type times"),
        ({}, "read"),
    ):
        with pytest.raises(ValueError, match=part):
            sweep.take(message("a", line))
    with pytest.raises(ValueError, match="Dask began the sweep again"):
        sweep.take(message("b"))
    assert len(sweep.results) == 1
