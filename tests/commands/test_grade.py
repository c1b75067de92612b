import csv
import io
from pathlib import Path

import pytest

from embviz.labs.answer_file import contents, to_bytes
from embviz.labs.answers import Text, written
from embviz.labs.exercises import lab
from embviz.labs.grade import COLUMNS
from embviz.labs.progress import Progress
from embviz.labs.student import Student
from tests.commands import as_json, call, refusal


def hand_in(folder: Path, name: str, code: str = "row", wrong: str = "") -> Path:
    """A student's file: every answer is right, except in the step `wrong`."""
    one, student = lab(code), Student(name)
    values, progress = one.values(student), Progress(code, student.name)
    for minute, step in enumerate(one.steps):
        typed = "9 9" if step.name == wrong else "=1+1, a row"
        if not isinstance(step.answer, Text) and step.name != wrong:
            assert step.solve is not None
            typed = written(step.solution(values))
        progress = progress.add(step.name, typed, 60 * minute)
    path = folder / f"{name}.json"
    path.write_bytes(to_bytes(contents(one, student, progress, {"torch": "2"})))
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Files of a class: right, wrong, edited, torn, copied and missing."""
    good, wrong = hand_in(tmp_path, "Ada"), hand_in(tmp_path, "Bob", wrong="ids")
    edited = tmp_path / "edited.json"
    edited.write_text(wrong.read_text(encoding="utf-8").replace('"9 9"', '"1 2"'), "utf-8")
    torn = tmp_path / "torn.json"
    torn.write_bytes(good.read_bytes()[:300])
    copy = tmp_path / "copy.json"
    copy.write_bytes(good.read_bytes())
    return {
        "good": str(good),
        "wrong": str(wrong),
        "edited": str(edited),
        "torn": str(torn),
        "copy": str(copy),
        "missing": str(tmp_path / "missing.json"),
    }


def test_grade_prints_a_table(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a row for each step, each refused file and each pair of copies."""
    code, out, err = call(capsys, "grade", *files.values())
    assert (code, err) == (0, "")
    head, *lines = out.splitlines()
    assert head.split() == list(COLUMNS)
    steps = len(lab("row").steps)
    assert sum("  Ada  " in line for line in lines) == 2 * steps
    assert sum(" right " in line for line in lines) == 2 * (steps - 1) + steps - 2
    (ids,) = (line for line in lines if "  Bob  " in line and "  ids  " in line)
    assert " wrong " in ids
    for reason in ("refused: edited", "refused: torn", "refused: cannot be opened"):
        assert sum(reason in line for line in lines) == 1
    assert sum("alike" in line and "the same bytes" in line for line in lines) == 1


def test_grade_as_json(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON names rows, refused files with their reason, and copies."""
    found = as_json(capsys, "grade", *files.values())
    assert {row["who"] for row in found["rows"]} == {"Ada", "Bob"}
    assert {row["verdict"] for row in found["rows"]} == {"right", "wrong", "for reading"}
    reasons = {one["file"]: one["reason"] for one in found["refused"]}
    assert reasons == {
        files["edited"]: "edited",
        files["torn"]: "torn",
        files["missing"]: "cannot be opened",
    }
    assert [set(one["files"]) for one in found["alike"]] == [{files["good"], files["copy"]}]


def test_grade_writes_a_csv_file(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The CSV file has all rows, opens in Excel, and starts no formula."""
    table = tmp_path / "class.csv"
    code, out, err = call(capsys, "grade", "--csv", str(table), *files.values())
    assert (code, err) == (0, "")
    assert out.startswith("file")
    content = table.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")  # Excel needs the byte order mark to read UTF-8
    assert b"\r\r\n" not in content
    head, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert head == list(COLUMNS)
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert {row[2] for row in rows if row[3] == "why"} == {"row"}
    assert {row[7] for row in rows if row[3] == "why"} == {"'=1+1, a row"}


def test_right_answers_are_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file with right answers only is graded right in every computed step."""
    for code in ("row", "bag", "learns"):
        path = hand_in(tmp_path, "Grace", code)
        verdicts = [row["verdict"] for row in as_json(capsys, "grade", path)["rows"]]
        assert verdicts == ["right"] * (len(lab(code).steps) - 1) + ["for reading"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: FILE"),
        (["x.json", "--csv", "{folder}/no/such/x.csv"], "cannot write"),
        (["x.json", "--csv", "{folder}"], "cannot write"),
        (["--colour", "x.json"], "unrecognized arguments: --colour"),
    ],
    ids=str,
)
def test_refusals(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input gives exit code 2 and one sentence."""
    given = [one.format(folder=tmp_path) for one in arguments]
    assert words in refusal(capsys, "grade", *given)
