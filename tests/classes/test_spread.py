from embviz.classes.room import Rooms
from embviz.classes.spread import OTHER, RIGHT, UNREADABLE, WRITTEN
from tests.classes.a_class import CODE, AClass


def test_options_have_a_bar_each() -> None:
    """Where all choose among the same options, each has a bar, also one that nobody chose."""
    given = AClass(3)
    for member in (1, 2):
        given.answer(member, "bits", "no")
    given.answer(2, "bits", "yes, bit for bit")
    found = Rooms(given, given.clock).get(CODE).spread("bits")
    assert (found.answered, found.members) == (2, 3)
    bars = {bar.label: bar for bar in found.bars}
    assert {label: bar.count for label, bar in bars.items()} == {
        "yes, bit for bit": 1,
        "almost: they differ after 6 digits": 0,
        "no": 1,
    }
    assert {bar.neutral for bar in found.bars} == {*bars}
    assert (bars["yes, bit for bit"].right, bars["no"].right) == (1, 0)
    assert "product that you made by hand" in bars["no"].mistake


def test_own_numbers_have_a_bar_for_each_meaning() -> None:
    """Where students have different numbers, answers are counted by what they mean."""
    given = AClass(5)
    given.answer(1, "ids", given.right(1, "ids"))
    given.answer(2, "ids", given.right(2, "ids"))
    ids = given.values(3).ids
    given.answer(3, "ids", " ".join(str(int(one) + 1) for one in ids))
    given.answer(4, "ids", "9 9 9 9 9")
    given.answer(5, "ids", "from another version")
    room = Rooms(given, given.clock).get(CODE)
    found = room.spread("ids")
    counts = {bar.label: bar.count for bar in found.bars if bar.count}
    (mistake,) = (label for label in counts if "counted from 1" in label)
    assert counts == {RIGHT: 2, mistake: 1, OTHER: 1, UNREADABLE: 1}
    assert sum(counts.values()) == found.answered == 5
    # Without counts the bars have the same places, and their neutral labels tell nothing.
    empty = Rooms(AClass(5), given.clock).get(CODE).spread("ids")
    assert [bar.label for bar in empty.bars] == [bar.label for bar in found.bars[:-1]]
    assert {bar.neutral for bar in empty.bars} == {
        "Answer A",
        "Answer B",
        "Answer C",
        "Answer D",
        OTHER,
    }
    places = {
        [bar.label for bar in room.spread(step.name).bars].index(RIGHT)
        for step in given.lab.steps
        if step.graded and step.name != "bits"
    }
    assert len(places) > 1  # the right answer is not always at the same place
    # The shapes to choose from depend on the student.
    assert RIGHT in {bar.label for bar in room.spread("shape").bars}


def test_free_text_is_only_counted() -> None:
    """A text has one bar: how many wrote one."""
    given = AClass(3)
    given.answer(2, "why", "")
    found = Rooms(given, given.clock).get(CODE).spread("why")
    assert [(bar.label, bar.count, bar.right) for bar in found.bars] == [(WRITTEN, 1, 0)]
