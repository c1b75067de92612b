import csv
import io
import json
from dataclasses import asdict

from embviz.classes.room import Rooms
from embviz.classes.rows import NOT_KEPT, csv_file, json_file
from embviz.labs.grade import COLUMNS
from tests.classes.a_class import CODE, AClass


def test_rows_are_those_of_grade() -> None:
    """Each member has a row for each step, with the verdict, the attempts and the mistake."""
    given = AClass(2)
    given.answer(1, "ids", "9 9 9 9 9", seconds=30)
    given.answer(1, "ids", given.right(1, "ids"), seconds=90)
    given.answer(2, "shape", "(1, 3, 5)", seconds=60)
    given.answer(2, "why", "", seconds=120)
    found = Rooms(given, given.clock).get(CODE).rows()
    assert len(found) == 2 * len(given.lab.steps)
    rows = {(row.who, row.step): row for row in found}
    first = rows["member 1", "ids"]
    assert (first.file, first.lab, first.verdict) == (CODE, "row", "right")
    assert (first.attempts, first.minutes, first.answer) == (2, 1.5, given.right(1, "ids"))
    assert "transposed" in rows["member 2", "shape"].note
    text = rows["member 2", "why"]
    assert (text.verdict, text.answer, text.minutes) == ("for reading", NOT_KEPT, 2.0)
    assert rows["member 2", "ids"].verdict == "not answered"
    lines = list(csv.reader(io.StringIO(csv_file(found).decode("utf-8-sig"))))
    assert lines[0] == [*COLUMNS]
    assert len(lines) == 1 + len(found)
    assert json.loads(json_file(found)) == {
        "rows": [asdict(row) for row in found],
        "refused": [],
        "alike": [],
    }
