import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from embviz.timing import queue
from embviz.timing.cases import Case
from embviz.timing.methods import METHODS
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run, read_run
from embviz.timing.series import BUDGET_VARIABLE
from embviz.timing.sweep import Engine
from tests.commands import as_json, call, refusal
from tests.timing.waiting import measured

ROOT = Path(__file__).resolve().parents[2]
UNSET = {"PYTHONUNBUFFERED", "EMBVIZ_HOSTED", BUDGET_VARIABLE}
SMALL = ["--vary", "vocab", "--values", "16", "64", "256", "--dim", "4", "--tokens", "4"]
LONG = [
    *(sys.executable, "-m", "embviz", "time", "--methods", "lookup", "--dim", "4"),
    *("--tokens", "4", "--values", *map(str, range(16, 416))),
]
# What a bare GPU machine lacks; None in sys.modules makes an import fail.
MISSING = [
    "streamlit",
    "plotly",
    "scipy",
    "sklearn",
    "pandas",
    "psutil",
    "cachetools",
    "platformdirs",
]


@pytest.fixture(autouse=True)
def own_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queue of sweeps for each test, because tests run at the same time."""
    monkeypatch.setenv(queue.FOLDER_VARIABLE, str(tmp_path))
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m embviz time` as a user does, but with warnings as errors."""
    line = [sys.executable, "-W", "error", "-m", "embviz", "time", *map(str, arguments)]
    return subprocess.run(
        line,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def here(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The output of the command in this process, which has imported PyTorch."""
    code, out, err = call(capsys, "time", *arguments)
    assert (code, err) == (0, "")
    return out


def read(path: Path) -> Run:
    """A run file, read as an upload is read."""
    return read_run(path.read_bytes(), path.name)


def wait_for_lines(path: Path) -> None:
    """Wait until a run file has five lines."""
    end = time.monotonic() + 60
    while time.monotonic() < end and (not path.exists() or path.read_bytes().count(b"\n") < 5):
        time.sleep(0.02)


def sizes(run: Run) -> list[tuple[str, int]]:
    """Method and rows of what was measured, controls left out."""
    return [(case.method, case.num_embeddings) for case in measured(run)]


def test_the_issues_command_writes_a_valid_run(tmp_path: Path) -> None:
    """The run file holds each point, its A/A control, the machine and the end."""
    out = tmp_path / "r.jsonl"
    methods = ["lookup", "matmul", "onehot_matmul"]
    done = command(*SMALL, "--methods", *methods, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    run = read(out)
    assert sizes(run) == [(method, rows) for rows in (16, 64, 256) for method in methods]
    controls = [r.case for r in run.results if isinstance(r, Measurement) and r.control]
    assert [(c.method, c.num_embeddings) for c in controls] == [
        ("lookup", 16),
        ("lookup", 64),
        ("lookup", 256),
    ]
    assert len(run.results) == 12
    assert run.end
    assert run.end["status"] == "done"
    assert run.environment["torch"]
    assert run.environment["date"].endswith("+00:00")
    assert run.to_bytes()
    for method, rows in sizes(run):
        assert f"{method:15} {rows:>11,} x 4" in done.stdout
    assert done.stdout.count("A/A control") == 3
    assert "differ" in done.stdout.splitlines()[-2] + done.stdout.splitlines()[-1]


def test_lines_have_the_fields_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each line of a run file has the fields of the contract."""
    out = tmp_path / "r.jsonl"
    given = ["--values", 16, "--methods", "lookup", "sparse_matmul", "--dtype", "bfloat16"]
    printed = here(capsys, *given, "--dim", 4, "--tokens", 4, "--out", out)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    kinds = ["environment", "measurement", "measurement", "failure", "end"]
    assert sorted(line["type"] for line in lines) == sorted(kinds)
    assert (lines[0]["type"], lines[-1]["type"]) == ("environment", "end")
    for line in lines[1:-1]:
        assert set(line["case"]) >= {
            "method",
            "num_embeddings",
            "embedding_dim",
            "tokens",
            "dtype",
            "device",
            "threads",
            "pass",
            "ids",
        }
    (failure,) = (line for line in lines if line["type"] == "failure")
    assert "BFloat16" in failure["reason"]
    assert "failed: " in printed
    one, control = (line for line in lines if line["type"] == "measurement")
    assert set(one) >= {
        "times_s",
        "number_per_run",
        "median_s",
        "iqr_s",
        "predicted_s",
        "bytes",
        "flops",
    }
    assert "control" not in one
    assert control["control"] is True
    assert one["bytes"] == Case.from_dict(one["case"]).bytes


def test_matmul_is_far_slower_than_the_lookup(capsys: pytest.CaptureFixture[str]) -> None:
    """The engine measures the operation: a matmul with 4,096 rows is far slower than a lookup."""
    given = ["--values", 4096, "--methods", "lookup", "matmul", "--tokens", 64, "--threads", 1]
    result = as_json(capsys, "time", *given)
    median = {
        line["case"]["method"]: line["median_s"]
        for line in result["results"]
        if not line.get("control")
    }
    # About 170 on a quiet machine.
    assert 20 < median["matmul"] / median["lookup"] < 2000
    assert any("lookup" in sentence for sentence in result["findings"])


def test_json_has_the_documented_fields(capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints one object with the documented fields."""
    result = as_json(capsys, "time", *SMALL, "--methods", "lookup", "numpy_take")
    assert set(result) == {"environment", "results", "end", "findings", "repeats", "spread"}
    assert len(result["results"]) == 9
    assert (result["repeats"], result["spread"]) == ([], [])
    assert all(isinstance(sentence, str) for sentence in result["findings"])
    assert result["end"]["status"] == "done"


def test_repeats_are_fresh_processes_and_their_spread(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--repeat` measures in fresh processes and reports each case's ratio of medians."""
    out = tmp_path / "r.jsonl"
    given = [*SMALL, "--methods", "lookup", "matmul", "--repeat", 2, "--out", out]
    result = as_json(capsys, "time", *given)
    runs = [read(out), read(tmp_path / "r.2.jsonl")]
    assert sizes(runs[0]) == sizes(runs[1])
    assert len(result["repeats"]) == 1
    assert result["repeats"][0] == [one.to_dict() for one in runs[1].results]
    assert result["repeats"][0] != result["results"]
    medians = [
        {
            one.case: one.median_s
            for one in run.results
            if isinstance(one, Measurement) and not one.control
        }
        for run in runs
    ]
    assert {Case.from_dict(one["case"]): one["ratio"] for one in result["spread"]} == {
        case: pytest.approx(max(m[case] for m in medians) / min(m[case] for m in medians))
        for case in medians[0]
    }
    assert sorted(path.name for path in tmp_path.glob("*.jsonl")) == ["r.2.jsonl", "r.jsonl"]


def test_the_spread_is_stated_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """The text form states the spread across processes."""
    printed = here(capsys, "--values", 16, "--methods", "lookup", "--dim", 2, "--repeat", 2)
    assert re.search(r"Over 2 processes the medians of one case lie within a factor of \d", printed)


BAD: dict[str, tuple[list[str], str]] = {
    "method": (["--methods", "lookup", "magic"], "method='magic' is not one of: lookup"),
    "method twice": (["--methods", "lookup", "lookup"], "a method is chosen twice"),
    "vary": (["--vary", "batch"], "vary='batch' is not one of: vocab, dim, tokens, ids, dtype"),
    "values": (["--values", "16", "many"], "'many' is not a whole number"),
    "fraction": (["--values", "1.5"], "'1.5' is not a whole number"),
    "exponent": (["--values", "1e12"], "num_embeddings=1000000000000 is not a whole number"),
    "value twice": (["--values", "16", "16"], "a value is chosen twice: 16, 16"),
    "zero": (["--values", "0"], "num_embeddings=0 is not a whole number from 1 to"),
    "10^12": (["--values", "1000000000000"], "num_embeddings=1000000000000 is not"),
    "endless": (["--values", "9" * 6000], "is not a whole number"),
    "marks": (["--values", "\x1b[31m1\u202e"], "is not a whole number"),
    "pass": (["--pass", "sideways"], "pass='sideways' is not one of: forward, backward"),
    "lacking": (["--methods", "numpy_take", "--pass", "sgd"], "numpy_take has no pass 'sgd'"),
    "dtype": (["--dtype", "int8"], "dtype='int8' is not one of"),
    "dtype value": (["--vary", "dtype", "--values", "int8"], "dtype='int8' is not one of"),
    "ids": (["--ids", "none"], "ids='none' is not one of: uniform, zipf, equal"),
    "output": (["--output", "old"], "output='old' is not one of: fresh, reused"),
    "threads": (["--threads", "0"], "--threads 0 is not a whole number from 1 to"),
    "rows": (["--vary", "dim", "--rows", "0"], "num_embeddings=0 is not"),
    "no int": (["--rows", "1e9"], "invalid int value: '1e9'"),
    "device": (["--devices", "tpu"], "device 'tpu' is not one of this machine's: cpu"),
    "repeat": (["--repeat", "0"], "--repeat 0 is not a whole number from 1 to 100"),
    "too many": (["--values", *map(str, range(1, 502))], "2,004 cases are more than the 2,000"),
    "folder": (["--out", "/nowhere/at/all/r.jsonl"], "there is no folder for"),
    "plot folder": (["--plot", "/nowhere/at/all/r.html"], "there is no folder for"),
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
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be written is refused before anything is measured."""
    given = ["--values", "16", "--methods", "lookup", option, tmp_path]
    assert str(tmp_path) in refusal(capsys, "time", *given)


def test_a_refusal_as_a_user_sees_it() -> None:
    """A refusal is one sentence on stderr, with exit code 2."""
    done = command("--values", "16", "--methods", "lookup", "--tokens", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("embviz: tokens=0 is not a whole number")
    assert done.stderr.count("\n") == 1


def test_more_memory_than_allowed_is_a_line_of_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case over the memory budget is reported as failed; the others are measured."""
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    printed = here(capsys, "--values", 16, 4096, "--methods", "lookup", "matmul", "--dim", 64)
    assert "over the budget of 1.0 MiB" in printed
    assert printed.count("failed: needs table 1.0 MiB") == 2
    assert printed.count("IQR ") == 3  # at 16 rows, with the control


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment in which the command and its worker find torch and numpy only."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({MISSING}))\n", encoding="utf-8"
    )
    check = f"import sys; assert all(sys.modules[name] is None for name in {MISSING})"
    path = {"PYTHONPATH": str(site)}
    subprocess.run([sys.executable, "-c", check], env={**os.environ, **path}, check=True)
    return path


def test_torch_and_numpy_are_enough(bare: dict[str, str], tmp_path: Path) -> None:
    """`time` measures every method with torch and numpy alone."""
    out = tmp_path / "r.jsonl"
    done = command(*SMALL, "--methods", *METHODS, "--out", out, **bare)
    assert (done.returncode, done.stderr) == (0, "")
    run = read(out)
    assert {method for method, _ in sizes(run)} == set(METHODS) - {"lookup_sparse"}
    assert not any(isinstance(one, Failure) for one in run.results)
    assert run.environment["memory_bytes"] is None


def test_a_plot_without_plotly_is_refused_before_measuring(
    bare: dict[str, str], tmp_path: Path
) -> None:
    """`--plot` without plotly is refused before anything is measured."""
    report = tmp_path / "r.html"
    done = command(*SMALL, "--plot", report, **bare)
    assert (done.returncode, done.stdout) == (2, "")
    assert "plotly" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not report.exists()


def test_the_plot_is_a_page_of_its_own(tmp_path: Path) -> None:
    """The report is one HTML file that loads nothing from the network."""
    report = tmp_path / "r.html"
    done = command(*SMALL, "--methods", "lookup", "matmul", "--plot", report)
    assert (done.returncode, done.stderr) == (0, "")
    page = report.read_text("utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "<script src=" not in page
    assert 'rel="stylesheet" href=' not in page


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
        assert torn.results == run.results[: len(torn.results)]


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
