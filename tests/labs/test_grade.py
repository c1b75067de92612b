import csv
import io
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from embviz.labs.answer_file import contents, digest, to_bytes
from embviz.labs.answers import Text, written
from embviz.labs.exercises import LABS, lab
from embviz.labs.grade import COLUMNS, Report, grade, to_csv, to_table
from embviz.labs.progress import Progress
from embviz.labs.record import Lab
from embviz.labs.student import Student

MEASURED = {"sweep": "2 100 50", "compare": "50 327.68", "crossing": "4"}


def right(one: Lab[Any], name: str, text: str = "Because.", delay: int = 0) -> Progress:
    """All steps answered right, one answer a minute."""
    student = Student(name)
    values, progress = one.values(student), Progress(one.code, student.name)
    for minute, step in enumerate(one.steps):
        solution = step.solution(values)
        if isinstance(step.answer, Text):
            typed = text
        else:
            typed = MEASURED[step.name] if solution is None else written(solution)
        progress = progress.add(step.name, typed, 60 * minute + delay)
    return progress


def save(folder: Path, name: str, progress: Progress) -> Path:
    """A student's file."""
    one, student = lab(progress.lab), Student(progress.student)
    path = folder / f"{name}.json"
    path.write_bytes(to_bytes(contents(one, student, progress, {"embviz": "0"})))
    return path


def verdicts(report: Report) -> dict[str, str]:
    """The verdicts of a single file, by step."""
    return {row.step: row.verdict for row in report.rows}


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
def test_right_answers_are_graded_right(one: Lab[Any], tmp_path: Path) -> None:
    """Right answers are `right`, measured ones `consistent`, essays `for reading`."""
    report = grade([save(tmp_path, "ada", right(one, "Ada"))])
    found = verdicts(report)
    assert list(found) == [step.name for step in one.steps]
    assert found.pop("why") == "for reading"
    assert {found.pop(step) for step in MEASURED if step in found} <= {"consistent"}
    assert set(found.values()) == {"right"}
    assert (report.refused, report.alike) == ((), ())
    row = report.rows[2]
    assert (row.who, row.lab, row.attempts, row.minutes) == ("Ada", one.code, 1, 2.0)


def test_mistakes_are_named_and_the_last_answer_counts(tmp_path: Path) -> None:
    """A row names the typical mistake; the last answer gives the verdict."""
    one = lab("row")
    values = one.values(Student("Bob"))
    ids = values.ids
    progress = Progress("row", "Bob").add("ids", written(tuple((ids + 1).tolist())), 10)
    progress = progress.add("zeros", "35 or so", 70).add("linear", "9 9", 80).add("shape", "x", 75)
    path = save(tmp_path, "bob", progress)
    report = grade([path])
    found = {row.step: row for row in report.rows}
    assert found["ids"].verdict == "wrong"
    assert "counted from 1" in found["ids"].note
    assert "cannot be read: '35 or so' is not a whole number" in found["zeros"].note
    assert found["why"].verdict == "not answered"
    assert found["why"].minutes is None
    better = progress.add("ids", written(tuple(ids.tolist())), 90)
    row = next(row for row in grade([save(tmp_path, "b2", better)]).rows if row.step == "ids")
    assert (row.verdict, row.attempts, row.minutes) == ("right", 2, 1.5)


def test_no_claim_of_a_file_is_trusted(tmp_path: Path) -> None:
    """A renamed copy with a valid digest is graded with the new name's values, and named."""
    ada = save(tmp_path, "ada", right(lab("row"), "Ada"))
    copied = json.loads(ada.read_bytes()) | {"student": "Bob"}
    copied["digest"] = digest(copied)
    bob = tmp_path / "bob.json"
    bob.write_text(json.dumps(copied), "utf-8")
    report = grade([ada, bob])
    wrong = [row.file for row in report.rows if row.verdict == "wrong"]
    assert str(ada) not in wrong
    assert wrong.count(str(bob)) >= 4
    assert [(one.files, one.how) for one in report.alike] == [
        ((str(ada), str(bob)), "the same answers at the same times")
    ]


def test_copies_are_named(tmp_path: Path) -> None:
    """Equal bytes, and different work under one name, are named."""
    one = lab("cost")
    first = save(tmp_path, "first", right(one, "Ada"))
    copy = tmp_path / "copy.json"
    copy.write_bytes(first.read_bytes())
    second = save(tmp_path, "second", right(one, "ADA", delay=5))
    other = save(tmp_path, "other", right(one, "Bob"))
    found = {one.how: one.files for one in grade([first, copy, second, other]).alike}
    assert found == {
        "the same bytes": (str(first), str(copy)),
        "different work in 'cost' under one name": (str(first), str(copy), str(second)),
    }
    assert grade([first, first]).alike[0].how == "the same bytes"


def test_a_hundred_files_of_every_kind_give_rows_or_reasons(tmp_path: Path) -> None:
    """100 good and bad files give rows or reasons in under 10 s of CPU time."""
    paths: list[Path] = []
    for number in range(70):
        one = LABS[number % len(LABS)]
        progress = right(one, f"student {number}", text=f"Text {number}")
        if number % 3 == 0:
            progress = progress.add(one.steps[1].name, "9 9 9 9 9 9 9 9", 999)
        paths.append(save(tmp_path, f"s{number:02}", progress))
    good = paths[1].read_bytes()
    for number in range(5):
        for name, content in {
            "edited": good.replace(b'"tries"', b'"tries" ').replace(b"60", b"61"),
            "torn": good[: 100 + number],
            "text": b"not JSON" * (number + 1),
            "deep": b"[" * (100_000 + number),
            "evil": b"__import__('os').system('touch " + str(tmp_path / "run").encode() + b"')",
        }.items():
            paths.append(tmp_path / f"{name}{number}.json")
            paths[-1].write_bytes(content)
    for number in range(3):
        paths.append(tmp_path / f"large{number}.json")
        with paths[-1].open("wb") as stream:
            stream.truncate(50_000_000 + number)
    paths += [tmp_path / "missing.json", tmp_path]
    assert len(paths) == 100
    start = time.process_time()
    report = grade(paths)
    assert time.process_time() - start < 10
    graded = {row.file for row in report.rows}
    reasons = {one.file: one.reason for one in report.refused}
    assert graded | reasons.keys() == set(map(str, paths))
    assert not graded & reasons.keys()
    assert len(graded) == 70
    count = {reason: list(reasons.values()).count(reason) for reason in reasons.values()}
    assert count == {
        "edited": 5,
        "torn": 5,
        "not JSON": 15,
        "too large": 3,
        "cannot be opened": 1,
        "not a file": 1,
    }
    assert not (tmp_path / "run").exists()
    # Five equal edits of one file, and five equal programs; nothing else is alike.
    assert [len(one.files) for one in report.alike] == [5, 5]
    lines = list(csv.reader(io.StringIO(to_csv(report))))
    assert tuple(lines[0]) == COLUMNS
    assert len(lines) == 1 + len(report.rows) + len(report.refused) + len(report.alike)
    assert all(len(line) == len(COLUMNS) for line in lines)


def test_no_cell_is_a_formula_for_a_spreadsheet(tmp_path: Path) -> None:
    """No cell of the CSV file starts a formula."""
    text = '=HYPERLINK("http://x","y")'
    progress = right(lab("row"), "=1+1", text=text).add("ids", "@SUM(A1)", 9999)
    progress = progress.add("zeros", "-2+3", 9999).add("lookup", "\t=1", 9999)
    report = grade([save(tmp_path, "formula", progress)])
    table = to_csv(report)
    cells = [cell for line in csv.reader(io.StringIO(table)) for cell in line]
    assert f"'{text}" in cells
    assert "'=1+1" in cells
    assert {"'@SUM(A1)", "'-2+3"} <= set(cells)
    assert not [cell for cell in cells if cell.lstrip().startswith(("=", "+", "-", "@"))]


def test_the_table_has_nothing_that_moves_a_terminal(tmp_path: Path) -> None:
    """The table has one line for each row and nothing unprintable."""
    text = "\x1b[2J\x07 first\nsecond\u202e " + "x" * 100
    report = grade([save(tmp_path, "esc", right(lab("row"), "Ada", text=text))])
    table = to_table(report)
    assert all(character.isprintable() or character == "\n" for character in table)
    assert len(table.splitlines()) == 1 + len(report.rows)
    assert max(map(len, table.splitlines())) < 400
    assert "\x1b" not in to_csv(report)


def test_times_that_run_backwards_and_lost_text_are_noted(tmp_path: Path) -> None:
    """A row notes times out of order and a text that was cut."""
    progress = Progress("row", "Ada", {"ids": (("1", 50), ("2", 10))}, {}, frozenset({"ids"}))
    row = next(row for row in grade([save(tmp_path, "a", progress)]).rows if row.step == "ids")
    assert "run backwards" in row.note
    assert "end of the text is lost" in row.note


def test_files_without_answers_are_not_copies(tmp_path: Path) -> None:
    """Files without answers are not reported as copies."""
    report = grade([save(tmp_path, name, Progress("row", name)) for name in ("Ada", "Bob")])
    assert report.alike == ()
    assert {row.verdict for row in report.rows} == {"not answered"}


@pytest.mark.skipif(os.name == "nt", reason="such names do not exist there")
def test_a_file_with_a_strange_name_is_graded(tmp_path: Path) -> None:
    """A file name that is not UTF-8 is reported like any other."""
    path = Path(os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff.json"))
    path.write_bytes(b"{}")
    report = grade([path])
    assert report.refused[0].reason == "wrong format"
    to_csv(report).encode()
    to_table(report).encode()
