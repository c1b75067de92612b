import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from embviz.commands import build_parser
from embviz.timing.findings import sentences
from embviz.timing.runs import read_run
from tests.commands import call, refusal
from tests.timing.test_comparing import SLOWER, run_of, slowed


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two runs of identical code, and one with a slower case."""
    runs = run_of(1, 5), run_of(2, 5), slowed(run_of(2, 5), 2.0, SLOWER)
    paths = [tmp_path / f"{name}.jsonl" for name in ("before", "after", "slower")]
    for path, run in zip(paths, runs, strict=True):
        path.write_bytes(run.to_bytes())
    return paths


@pytest.mark.parametrize("kind", ["compare", "show", "merge"])
def test_every_option_is_explained(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` of each kind explains each of its options."""
    with pytest.raises(SystemExit):
        build_parser(["runs"]).parse_args(["runs", kind, "--help"])
    # An option without help stands alone on its line, and no indented line follows.
    shown = capsys.readouterr().out
    assert re.findall(r"^  (\S+(?: \S+)?)$(?!\n {8})", shown, re.MULTILINE) == []


def test_compare_prints_a_table_and_what_was_found(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Identical code gives exit code 0, a row for each case and one sentence on all."""
    code, out, err = call(capsys, "runs", "compare", files[0], files[1])
    assert (code, err) == (0, "")
    assert out.count("not told apart\n") == 9
    assert "Compared with before.jsonl, none of 9 cases is told apart." in out


def test_a_regression_is_exit_code_1(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """A slower case gives exit code 1, unless it is within the threshold."""
    code, out, err = call(capsys, "runs", "compare", files[0], files[2], "--json")
    found: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, found["regressed"]) == (1, "", True)
    (slower,) = [one for one in found["changes"] if one["verdict"] == "slower"]
    assert slower["case"] == SLOWER.to_dict()
    for share in ("300%", "3"):
        given = ["--threshold", share]
        assert call(capsys, "runs", "compare", files[0], files[2], *given)[0] == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["compare", "{}/gone.jsonl", "{}/bad.jsonl"], "cannot read"),
        (["compare", "{}/bad.jsonl", "{}/bad.jsonl"], "bad.jsonl, line 1:"),
        (["compare", "{}/before.jsonl", "{}/after.jsonl", "--threshold", "x"], "--threshold 'x'"),
        (["compare", "{}/before.jsonl", "{}/after.jsonl", "--threshold", "-5%"], "--threshold"),
        (["show", "{}"], "cannot read"),
        (["show", "{}/before.jsonl", "--plot", "x", "--csv"], "not allowed with"),
        (["merge", "{}/gone"], "there is no folder"),
        (["merge", "{}/empty"], "no .jsonl file in"),
        (["nonsense"], "nonsense"),
    ],
)
def test_bad_input_is_one_sentence(
    given: list[str],
    words: str,
    tmp_path: Path,
    files: list[Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file that is none, a threshold that is none and a folder without runs are refused."""
    (tmp_path / "bad.jsonl").write_text("nonsense\n", "utf-8")
    (tmp_path / "empty").mkdir()
    assert words in refusal(capsys, "runs", *(one.format(tmp_path) for one in given))


def test_show_prints_the_table_and_the_findings(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A row for each result, then the findings."""
    code, out, err = call(capsys, "runs", "show", files[0])
    assert (code, err) == (0, "")
    assert "index_select       256" in out
    assert sentences(read_run(files[0].read_bytes(), "r"))[0] in out.split("\n\n")[1]


def test_show_as_csv_is_the_csv_alone(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--csv` prints one row for each result and no sentence."""
    code, out, err = call(capsys, "runs", "show", files[0], "--csv")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == len(read_run(files[0].read_bytes(), "r").results)


def test_merge_names_each_machine_and_each_bad_file(
    tmp_path: Path, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The runs of one machine are one row; a file that is none is named, and the others go on."""
    (tmp_path / "bad.jsonl").write_text("nonsense\n", "utf-8")
    out_file = tmp_path / "all.html"
    code, out, err = call(capsys, "runs", "merge", tmp_path, "--plot", out_file)
    assert code == 0
    head, row, *_ = out.splitlines()
    assert head.split()[:3] == ["machine", "lookup", "matmul"]
    assert row.startswith("Some  ")
    assert "Some: Matmul" in out
    assert "bad.jsonl, line 1" in err
    assert "</html>" in out_file.read_text("utf-8")
