import csv
import io
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from embviz.timing.run import read_run
from embviz.timing.sentences import format_time
from tests.commands import call, refusal
from tests.timing.made import grows, made_run, vocab

CASES = vocab("lookup", "matmul", rows=[64, 1024])


@cache
def contents() -> dict[str, bytes]:
    """A run, one of identical code, one with a slower case, and one of another machine."""
    runs = {
        "before": made_run(CASES, seed=1, processes=3),
        "after": made_run(CASES, seed=2, processes=3),
        "slower": made_run(
            CASES, lambda case: grows(case) * (1 + 2 * (case == CASES[0])), 3, processes=3
        ),
        "other": made_run(CASES[:2], seed=4, cpu="Other CPU"),
    }
    return {name: run.to_bytes() for name, run in runs.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of `contents`, and one that is no run."""
    for name, content in {**contents(), "bad": b"nonsense\n"}.items():
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    return tmp_path


def test_show(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a run says and a row for each case; `--json` has whole cases, `--csv` a row for each."""
    file = folder / "before.jsonl"
    code, out, err = call(capsys, "runs", "show", file, "--plot", folder / "r.html")
    points = read_run(contents()["before"], "r").points
    assert (code, err, "At 1,024 rows a lookup takes" in out) == (0, "", True)
    rows = [line.split() for line in out.split("\n\n")[1].splitlines()[1:]]
    shown = [format_time(one).split() for one in points["seconds"]]
    assert [(*row[:2], *row[-2:]) for row in rows] == [
        (case.method, str(case.num_embeddings), *time)
        for case, time in zip(CASES, shown, strict=True)
    ]
    assert "Some CPU" in (folder / "r.html").read_text("utf-8")
    code, out, err = call(capsys, "runs", "show", file, "--json")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, found["environment"]["cpu"]) == (0, "", "Some CPU")
    assert found["verdicts"][0]["b"] == asdict(CASES[0])
    table = [*csv.DictReader(io.StringIO(call(capsys, "runs", "show", "--csv", file)[1]))]
    assert [float(row["seconds"]) for row in table] == pytest.approx([*points["seconds"]])


def test_merge(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The times of all machines beside each other; a file that is none is named."""
    for name in ("after", "slower"):
        (folder / f"{name}.jsonl").unlink()
    code, out, err = call(capsys, "runs", "merge", folder)
    assert (code, err.count("\n"), "bad.jsonl, line 1" in err) == (0, 1, True)
    rows = [line.split() for line in out.split("\n\n")[-1].splitlines()[1:]]
    assert [row[:3] for row in rows] == [
        [case.method, str(case.num_embeddings), cpu]
        for case in CASES
        for cpu in ("Some,", "Other,")
        if cpu == "Some," or case in CASES[:2]
    ]
    assert call(capsys, "runs", "merge", folder, "--json")[1].count("\n") == 2


def test_compare(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Identical code is exit code 0, a slower case 1, unless it is within the threshold."""
    before, after, slower, other = (folder / f"{name}.jsonl" for name in contents())
    code, out, err = call(capsys, "runs", "compare", before, after)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[1:5]] == [case.method for case in CASES]
    code, out, err = call(capsys, "runs", "compare", before, slower, "--json")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, found["regressed"]) == (1, "", True)
    assert found["cases"][0].items() >= {**asdict(CASES[0]), "verdict": "slower"}.items()
    assert call(capsys, "runs", "compare", before, slower, "--threshold", 300)[0] == 0
    assert call(capsys, "runs", "compare", before, other)[0] == 0  # of one process


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ("compare {}/gone.jsonl {}/bad.jsonl", "gone.jsonl"),
        ("compare {}/before.jsonl {}/bad.jsonl", "bad.jsonl, line 1:"),
        ("compare {}/before.jsonl {}/after.jsonl --threshold=5%", "'5%'"),
        ("compare {}/before.jsonl {}/after.jsonl --threshold=-5", "-5"),
        ("show {}/empty", "cannot read"),
        ("show {}/bad.jsonl", "bad.jsonl, line 1:"),
        ("show {}/before.jsonl --plot {}", "cannot write"),
        ("nonsense", "nonsense"),
    ],
)
def test_bad_input_is_one_sentence(
    given: str, part: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is none, a share that is none and a folder without runs are refused."""
    (folder / "empty").mkdir()
    assert part in refusal(capsys, "runs", *given.replace("{}", str(folder)).split())
