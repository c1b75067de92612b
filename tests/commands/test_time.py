import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from embviz.commands.time.output import as_machines
from embviz.figures.timing import report
from embviz.timing import queue
from embviz.timing.cases import Case
from embviz.timing.cluster_table import machine_table
from embviz.timing.phrases import format_time
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run, read_run
from embviz.timing.series import BUDGET_VARIABLE
from embviz.timing.sweep import Engine, Sweep
from tests.commands import as_json, call, refusal
from tests.timing import fake_machine

ROOT = Path(__file__).resolve().parents[2]
UNSET = {"PYTHONUNBUFFERED", "EMBVIZ_HOSTED", BUDGET_VARIABLE}
LONG = [
    *(sys.executable, "-m", "embviz", "time", "--methods", "lookup", "--dim", "4"),
    *("--tokens", "4", "--values", *map(str, range(16, 416))),
]


@pytest.fixture(autouse=True)
def own_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queue of sweeps for each test, because tests run at the same time."""
    monkeypatch.setenv(queue.FOLDER_VARIABLE, str(tmp_path))
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)


def read(path: Path) -> Run:
    """A run file, read as an upload is read."""
    return read_run(path.read_bytes(), path.name)


def wait_for_lines(path: Path) -> None:
    """Wait until a run file has five lines."""
    end = time.monotonic() + 60
    while time.monotonic() < end and (not path.exists() or path.read_bytes().count(b"\n") < 5):
        time.sleep(0.02)


def seconds(case: Case) -> float:
    """What a fake machine takes."""
    return 1e-6 * case.num_embeddings


class FakeEngine:
    """An engine that measures nothing: each case takes 1 µs a row, and `sparse_matmul` fails.

    Attributes:
        during: called in the middle of a sweep.
    """

    during: Callable[[Sweep], object] = staticmethod(lambda _: None)

    def __init__(self, options: Sequence[str] = ()) -> None:
        self.environment = {"cpu": "Fake", **({} if options else {"hostname": "box"})}

    def start(self, cases: Sequence[Case], sink: Any, *, processes: int = 1) -> Sweep:
        """Finish a sweep at once."""
        sweep = Sweep(cases, sink, None, processes)
        sweep.begin(self.environment)
        good = [case for case in cases if case.method != "sparse_matmul"]
        if good:
            random = np.random.default_rng(1)
            results = fake_machine.sweep(good, seconds, random, processes)
            for process in range(processes):
                sweep.next_batch(process)
                for one in results:
                    assert isinstance(one, Measurement)
                    mine = {place: t for place, t in one.blocks.items() if place[0] == process}
                    sweep.add(replace(one, blocks=mine))
        for case in cases:
            if case not in good:
                sweep.add(Failure(case, "it cannot"))
        self.during(sweep)
        sweep.finish("stopped" if sweep.stopping.is_set() else "done")
        return sweep

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeEngine]:
    """A fake engine instead of the real one."""
    engine = type("Engine", (FakeEngine,), {})
    monkeypatch.setattr("embviz.timing.sweep.Engine", engine)
    return engine


NO_SPACE = "No space left on device."
QUICK = ["time", "--values", 16, 64, "--methods", "lookup", "matmul"]


def test_a_real_run_has_the_fields_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two real processes give one run file with the fields of the contract, as in `--json`."""
    out = tmp_path / "r.jsonl"
    given = ["--values", 16, "--methods", "lookup", "sparse_matmul", "--dtype", "bfloat16"]
    given += ["--dim", 4, "--tokens", 4, "--repeat", 2, "--no-hostname", "--out", out]
    result = as_json(capsys, "time", *given)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    kinds = [line["type"] for line in lines]
    assert (kinds[0], kinds[-1]) == ("environment", "end")
    assert set(kinds[1:-1]) == {"times", "failure"}
    one, control, failure = result["results"]
    assert set(one) == {"type", "case", "again", "seconds", "median_s", "iqr_s"}
    assert (one["again"], control["again"]) == (False, True)
    times = [line for line in lines if line["type"] == "times" and not line["again"]]
    assert [line["process"] for line in times] == [0] * 12 + [1] * 12
    assert [second for line in times for second in line["seconds"]] == one["seconds"]
    assert "BFloat16" in failure["reason"]
    machine = result["environment"]
    assert machine["date"].endswith("+00:00")
    assert (machine["threads"], machine["hostname"]) == (one["case"]["threads"], None)
    assert result["end"]["status"] == "done"
    assert "bfloat16" in [one["dtype"] for one in result["end"]["calibrations"]]


def test_json_has_the_documented_fields(
    fake: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--json` prints one object with the documented fields."""
    assert fake
    result = as_json(capsys, *QUICK, "--repeat", 3)
    assert set(result) == {"environment", "results", "end", "findings", "spread"}
    assert len(result["results"]) == 7  # with two controls and the anchor
    assert all(isinstance(sentence, str) for sentence in result["findings"])
    assert result["environment"]["hostname"] == "box"
    assert [one["case"]["method"] for one in result["spread"]] == ["lookup", "matmul"] * 2
    assert all(one["processes"] == 3 and one["ratio"] >= 1 for one in result["spread"])


def test_the_text_has_a_line_for_each_case_and_the_findings(
    fake: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    """The text form has one line a case, without control and anchor, then the findings."""
    assert fake
    code, out, err = call(capsys, *QUICK, "--repeat", 2)
    assert (code, err) == (0, "")
    head, *cases = [line.split() for line in out.split("\n\n")[0].splitlines()[:-1]]
    assert head[:3] == ["method", "rows", "median"]
    assert [case[:2] for case in cases] == [
        [method, rows] for rows in ("16", "64") for method in ("lookup", "matmul")
    ]
    assert all(one in out for one in as_json(capsys, *QUICK, "--repeat", 2)["findings"])
    assert re.search(r"Over 2 processes the medians of one case lie within a factor of \d", out)


BAD: dict[str, tuple[list[str], str]] = {
    "method": (["--methods", "lookup", "magic"], "method='magic' is not one of: lookup"),
    "vary": (["--vary", "batch"], "vary='batch' is not one of: vocab, dim, tokens, ids, dtype"),
    "values": (["--values", "16", "many"], "'many' is not a whole number"),
    "pass": (["--pass", "sideways"], "invalid choice: 'sideways'"),
    "threads": (["--threads", "0"], "--threads 0 is not a whole number from 1 to"),
    "device": (["--devices", "tpu"], "device 'tpu' is not one of this machine's: cpu"),
    "repeat": (["--repeat", "0"], "--repeat 0 is not a whole number from 1 to 100"),
    "too many": (["--values", *map(str, range(1, 502))], "2,004 cases are more than the 2,000"),
    "folder": (["--out", "/nowhere/at/all/r.jsonl"], "cannot write '/nowhere/at/all/r.jsonl'"),
    "option": (["--speed"], "unrecognized arguments: --speed"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input is refused in one sentence, before anything is measured."""
    monkeypatch.setattr(Engine, "start", lambda *_: pytest.fail("it measures"))
    arguments, part = BAD[name]
    err = refusal(capsys, "time", *arguments)
    assert part in err
    assert len(err) < 400


@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_a_file_that_cannot_be_written_is_bad_input(
    option: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file that cannot be written is refused before anything is measured."""
    monkeypatch.setattr(Engine, "start", lambda *_: pytest.fail("it measures"))
    path = tmp_path / "immutable"
    path.write_text("old", "ascii")
    opened = Path.open

    def refuse(self: Path, *arguments: Any, **more: Any) -> Any:
        if self == path:
            raise PermissionError(1, "Operation not permitted")
        return opened(self, *arguments, **more)

    monkeypatch.setattr(Path, "open", refuse)
    err = refusal(capsys, *QUICK, option, path)
    assert err == f"embviz: cannot write {str(path)!r}: Operation not permitted.\n"
    assert str(tmp_path) in refusal(capsys, *QUICK, option, tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_loses_no_result(
    fake: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    """On a full disk all results are printed, with a sentence for each file and exit code 1."""
    assert fake
    code, out, err = call(capsys, *QUICK, "--json", "--out", "/dev/full", "--plot", "/dev/full")
    assert code == 1
    assert len(json.loads(out)["results"]) == 7
    assert [line.rpartition(": ")[2] for line in err.splitlines()] == [NO_SPACE] * 2


def test_no_measurement_is_an_error(
    fake: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1 if every case failed, and 0 if one of them did not."""
    assert fake
    code, out, err = call(capsys, "time", "--values", 16, "--methods", "sparse_matmul")
    assert (code, err) == (1, "embviz: no case could be measured.\n")
    assert "it cannot" in out
    code, out, err = call(capsys, "time", "--values", 16, "--methods", "lookup", "sparse_matmul")
    assert (code, err) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("when", ["rounds", "report", "twice"])
def test_ctrl_c_is_no_exception(
    when: str,
    fake: type[FakeEngine],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl+C in the rounds, in the report or twice: all is printed and written; exit code 130."""
    out, plot = tmp_path / "r.jsonl", tmp_path / "r.html"

    def press(_: object) -> str:
        for _ in range(2 if when == "twice" else 1):
            signal.raise_signal(signal.SIGINT)
        return "report"

    if when == "report":
        monkeypatch.setattr(report, "html_report", press)
    else:
        fake.during = staticmethod(press)
    before = signal.getsignal(signal.SIGINT)
    code, printed, err = call(capsys, *QUICK, "--repeat", 2, "--out", out, "--plot", plot)
    assert (code, err) == (130, "embviz: stopped; what was measured stands.\n")
    assert printed.startswith("method")
    assert (len(read(out).results), plot.exists()) == (7, True)
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl+C while modules are imported or options checked gives one sentence and 130."""

    def press(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("embviz.commands.time.cases_of", press)
    assert call(capsys, *QUICK) == (130, "", "embviz: stopped.\n")


def test_a_killed_command_leaves_its_lines_and_no_orphan(tmp_path: Path) -> None:
    """After a kill the file holds all finished lines, and no worker is left."""
    out = tmp_path / "r.jsonl"
    line = [*LONG, "--out", str(out)]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        wait_for_lines(out)
        (worker,) = psutil.Process(process.pid).children()
        process.kill()
        process.wait()
    run = read(out)
    assert run.end is None
    assert len(run.results) >= 3
    _, alive = psutil.wait_procs([worker], timeout=10)
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []
    # A line torn in the middle costs that line alone.
    for cut in (1, 10, 100):
        torn = read_run(out.read_bytes()[:-cut], "torn.jsonl")
        assert len(torn.results) >= len(run.results) - 1


def test_ctrl_c_ends_the_sweep_and_prints_what_was_measured(tmp_path: Path) -> None:
    """Ctrl+C ends the sweep; the results so far are printed and kept."""
    out = tmp_path / "r.jsonl"
    line = [*LONG, "--out", str(out)]
    with subprocess.Popen(
        line,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for_lines(out)
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the worker as well
        printed, complained = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complained == "embviz: stopped; what was measured stands.\n"
    run = read(out)
    assert run.end
    assert run.end["status"] == "stopped"
    assert 3 <= len(run.results) < 800
    assert not any(isinstance(one, Failure) for one in run.results)
    assert "lookup" in printed


def test_a_cluster_needs_dask_and_a_safe_address(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `distributed` a cluster is refused with the command that installs it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    err = refusal(capsys, "time", "--cluster", "tcp://127.0.0.1:8786", "--devices", "cuda")
    assert "a cluster needs Dask distributed" in err
    assert err.endswith(": pip install distributed==2026.8.0\n")
    assert "Use tls://" in refusal(capsys, "time", "--cluster", "tcp://192.0.2.1:8786")
    for option in (["--machines", "one"], ["--insecure"], ["--tls-key", "a"]):
        assert f"{option[0]} needs --cluster ADDRESS" in refusal(capsys, "time", *option)


def test_the_table_of_machines(
    fake: type[FakeEngine], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One row a machine, at the largest size that all have, each judged by its own run."""
    assert fake
    runs = []
    for name, values in (("one", (16, 64, 256)), ("two", (16, 64))):
        path = tmp_path / name
        given = ["--values", *values, "--methods", "lookup", "matmul", "--out", path]
        assert call(capsys, "time", *given)[0] == 0
        runs.append(read(path))
    table = machine_table(runs)
    assert table.heads[:4] == (
        "machine",
        "lookup at 64 rows",
        "matmul at 64 rows",
        "matmul by lookup",
    )
    for row, measured_run in zip(table.rows, runs, strict=True):
        medians = {
            one.case.method: one.median_s
            for one in measured_run.results
            if isinstance(one, Measurement) and one.case.num_embeddings == 64 and not one.helps
        }
        shown = [format_time(medians[method], 3) for method in ("lookup", "matmul")]
        unknown = ("not told apart", "not told apart", "not measured")
        assert row == (measured_run.name, *shown, *unknown)
    path = tmp_path / "alone"
    given = ["--values", "16", "64", "--methods", "matmul", "sparse_matmul", "--out", path]
    assert call(capsys, "time", *given)[0] == 0
    table = machine_table([read(path)])
    assert table.heads == ("machine", "matmul at 64 rows", "copies, GB/s")
    assert "alone: 2 of 4 cases gave no time. The first, sparse (CSR) matmul" in as_machines(
        [read(path)]
    )
    assert as_machines([Run("two", {})]).endswith("two: Nothing was measured.")
