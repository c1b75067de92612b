import csv
import io
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from embviz.timing.measure.run import read_run
from embviz.timing.tell.times import format_time
from tests.commands import call, refusal
from tests.timing.made import grows, made_run, vocab

CASES = vocab(rows=[64, 1024])
EVIL = "<script>alert(1)</script>"
Capture = pytest.CaptureFixture[str]


@cache
def contents() -> dict[str, bytes]:
    """A run, one of identical code, one with a slower case, one of another machine, and none."""
    runs = {
        "before": made_run(CASES, seed=1, processes=5),
        "after": made_run(CASES, seed=2, processes=5),
        "slower": made_run(
            CASES, lambda case: grows(case) * (1 + 2 * (case == CASES[0])), 3, processes=5
        ),
        "other": made_run(CASES[:2], seed=4, cpu=f"Other {EVIL}"),
    }
    return {name: run.to_bytes() for name, run in runs.items()} | {"bad": b"nonsense\n"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of `contents`."""
    for name, content in contents().items():
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_show(folder: Path, capsys: Capture) -> None:
    """What runs say and a row for each case and machine; the same as JSON, CSV and chart."""
    points = read_run(contents()["before"], "r").points
    files = "before.jsonl", "other.jsonl"
    code, out, err = call(capsys, "runs", "show", *files, "--plot", "r.html")
    assert (code, err) == (0, "")
    assert "At 1,024 rows a lookup takes" in out
    rows = [line.split() for line in out.split("\n\n")[-1].splitlines()[1:]]
    times = [format_time(seconds).split() for seconds in points["seconds"]]
    assert [row[2] for row in rows] == ["Some,", "Other", "Some,", "Other", "Some,", "Some,"]
    assert [row[-2:] for row in rows if row[2] == "Some,"] == times
    page = (folder / "r.html").read_text("utf-8")
    assert "Some," in page
    assert EVIL not in page
    assert "<script src" not in page
    code, out, err = call(capsys, "runs", "merge", *files, "--json")
    found = [json.loads(line, parse_constant=pytest.fail) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert len(found) == 2
    assert found[0]["verdicts"][0]["b"] == asdict(CASES[0])
    table = [*csv.DictReader(io.StringIO(call(capsys, "runs", "show", "--csv", files[0])[1]))]
    assert [float(row["seconds"]) for row in table] == pytest.approx([*points["seconds"]])


def test_compare(folder: Path, capsys: Capture) -> None:
    """Identical code is exit code 0, a slower case 1, unless it is within the threshold."""
    code, out, err = call(capsys, "runs", "compare", "before.jsonl", "after.jsonl")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[1:5]] == [case.method for case in CASES]
    code, out, err = call(capsys, "runs", "compare", "before.jsonl", "slower.jsonl", "--json")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (code, err) == (1, "")
    assert found["regressed"]
    assert found["cases"][0].items() >= {**asdict(CASES[0]), "verdict": "slower"}.items()
    more = ["slower.jsonl", "--threshold", "300"]
    assert call(capsys, "runs", "compare", "before.jsonl", *more)[0] == 0
    assert (
        call(capsys, "runs", "compare", "before.jsonl", "after.jsonl", "--threshold", "0")[0] == 0
    )


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ("compare before.jsonl bad.jsonl", "bad.jsonl, line 1:"),
        ("compare before.jsonl after.jsonl --threshold=5%", "'5%'"),
        ("compare before.jsonl after.jsonl --threshold=-1", "-1"),
        ("compare before.jsonl nothing.jsonl", "no case in common"),
        ("compare before.jsonl", "required: PATH"),
        ("show .", "cannot read"),
        ("show before.jsonl --plot .", "cannot write"),
        ("show nothing.jsonl --plot r.html", "to draw"),
    ],
)
def test_bad_input_is_one_sentence(given: str, part: str, folder: Path, capsys: Capture) -> None:
    """A file that is none, a share that is none and a run without times are refused."""
    first = {"type": "environment", "cases": [asdict(one) for one in CASES]}
    (folder / "nothing.jsonl").write_text(json.dumps(first) + "\n")
    assert part in refusal(capsys, "runs", *given.split())
