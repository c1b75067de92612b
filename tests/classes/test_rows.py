"""The CSV file of a class."""

import csv
import io

from embviz.classes.room import Rooms
from tests.classes.a_class import CODE, AClass


def test_each_member_has_a_row_for_each_step() -> None:
    """A row has the result of the last answer, the tries, the minutes and the mistake."""
    given = AClass(2)
    given.answer(1, "ids", "9 9 9 9 9", seconds=30)
    given.answer(1, "ids", given.right(1, "ids"), seconds=90)
    given.answer(2, "shape", "(1, 3, 5)", seconds=60)
    text = Rooms(given, given.clock).get(CODE).csv_file().decode("utf-8-sig")
    found = list(csv.DictReader(io.StringIO(text)))
    assert len(found) == 2 * len(given.lab.steps)
    rows = {(row["student"], row["step"]): row for row in found}
    assert rows["member 1", "ids"] == {
        "student": "member 1",
        "lab": "row",
        "step": "ids",
        "result": "right",
        "tries": "2",
        "minutes": "1.5",
        "answer": given.right(1, "ids"),
        "mistake": "",
    }
    assert "transposed" in rows["member 2", "shape"]["mistake"]
    assert [*rows["member 2", "ids"].values()][3:] == ["not answered yet", "0", "", "", ""]
