import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from embviz.timing.measure import cluster
from embviz.timing.measure.axes import VARY
from embviz.timing.measure.methods import DEFAULT_METHODS
from embviz.timing.measure.run import read_run
from embviz.timing.measure.sweep import Engine, Sweep
from embviz.timing.measure.timed import Timed, plan
from tests.commands import as_json, call
from tests.timing.conftest import ROOT, FakeWorker, fake_worker, until, workers

__all__ = ["fake_worker"]
QUICK = ["time", "--values", 16, 64, "--methods", "lookup", "matmul", "--dim", 4, "--tokens", 4]
LONG = ["--methods", "lookup", "--dim", "4", "--tokens", "4", "--values", *map(str, range(16, 216))]
CLUSTER = ["--cluster", "tcp://127.0.0.1:1", "--insecure"]
Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """No measuring process is left; Ctrl+C becomes what it was."""
    before = signal.getsignal(signal.SIGINT)
    yield
    assert not workers()
    signal.signal(signal.SIGINT, before)


def test_a_real_run(tmp_path: Path, capsys: Capture) -> None:
    """A real process: file and `--json` agree, also on a case that fails, without the host."""
    out = tmp_path / "r.jsonl"
    given = "--methods lookup sparse_matmul --dtype bfloat16 --values 16 --dim 4 --repeat 1 --out"
    found = as_json(capsys, "time", *given.split(), out)
    run = read_run(out.read_bytes(), "r")
    (point,) = found["points"]
    assert point["seconds"] == pytest.approx(run.points["seconds"][0])
    assert (point["method"], sorted({*run.times["process"]})) == ("lookup", [0])
    assert (found["end"]["status"], run.environment["hostname"]) == ("done", None)
    (failure,) = found["failures"]
    assert (failure["case"]["method"], "BFloat16" in failure["reason"]) == ("sparse_matmul", True)


def test_options_reach_the_cases(fake_worker: FakeWorker, capsys: Capture) -> None:
    """Each option is a field of all cases; without options the rows vary as on the page."""
    given = "--vary tokens --values 4 1e1 --methods lookup --rows 1e2 --dim 8 --dtype float64"
    given += " --mode sgd --ids zipf --threads 1 --cache same new --repeat 5"
    assert call(capsys, "time", *given.split())[0] == 0
    fixed: dict[str, Any] = {"num_embeddings": 100, "embedding_dim": 8, "dtype": "float64"}
    fixed |= {"mode": "sgd", "ids": "zipf", "threads": 1}
    cases = plan("tokens", [4, 10], ["lookup"], ["cpu"], caches=["same", "new"], **fixed)
    assert [one["process"] for one in fake_worker.asked] == [0, 1, 2, 3, 4]
    assert fake_worker.asked[0]["cases"] == [*map(asdict, cases)]
    assert call(capsys, "time")[0] == 0
    cases = [Timed(**one) for one in fake_worker.asked[5]["cases"]]
    assert [*dict.fromkeys(one.num_embeddings for one in cases)] == [*VARY["vocab"].values]
    found = {(one.method, one.embedding_dim, one.tokens) for one in cases}
    assert found == {(method, 64, 256) for method in DEFAULT_METHODS}


@pytest.mark.parametrize(
    ("plan", "more", "points", "part"),
    [
        ({"dies_with": "matmul"}, [], 2, ""),
        ({"dies_with": "lookup"}, ["--methods", "lookup"], 0, "no case"),
        ({"round_s": 0.3}, [], 4, "EMBVIZ_SWEEP_SECONDS"),
        ({}, ["--out", "/dev/full"], 4, "No space left on device."),
    ],
)
def test_what_went_wrong(
    fake_worker: FakeWorker, capsys: Capture, monkeypatch: Patch, *,
    plan: dict[str, Any], more: list[str], points: int, part: str,
) -> None:  # fmt: skip
    """Times that there are, are printed; a sweep that ended early is exit code 1, a case is not."""
    fake_worker.plan(**plan)
    monkeypatch.setenv("EMBVIZ_SWEEP_SECONDS", "1" if part == "EMBVIZ_SWEEP_SECONDS" else "60")
    code, out, err = call(capsys, *QUICK, "--json", *more)
    assert (code, len(json.loads(out)["points"])) == (int(bool(part)), points)
    assert (part in err, bool(err)) == (True, bool(part))


class FakeCluster(cluster.Cluster):
    """Two machines, each of which is this one."""

    def __init__(self, address: str, insecure: bool) -> None:
        assert (address, insecure) == ("tcp://127.0.0.1:1", True)
        self._engine = Engine()
        self.close = self._engine.close  # type: ignore[method-assign]

    def machines(self, *names: str) -> list[str]:
        """As a cluster's."""
        return [*names] or ["one", "t/wo"]

    def start(self, *given: Any, machine: str = "") -> Sweep:
        """Here, with the machine's name in the run."""
        sweep = self._engine.start(*given)
        sweep.add({"type": "environment", "worker": machine})
        return sweep


@pytest.mark.parametrize("machines", [["one", "t/wo"], ["t/wo"]])
@pytest.mark.usefixtures("fake_worker")
def test_machines_of_a_cluster(
    machines: list[str], tmp_path: Path, capsys: Capture, monkeypatch: Patch
) -> None:
    """A file and a line of JSON for each machine: by default for all."""
    monkeypatch.setattr(cluster, "Cluster", FakeCluster)
    (out := tmp_path / "out").mkdir()
    named = ["--machines", *machines, *machines] if len(machines) == 1 else []
    given = [*QUICK, *CLUSTER, "--out", out / "r.jsonl", *named, "--json"]
    code, printed, err = call(capsys, *given)
    assert (code, err) == (0, "")
    found = [json.loads(line)["environment"]["worker"] for line in printed.splitlines()]
    assert found == machines
    files = {"one": "r-one.jsonl", "t/wo": "r-t%2Fwo.jsonl"}
    assert {path.name for path in out.iterdir()} == {files[name] for name in machines}


def started(*more: str, **variables: str) -> subprocess.Popen[bytes]:
    """A long sweep in a process group of its own."""
    line, pipe = [sys.executable, "-m", "embviz", "time", *LONG, *more], subprocess.PIPE
    return subprocess.Popen(
        line,
        cwd=ROOT,
        env=os.environ | variables,
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,
    )


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_ends_leaves_its_lines_and_no_other(
    how: signal.Signals, tmp_path: Path
) -> None:
    """After Ctrl+C or a kill the file holds what was measured, and no worker is left."""
    out = tmp_path / "r.jsonl"
    with started("--out", str(out)) as process:
        until(lambda: out.exists() and out.read_bytes().count(b"\n") > 5)
        (measuring,) = workers(process.pid)
        os.killpg(process.pid, how)  # a terminal sends it to all of its group
        printed, err = process.communicate(timeout=200)
    until(lambda: not measuring.is_running() or measuring.status() == "zombie")
    run = read_run(out.read_bytes(), "r")
    assert len(run.times) > 3
    if how == signal.SIGINT:
        assert (process.returncode, err) == (130, b"embviz: stopped; what was measured stands.\n")
        assert b"lookup" in printed
        assert (run.end or {})["status"] == "stopped"


CATCHES = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == "{name}":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except BaseException:
                pass

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("name", ["embviz.commands", "embviz.commands.time", "numpy"])
def test_ctrl_c_while_an_import_catches_every_exception(name: str, tmp_path: Path) -> None:
    """Some of an import's code does: the press would be lost, and the sweep would go on."""
    (tmp_path / "sitecustomize.py").write_text(CATCHES.format(name=name))
    with started(PYTHONPATH=str(tmp_path)) as process:
        assert process.communicate(timeout=200) == (b"", b"embviz: stopped.\n")
    assert process.returncode == 130
