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
def files(tmp_path: Path) -> list[Path]:
    """The files of `contents`, in its order."""
    paths = [tmp_path / f"{name}.jsonl" for name in contents()]
    for path, content in zip(paths, contents().values(), strict=True):
        path.write_bytes(content)
    return paths


def test_show(files: list[Path], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The answer, a row for each case with its ratio, the other sentences, and a report."""
    code, out, err = call(capsys, "runs", "show", files[0], "--plot", tmp_path / "r.html")
    assert (code, err) == (0, "")
    answer, table, _ = out.split("\n\n")
    assert "1,024 rows" in answer
    head, *rows = [line.split() for line in table.splitlines()]
    assert head == ["method", "num_embeddings", "seconds", "ratio", "verdict"]
    points = read_run(files[0].read_bytes(), "r").points
    shown = [format_time(one).split() for one in points["seconds"]]
    assert [row[:4] for row in rows] == [
        [case.method, str(case.num_embeddings), *time]
        for case, time in zip(CASES, shown, strict=True)
    ]
    assert [float(row[4]) > 1 for row in rows[1::2]] == [False, True]
    assert [len(row) for row in rows[::2]] == [4, 4]
    assert [row[-2:] for row in rows[1::2]] == [["told", "apart"]] * 2
    assert "Some CPU" in (tmp_path / "r.html").read_text("utf-8")


def test_show_for_machines(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` has verdicts with whole cases; `--csv` one row for each case."""
    code, out, err = call(capsys, "runs", "show", files[0], "--json")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, found["environment"]["cpu"]) == (0, "", "Some CPU")
    assert found["verdicts"][0]["b"] == asdict(CASES[0])
    rows = [*csv.DictReader(io.StringIO(call(capsys, "runs", "show", "--csv", files[0])[1]))]
    points = read_run(files[0].read_bytes(), "r").points
    assert [float(row["seconds"]) for row in rows] == pytest.approx([*points["seconds"]])


def test_merge(files: list[Path], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The times of all machines beside each other; a file that is none is named."""
    (tmp_path / "bad.jsonl").write_text("nonsense\n", "utf-8")
    files[1].unlink()
    files[2].unlink()
    code, out, err = call(capsys, "runs", "merge", tmp_path, "--plot", tmp_path / "all.html")
    assert (code, "bad.jsonl, line 1" in err) == (0, True)
    answers, table = out.split("\n\n")
    assert [line.split(",")[0] for line in answers.splitlines()] == ["Some", "Other"]
    rows = [line.split() for line in table.splitlines()[1:]]
    assert [row[:3] for row in rows] == [
        [case.method, str(case.num_embeddings), cpu]
        for case in CASES
        for cpu in ("Some,", "Other,")
        if cpu == "Some," or case in CASES[:2]
    ]
    assert all("µs" in row for row in rows)
    assert "Other CPU" in (tmp_path / "all.html").read_text("utf-8")
    assert call(capsys, "runs", "merge", tmp_path, "--csv")[1].count("\n") == 1 + 4 + 2


def test_compare(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Identical code is exit code 0, a slower case 1, unless it is within the threshold."""
    code, out, err = call(capsys, "runs", "compare", *files[:2])
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[1:5]] == [case.method for case in CASES]
    code, out, err = call(capsys, "runs", "compare", files[0], files[2], "--json")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, found["regressed"]) == (1, "", True)
    slower, *_ = found["cases"]
    assert slower.items() >= {**asdict(CASES[0]), "verdict": "slower"}.items()
    given = ["--threshold", "300%"]
    assert call(capsys, "runs", "compare", files[0], files[2], *given)[0] == 0
    code, out, _ = call(capsys, "runs", "compare", files[0], files[3], "--json")  # of one process
    cases = json.loads(out, parse_constant=pytest.fail)["cases"]
    assert (code, {one["verdict"] for one in cases}) == (0, {"not judged"})


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (["compare", "{}/gone.jsonl", "{}/bad.jsonl"], "gone.jsonl"),
        (["compare", "{}/bad.jsonl", "{}/bad.jsonl"], "bad.jsonl, line 1:"),
        *(
            (["compare", "{}/before.jsonl", "{}/after.jsonl", f"--threshold={share}"], share)
            for share in ("x", "-5%", "10", "nan%", "5%%")
        ),
        (["show", "{}"], "cannot read"),
        (["show", "{}/before.jsonl", "--plot", "{}"], "cannot write"),
        (["merge", "{}/gone"], "gone"),
        (["merge", "{}/empty"], "empty"),
        (["nonsense"], "nonsense"),
    ],
)
def test_bad_input_is_one_sentence(
    given: list[str],
    part: str,
    tmp_path: Path,
    files: list[Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file that is none, a share that is none and a folder without runs are refused."""
    (tmp_path / "bad.jsonl").write_text("nonsense\n", "utf-8")
    (tmp_path / "empty").mkdir()
    assert part in refusal(capsys, "runs", *(one.replace("{}", str(tmp_path)) for one in given))
