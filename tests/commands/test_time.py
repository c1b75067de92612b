import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from embviz.core.machine import default_threads
from embviz.timing import case, cluster
from embviz.timing.case import Case, plan
from embviz.timing.cluster import Machine
from embviz.timing.methods import DEFAULT_METHODS, VARY
from embviz.timing.run import Run, read_run
from embviz.timing.sweep import Engine, Sweep
from tests.commands import as_json, call, refusal
from tests.timing.conftest import ROOT, FakeWorker, fake_worker, own_queue, until, workers

__all__ = ["fake_worker", "own_queue"]
pytestmark = pytest.mark.usefixtures("own_queue")
QUICK = ["time", "--values", 16, 64, "--methods", "lookup", "matmul", "--dim", 4, "--tokens", 4]
LONG = ["--methods", "lookup", "--dim", "4", "--tokens", "4", "--values", *map(str, range(16, 216))]
signals = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """No measuring process is left, and Ctrl+C is what it was."""
    before = signal.getsignal(signal.SIGINT)
    yield
    assert not workers()
    assert signal.getsignal(signal.SIGINT) is before


def read(path: Path) -> Run:
    """A run file, read as an upload is read."""
    return read_run(path.read_bytes(), path.name)


def test_a_real_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two real processes: file and `--json` agree, also on a case that fails, without the host."""
    out = tmp_path / "r.jsonl"
    given = ["--methods", "lookup", "sparse_matmul", "--dtype", "bfloat16", "--values", 16]
    given += ["--dim", 4, "--tokens", 4, "--repeat", 2, "--no-hostname", "--out", out]
    found = as_json(capsys, "time", *given)
    run = read(out)
    (point,) = found["points"]
    assert point["seconds"] == pytest.approx(run.points["seconds"][0])
    assert (point["method"], point["dtype"], point["peak_bytes"]) == ("lookup", "bfloat16", None)
    assert sorted(set(run.times["process"])) == [0, 1]
    assert found["end"]["status"] == "done"
    assert "hostname" not in {**found["environment"], **run.environment}
    assert found["environment"]["calibrations"]
    (failure,) = found["failures"]
    assert (failure["case"]["method"], "BFloat16" in failure["reason"]) == ("sparse_matmul", True)
    assert found["answer"] == found["sentences"][0]
    assert found["verdicts"] == []


def test_text(fake_worker: FakeWorker, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer, a line for each case with its ratio, and the other sentences."""
    code, out, err = call(capsys, *QUICK, "--repeat", 2)
    assert (code, err) == (0, "")
    answer, table, more = out.split("\n\n")
    assert "64 rows" in answer
    assert "lookup at 64 rows" not in answer.lower()
    head, *rows = [line.split() for line in table.splitlines()]
    assert head == ["method", "num_embeddings", "seconds", "ratio", "verdict"]
    assert [row[:2] for row in rows] == [
        [method, size] for size in ("16", "64") for method in ("lookup", "matmul")
    ]
    assert [len(row) > 4 for row in rows] == [False, True] * 2
    assert len(more.splitlines()) > 1
    assert [asked["process"] for asked in fake_worker.asked] == [0, 1]


def test_options_reach_the_cases(
    fake_worker: FakeWorker, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each option is a field of all cases; whole numbers may be written as 1e2."""
    given: list[object] = ["--vary", "tokens", "--values", 4, "1e1", "--methods", "lookup"]
    given += [
        "--rows",
        "1e2",
        "--dim",
        8,
        "--dtype",
        "float64",
        "--mode",
        "sgd",
        "--ids",
        "zipf",
        "--threads",
        1,
    ]
    assert call(capsys, "time", *given, "--cache", "same", "new")[0] == 0
    fixed: dict[str, Any] = {"num_embeddings": 100, "embedding_dim": 8, "dtype": "float64"}
    fixed |= {"mode": "sgd", "ids": "zipf", "threads": 1}
    cases, _ = plan("tokens", [4, 10], ["lookup"], ["cpu"], ["same", "new"], **fixed)
    assert fake_worker.asked[0]["cases"] == [*map(asdict, cases)]


def test_defaults(fake_worker: FakeWorker, capsys: pytest.CaptureFixture[str]) -> None:
    """Without options the rows vary as on the page; kinds are values too."""
    assert call(capsys, "time")[0] == 0
    cases = [Case(**one) for one in fake_worker.asked[0]["cases"]]
    assert [*dict.fromkeys(one.num_embeddings for one in cases)] == [*VARY["vocab"].values]
    assert {one.method for one in cases} == {*DEFAULT_METHODS}
    assert {one.threads for one in cases} == {default_threads()}
    assert call(capsys, "time", "--vary", "ids", "--values", "zipf", "equal")[0] == 0
    assert {one["ids"] for one in fake_worker.asked[1]["cases"]} == {"zipf", "equal"}


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (["--methods", "lookup", "magic"], "method='magic'"),
        (["--methods", "index_select_out", "--mode", "sgd"], "index_select_out"),
        (["--vary", "batch"], "'batch'"),
        (["--values", "16", "many"], "'many'"),
        (["--values", "1.5"], "'1.5'"),
        (["--rows", "1.5"], "'1.5'"),
        (["--tokens", "nan"], "'nan'"),
        (["--dim", "inf"], "'inf'"),
        (["--mode", "sideways"], "'sideways'"),
        (["--threads", "1000"], "threads 1000"),
        (["--vary", "threads", "--values", "1", "1000"], "threads 1000"),
        (["--devices", "tpu"], "tpu"),
        (["--repeat", "0"], "--repeat 0"),
        (["--values", *map(str, range(1, 502))], "2,004"),
        (["--out", "/nowhere/at/all/r.jsonl"], "'/nowhere/at/all/r.jsonl'"),
        (["--plot", "/nowhere/at.html"], "/nowhere/at.html"),
        (["--machines", "one"], "--cluster"),
        (["--insecure"], "--cluster"),
        (["--cluster", "tcp://192.0.2.1:8786"], "tls://"),
        (["--worker"], "--worker"),
    ],
)
def test_bad_input_is_one_sentence(
    given: list[str],
    part: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bad input is refused before anything is measured."""
    monkeypatch.setattr(Engine, "start", lambda *_: pytest.fail("it measures"))
    err = refusal(capsys, "time", *given)
    assert part in err
    assert len(err) < 400


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_loses_no_time(
    fake_worker: FakeWorker, capsys: pytest.CaptureFixture[str]
) -> None:
    """All is printed, with a sentence for each file and exit code 1."""
    full = ["--out", "/dev/full", "--plot", "/dev/full"]
    code, out, err = call(capsys, *QUICK, "--json", *full)
    assert (code, len(json.loads(out)["points"])) == (1, 4)
    assert [line[-24:] for line in err.splitlines()] == ["No space left on device."] * 2


@pytest.mark.parametrize(
    ("plan", "methods", "points", "part"),
    [
        ({"dies_with": "matmul"}, ["lookup", "matmul"], 2, ""),
        ({"dies_with": "matmul"}, ["matmul"], 0, "no case"),
        ({"killed_at_start": 9}, ["lookup"], 0, "was killed"),
        ({"round_s": 0.3}, ["lookup"], 2, "EMBVIZ_SWEEP_SECONDS"),
    ],
)
def test_what_went_wrong(
    plan: dict[str, Any],
    methods: list[str],
    points: int,
    part: str,
    fake_worker: FakeWorker,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Times that there are, are printed; a sweep that ended early is exit code 1, a case is not."""
    fake_worker.plan(**plan)
    monkeypatch.setenv("EMBVIZ_SWEEP_SECONDS", "1")
    code, out, err = call(capsys, *QUICK, "--json", "--methods", *methods)
    assert (code, len(json.loads(out)["points"])) == (int(bool(part)), points)
    assert part in err
    assert bool(err) == bool(part)


def test_progress(
    fake_worker: FakeWorker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal shows on one line how many rounds are complete."""
    fake_worker.plan(round_s=0.05)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _, _, err = call(capsys, *QUICK)
    assert "running: " in err
    assert f"of {case.ROUNDS} rounds" in err
    assert err.count("\n") == 1


class FakeCluster:
    """Three machines, each of which is this one; `odd` cannot be used."""

    def __init__(self, address: str, insecure: bool) -> None:
        assert (address, insecure) == ("tcp://127.0.0.1:1", True)
        self._engine = Engine()

    def machines(self) -> list[Machine]:
        """As a cluster's."""
        troubles = {"one": "", "odd": "machine odd: it has no embviz", "t/wo": ""}
        return [Machine(name, "", trouble=why) for name, why in troubles.items()]

    def start(self, *given: Any, machine: str, own_threads: bool) -> Sweep:
        """Here, with the machine's name in the run."""
        sweep = self._engine.start(*given)
        sweep.run.add({"type": "environment", "worker": machine, "own": own_threads})
        return sweep

    def close(self) -> None:
        """Of the engine."""
        self._engine.close()


@pytest.mark.parametrize(
    ("machines", "more", "files", "code"),
    [
        ([], [], {"one": "r-one.jsonl", "t/wo": "r-t%2Fwo.jsonl"}, 1),
        (["any"], ["--threads", 1], {"": "r.jsonl"}, 0),
        (["t/wo", "t/wo"], [], {"t/wo": "r-t%2Fwo.jsonl"}, 0),
    ],
)
def test_machines_of_a_cluster(
    machines: list[str],
    more: list[object],
    files: dict[str, str],
    code: int,
    fake_worker: FakeWorker,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A file for each machine, a list of runs, and a sentence on one that could not be used."""
    monkeypatch.setattr(cluster, "Cluster", FakeCluster)
    given = [*QUICK, "--cluster", "tcp://127.0.0.1:1", "--insecure", "--out", tmp_path / "r.jsonl"]
    given += ["--devices", "cuda", *more, *(["--machines", *machines] if machines else [])]
    found, out, err = call(capsys, *given, "--json")
    assert (found, "odd" in err) == (code, bool(code))
    runs = json.loads(out)
    assert [run["environment"]["worker"] for run in runs] == [*files]
    assert all(
        run["environment"]["own"] is not bool(more) and len(run["points"]) == 4 for run in runs
    )
    assert sorted(one.name for one in tmp_path.glob("*.jsonl")) == sorted(files.values())


@pytest.mark.parametrize(("name", "part"), [("none", "one, odd, t/wo"), ("odd", "no embviz")])
def test_a_machine_that_cannot_be_used(
    name: str, part: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is not there, or in trouble, is refused."""
    monkeypatch.setattr(cluster, "Cluster", FakeCluster)
    given = ["--cluster", "tcp://127.0.0.1:1", "--insecure", "--machines", "one", name]
    assert part in refusal(capsys, *QUICK, *given)


@signals
def test_ctrl_c_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends at once with 130, without an exception that an import may catch."""

    def press(*_: object, **__: object) -> None:
        with suppress(Exception, KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "_exit", sys.exit)
    monkeypatch.setattr(case, "plan", press)
    assert call(capsys, *QUICK)[:2] == (130, "")


@signals
def test_ctrl_c_twice(
    fake_worker: FakeWorker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time the process ends at once, and prints no table."""
    stop, calls = Sweep.stop, list[Sweep]()
    fake_worker.plan(hangs_with="matmul")

    def stopped(sweep: Sweep) -> None:
        calls.append(sweep)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        stop(sweep)

    def press() -> None:
        until(lambda: fake_worker.processes)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(os, "_exit", sys.exit)
    monkeypatch.setattr(Sweep, "stop", stopped)
    threading.Thread(target=press).start()
    assert call(capsys, *QUICK) == (130, "", "")


@signals
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_ends_leaves_its_lines_and_no_other(
    how: signal.Signals, tmp_path: Path
) -> None:
    """After Ctrl+C or a kill the file holds what was measured, and no worker is left."""
    out = tmp_path / "r.jsonl"
    line = [sys.executable, "-m", "embviz", "time", *LONG, "--out", str(out)]
    with subprocess.Popen(
        line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        until(lambda: out.exists() and out.read_bytes().count(b"\n") > 5)
        measuring = workers(process.pid)
        os.killpg(process.pid, how)  # a terminal sends it to all of its group
        printed, err = process.communicate(timeout=60)
    assert len(measuring) == 1
    until(lambda: not measuring[0].is_running() or measuring[0].status() == "zombie")
    run = read(out)
    assert len(run.times) > 3
    if how == signal.SIGINT:
        assert (process.returncode, err) == (130, b"embviz: stopped; what was measured stands.\n")
        assert b"lookup" in printed
        assert (run.end or {})["status"] == "stopped"


@signals
@pytest.mark.parametrize("delay_s", [0.3, 0.6, 1.0, 1.5, 2.2])
def test_ctrl_c_at_any_moment(delay_s: float) -> None:
    """One sentence, 130 and no worker, also while PyTorch is imported."""
    with subprocess.Popen(
        [sys.executable, "-m", "embviz", "time", *LONG],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        time.sleep(delay_s)
        measuring = workers(process.pid)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err.count(b"\n")) == (130, 1)
    assert err.startswith(b"embviz: stopped")
    until(lambda: not any(one.is_running() for one in measuring))
