"""`python -m embviz grade` and `worksheet`: what a teacher types, in this process."""

import csv
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from embviz.__main__ import main
from embviz.labs.answers import Text, written
from embviz.labs.evidence import evidence, to_bytes
from embviz.labs.exercises import LABS, lab
from embviz.labs.grade import COLUMNS
from embviz.labs.progress import Progress
from embviz.labs.student import Student


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command: exit code, stdout, stderr."""
    try:
        code = main(list(arguments))
    except SystemExit as stopped:
        code = int(str(stopped.code))
    return code, *capsys.readouterr()


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence that a refusal is."""
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def hand_in(folder: Path, name: str, code: str = "row", wrong: str = "") -> Path:
    """A student's file: everything right but the step `wrong`."""
    one, student = lab(code), Student(name)
    values, progress = one.values(student), Progress(code, student.name)
    for minute, step in enumerate(one.steps):
        typed = "9 9" if step.name == wrong else "=1+1, a row"
        if not isinstance(step.answer, Text) and step.name != wrong:
            assert step.solve is not None
            typed = written(step.solve(values))
        progress = progress.add(step.name, typed, 60 * minute)
    path = folder / f"{name}.json"
    path.write_bytes(to_bytes(evidence(one, student, progress, {"torch": "2"})))
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """What a class hands in: right, wrong, edited, torn, another's, and not there at all."""
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
    """A teacher would not see who has what right, or not learn of a bad file."""
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
    """A script of the school could not read it."""
    code, out, err = call(capsys, "grade", "--json", *files.values())
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert {row["who"] for row in found["rows"]} == {"Ada", "Bob"}
    assert {row["verdict"] for row in found["rows"]} == {"right", "wrong", "for reading"}
    reasons = {one["file"]: one["reason"] for one in found["refused"]}
    assert reasons == {
        files["edited"]: "edited",
        files["torn"]: "torn",
        files["missing"]: "cannot be opened",
    }
    assert [set(one["files"]) for one in found["alike"]] == [{files["good"], files["copy"]}]


def test_grade_writes_a_sheet(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The marks would have to be typed again, or a spreadsheet run what a student wrote."""
    sheet = tmp_path / "class.csv"
    code, out, err = call(capsys, "grade", "--csv", str(sheet), *files.values())
    assert (code, err) == (0, "")
    assert out.startswith("file")
    content = sheet.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")  # so that Excel takes it for UTF-8
    assert b"\r\r\n" not in content
    head, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert head == list(COLUMNS)
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert {row[2] for row in rows if row[3] == "why"} == {"row"}
    assert {row[7] for row in rows if row[3] == "why"} == {"'=1+1, a row"}


def test_all_right_is_all_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody who has all right would not get it all."""
    for code in ("row", "bag", "learns"):
        path = hand_in(tmp_path, "Grace", code)
        _, out, _ = call(capsys, "grade", "--json", str(path))
        verdicts = [row["verdict"] for row in json.loads(out)["rows"]]
        assert verdicts == ["right"] * (len(lab(code).steps) - 1) + ["for reading"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grade"], "the following arguments are required: FILE"),
        (["grade", "x.json", "--csv", "{folder}/no/such/x.csv"], "cannot write"),
        (["grade", "x.json", "--csv", "{folder}"], "cannot write"),
        (["grade", "--colour", "x.json"], "unrecognized arguments: --colour"),
        (["worksheet", "row", "--out", "x.html"], "required: --students"),
        (["worksheet", "row", "--students", "{folder}/names.txt"], "required: --out"),
        (["worksheet", "--students", "{folder}/names.txt", "--out", "x.html"], "required: lab"),
        (
            ["worksheet", "rows", "--students", "{folder}/names.txt", "--out", "{folder}/x.html"],
            "'rows' is not one of the labs: row, bag, learns, cost.",
        ),
        (
            ["worksheet", "row", "--students", "{folder}/none.txt", "--out", "{folder}/x.html"],
            "cannot be read: No such file",
        ),
        (
            ["worksheet", "row", "--students", "{folder}/empty.txt", "--out", "{folder}/x.html"],
            "0 students; a worksheet is for 1 to 100 at a time.",
        ),
        (
            ["worksheet", "row", "--students", "{folder}/many.txt", "--out", "{folder}/x.html"],
            "101 students; a worksheet is for 1 to 100 at a time.",
        ),
        (
            ["worksheet", "row", "--students", "{folder}/odd.txt", "--out", "{folder}/x.html"],
            "'!!' is not a name",
        ),
        (
            ["worksheet", "row", "--students", "{folder}/names.txt", "--out", "{folder}/no/x"],
            "cannot write",
        ),
        (
            ["worksheet", "row", "--students", "{folder}/names.txt", "--out", "{folder}"],
            "cannot write",
        ),
    ],
    ids=str,
)
def test_refusals(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slip would end in a traceback, in pages of usage, or without a word."""
    lists = {"names": "Ada\n", "empty": "\n \n", "odd": "Ada\n!!\n", "many": "Ada\n" * 101}
    for name, content in lists.items():
        (tmp_path / f"{name}.txt").write_text(content, "utf-8")
    assert words in refused(capsys, *(one.format(folder=tmp_path) for one in arguments))
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("answers", [False, True])
def test_a_class_gets_its_sheets(
    answers: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody would get no sheet, or the solutions with it."""
    names, page = tmp_path / "names.txt", tmp_path / "sheets.html"
    names.write_text("Ada\n\n  李雷 \nO'Neil & Co <b>\n", "utf-8")
    for one in LABS:
        more = ["--answers"] if answers else []
        code, out, err = call(
            capsys, "worksheet", one.code, "--students", str(names), "--out", str(page), *more
        )
        assert (code, out, err) == (0, "", f"3 sheets in {page}\n")
        sheets = page.read_text("utf-8")
        assert sheets.count('<section class="student">') == 3
        assert [name in sheets for name in ("Ada", "李雷", "O&#x27;Neil &amp; Co &lt;b&gt;")] == [
            True
        ] * 3
        assert ("<strong>Answer:</strong>" in sheets) == answers


def test_a_class_list_from_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cut -d, -f1 class.csv | python -m embviz worksheet row --students -` would not work."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"Ada\nBob\n")))
    page = tmp_path / "sheets.html"
    code, _, err = call(capsys, "worksheet", "bag", "--students", "-", "--out", str(page))
    assert (code, err) == (0, f"2 sheets in {page}\n")
    assert page.read_text("utf-8").count('<section class="student">') == 2
