from embviz.classes.room import Rooms
from embviz.classes.spread import OTHER, RIGHT
from embviz.labs.exercises import LABS
from tests.classes.a_class import CODE, AClass

LAB_CODES = [one.code for one in LABS]


def test_options_have_a_bar_each() -> None:
    """Where all choose among the same options, each has a bar, also one that nobody chose."""
    given = AClass(3)
    for member in (1, 2):
        given.answer(member, "bits", "no")
    given.answer(2, "bits", "yes, bit for bit")
    found = Rooms(given, given.clock).get(CODE).spread("bits")
    assert found.answered == 2
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
    room = Rooms(given, given.clock).get(CODE)
    found = room.spread("ids")
    counts = {bar.label: bar.count for bar in found.bars if bar.count}
    (right,) = (bar for bar in found.bars if bar.is_right)
    (mistake,) = (bar.label for bar in found.bars if "counted from 1" in bar.mistake)
    assert counts == {right.label: 2, mistake: 1, OTHER: 1}
    assert right.label == f"{right.neutral}: {RIGHT}"
    assert sum(counts.values()) == found.answered == 4
    # Without counts the bars have the same places, and their neutral labels tell nothing.
    empty = Rooms(AClass(5), given.clock).get(CODE).spread("ids")
    assert [bar.label for bar in empty.bars] == [bar.label for bar in found.bars]
    assert {bar.neutral for bar in empty.bars} == {
        "Answer A",
        "Answer B",
        "Answer C",
        "Answer D",
        OTHER,
    }
    places = {
        [bar.is_right for bar in room.spread(step.name).bars].index(True)
        for step in given.lab.steps
        if step.name != "bits"
    }
    assert len(places) > 1  # the right answer is not always at the same place
    # The shapes to choose from depend on the student; each of them has a bar.
    shapes = room.spread("shape").bars
    assert RIGHT in shapes[[bar.is_right for bar in shapes].index(True)].label
    assert OTHER not in {bar.label for bar in shapes}


def test_the_right_option_is_known_without_an_answer() -> None:
    """A teacher who reveals sees it, also where nobody chose it."""
    for code in LAB_CODES:
        given = AClass(1, code)
        room = Rooms(given, given.clock).get(CODE)
        for step in given.lab.steps:
            right = [bar for bar in room.spread(step.name).bars if bar.is_right]
            if step.solve is not None:
                assert len(right) == 1, (code, step.name)
                if right[0].label == right[0].neutral:
                    assert right[0].label == given.right(1, step.name)


def test_a_revealed_spread_stays() -> None:
    """Answers after the reveal change the table, not the bars that the class talks about."""
    given = AClass(2)
    given.answer(1, "bits", "no")
    given.press(revealed={"bits": 3})  # two members came, and one has answered
    given.answer(1, "bits", "yes, bit for bit")
    given.answer(2, "bits", "yes, bit for bit")
    room = Rooms(given, given.clock).get(CODE)
    for _ in range(2):  # the second one is kept
        found = room.spread("bits")
        assert {bar.label: bar.count for bar in found.bars if bar.count} == {"no": 1}
        assert found.answered == 1
    given.press(revealed={})
    given.now += 1
    room.refresh()
    assert room.spread("bits").answered == 2
