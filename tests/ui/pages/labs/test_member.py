"""A student in a class, in AppTest: what the page shows, and what the store then has."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from embviz.classes import here as classes
from embviz.classes.codes import guest_of
from embviz.classes.here import Here
from embviz.classes.record import Answer
from embviz.labs.progress import Progress, encode
from embviz.ui.pages.labs import member
from tests.labs.lab_student import Notes, right_answer
from tests.ui.headless import value
from tests.ui.pages.labs.test_work import Visitor, plain

TEACHER = "a teacher's secret"
TOKEN = "AAAAAAAAAAAA"


class Class:
    """A class of this server, with what its teacher does."""

    def __init__(self, here: Here) -> None:
        self.store = here.store
        self.code = self.store.start("row", TEACHER).code

    def open(self, **query: str) -> Visitor:
        """A student opens the link."""
        return Visitor(**{"class": self.code, **query})

    def teach(self, **changes: Any) -> None:
        """The teacher presses something."""
        self.store.change(self.code, TEACHER, **changes).result()

    def answers(self, visitor: Visitor) -> list[Answer]:
        """What the store has of all members, when nothing of this visitor waits."""
        box = visitor.app.session_state["_embviz"]["class"].outbox
        while box.waiting:
            self.store.join(self.code, box._token).result()  # comes after what waits
        return [one.answer for one in self.store.news(self.code).answers]


def line(visitor: Visitor) -> dict[str, Any]:
    """What the line of the class gets; empty where it is not drawn."""
    drawn = visitor.app.get("bidi_component")
    found = [one.proto.json for one in drawn if one.proto.component_name == "embviz_class_line"]
    return json.loads(found[0]) if found else {}


def address(visitor: Visitor) -> dict[str, str]:
    """The address as a reload has it."""
    names = ("class", "member", "student", "lab", "done", "step")
    kept = {name: value(visitor.app, name) for name in names}
    return {name: str(value) for name, value in kept.items()}


def said(visitor: Visitor) -> str:
    """All that the page says."""
    return plain("\n".join([*visitor.words, visitor.response]))


def test_a_link_joins_and_answers_arrive(here: Here) -> None:
    """A member works as a guest; the store gets answers in their canonical form."""
    room = Class(here)
    visitor = room.open(step="2")
    found = address(visitor)
    assert (found["lab"], found["step"]) == ("row", "2")
    assert found["student"] == guest_of(found["member"])
    (who,) = here.store.news(room.code).members
    assert line(visitor)["name"] == who.pseudonym
    assert visitor.prompt == Visitor(lab="row", student=who.guest, step="2").prompt
    right = right_answer("row ids", visitor.prompt, Notes())
    assert "Right" in visitor.answer(f"  {right.replace(' ', ', ')} ")
    assert [(one.step, one.nth, one.typed) for one in room.answers(visitor)] == [("ids", 1, right)]
    visitor.app.run()  # the run before may have ended before the store had written
    assert line(visitor)["waiting"] == 0


def test_a_reload_and_a_second_tab_are_the_same_member_and_nothing_counts_twice(here: Here) -> None:
    """A new session sends what the class does not have; two tabs are one member."""
    room = Class(here)
    first = room.open(step="2")
    first.answer("9 9")
    assert len(room.answers(first)) == 1
    again = room.open(**address(first) | {"class": room.code.upper()})
    first.app.run()  # an AppTest has only the body after an answer
    assert line(again)["name"] == line(first)["name"]
    assert again.field.value == "9 9"
    second = room.open(member=address(first)["member"], step="2")
    second.answer("8 8")
    second.answer("7 7")
    tries = [(one.nth, one.typed) for one in room.answers(second)]
    assert tries == [(1, "9 9"), (1, "8 8"), (2, "7 7")]
    # Work that was done before the link was opened, or while the server was away.
    other = "B" * 12
    done = Progress("row", guest_of(other)).add("ids", "1 2", 5).add("ids", "2  1", 9)
    later = room.open(member=other, done=encode(done), step="3")
    assert room.answers(later)[3:] == [Answer("ids", 2, "2 1", 9)]
    assert len(here.store.news(room.code).members) == 2


def test_a_forged_address_gives_no_other_numbers(here: Here) -> None:
    """A member's numbers follow from the token, whatever student the address names."""
    room = Class(here)
    visitor = room.open(member=TOKEN, student="Ada", lab="row")
    assert value(visitor.app, "student") == guest_of(TOKEN)
    forged = room.open(member="<b>x</b>", student="Ada")
    assert re.fullmatch("[A-Za-z0-9_-]{12}", address(forged)["member"])


def test_forged_work_brings_nothing(here: Here) -> None:
    """What is no answer to its step is not sent, whatever the address says."""
    room = Class(here)
    done = Progress("row", guest_of(TOKEN)).add("shape", "<b>x</b>", 1).add("zeros", "=1+1", 1)
    visitor = room.open(member=TOKEN, done=encode(done.add("ids", "9 9", 1)), step="3")
    assert [(one.step, one.nth, one.typed) for one in room.answers(visitor)] == [("ids", 1, "9 9")]


def test_a_pause_stops_at_its_step_and_loses_nothing(here: Here) -> None:
    """At step k nothing leads past k; beyond it nothing is checked, and what is typed stays."""
    room = Class(here)
    visitor = room.open(step="2")
    room.teach(paused=2)
    visitor.app.run()
    assert "Your teacher has paused here." in said(visitor)
    assert visitor.app.button(key="lab_next").disabled
    visitor.app.segmented_control(key="step_shown").set_value(4).run()
    assert visitor.place == 2
    assert "Right" in visitor.answer(right_answer("row ids", visitor.prompt, Notes()))
    beyond = room.open(member=address(visitor)["member"], step="4")
    beyond.field.set_value("123")
    (check,) = (one for one in beyond.app.main.button if one.label == "Check")
    assert check.disabled
    check.proto.disabled = False  # as a forged message, and one that was sent before the pause
    check.click().run()
    assert beyond.field.value == "123"
    assert "Your teacher has paused at step 2. You are further" in said(beyond)
    assert value(beyond.app, "done") == ""
    room.teach(paused=None)
    beyond.app.run()
    assert beyond.field.value == "123"
    assert "You wrote" in beyond.press("Check").response
    assert "paused" not in said(beyond)


def test_a_revealed_step_shows_the_spread_and_the_explanation(here: Here) -> None:
    """Bars without names, and the explanation, also for a member who has not answered."""
    room = Class(here)
    first, second = room.open(step="2"), room.open(step="2")
    first.answer(right_answer("row ids", first.prompt, Notes()))
    room.answers(first)
    assert "Why." not in said(second)
    room.teach(revealed={"ids"})
    second.app.run()
    bars = "".join(str(one.value) for one in second.app.main.html if 'class-bars"' in one.value)
    assert re.search(r"✓ Answer [A-Z]: the right answer", bars)
    assert "What the class answered (1 of 2)" in said(second)
    assert "Why." in said(second)
    assert "Show the explanation" not in [one.label for one in second.app.main.button]
    first.app.run()
    assert line(first)["name"] not in bars
    assert 'class-bars"' not in second.go(3).everything
    room.teach(paused=2)
    second.app.run()
    assert 'class-bars"' in second.press("What the class answered to step 2").everything


def test_after_the_end_the_work_goes_on_alone(here: Here) -> None:
    """An ended or deleted class is one sentence; nothing more is sent, and nothing is lost."""
    room = Class(here)
    visitor = room.open(step="2")
    visitor.answer("9 9")
    before = room.answers(visitor)
    room.teach(paused=1, ended=True)
    visitor.app.run()
    assert "The class has ended." in said(visitor)
    assert not line(visitor)
    visitor.answer("8 8")
    assert visitor.next().place == 3
    assert here.store.news(room.code).answers[-1].answer == before[-1]
    here.store.delete(room.code, TEACHER).result()
    later = Class(here)
    other = later.open(step="2")
    here.store.delete(later.code, TEACHER).result()
    assert "The class has been deleted." in said(Visitor.press(other, "Check"))
    assert "You wrote" in other.answer("9 9")
    late = (last := Class(here)).open(step="2")
    last.teach(ended=True)
    late.answer("9 9")
    assert "Not all your answers arrived" in said(late)
    alone = Visitor(**address(visitor))
    assert f"There is no class '{room.code}'" in said(alone)
    assert alone.prompt == visitor.prompt


def test_a_wrong_code_is_quoted_and_the_cards_stay(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A code that is none, one of no class, too many of them, and a server without classes."""
    room = Class(here)
    for code in ("tidy-otter-10", "<b>*x*</b>", "x" * 3000):
        visitor = Visitor(**{"class": code})
        assert code[:20].replace("*", "") in said(visitor)
        assert visitor.has("Start")
        assert value(visitor.app, "student") == ""
    with monkeypatch.context() as patch:
        patch.setattr(here, "_allowed", classes.Allowance(0, 1e9, lambda: 0.0))
        visitor = room.open()
        assert "Too many wrong codes" in said(visitor)
    assert line(visitor.press("Try again"))["name"]
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    visitor = room.open()
    assert f"has no classes, so the class {room.code} cannot be opened" in said(visitor)
    assert visitor.has("Start")


def test_a_code_can_be_typed_on_the_cards(here: Here) -> None:
    """A code joins as its link does, with spaces or capitals too; a wrong one can be left."""
    code, visitor = Class(here).code, Visitor()
    for typed in ("Tidy otter 99", code.replace("-", " ").upper()):
        visitor.app.text_input(key="class_code").set_value(typed)
        next(one for one in visitor.app.button if one.label == "Join").click()
        visitor.app.run()
        if typed.startswith("Tidy"):
            assert "tidy-otter-99" in plain(visitor.app.error[0].value)
            visitor.app.button(key="class_alone").click().run()
            assert not visitor.app.error
    assert len(here.store.news(code).members) == 1
    assert address(visitor)["class"] == code


def test_a_store_that_fails_stops_nobody(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the join works the student is a guest alone, with the numbers that stay."""
    room = Class(here)
    away = here.store.path.rename(here.store.path.with_suffix(".away"))
    visitor = room.open(step="2")
    assert "The class cannot be reached now" in said(visitor)
    assert line(visitor)["version"] == "?"
    guest = address(visitor)["student"]
    visitor.open("row").go(2).answer("9 9")
    away.rename(here.store.path)
    visitor.app.run()
    assert line(visitor)["name"]
    assert address(visitor)["student"] == guest
    assert [one.typed for one in room.answers(visitor)] == ["9 9"]
    away = here.store.path.rename(here.store.path.with_suffix(".away"))
    assert "You wrote" in visitor.answer("8 8")
    away.rename(here.store.path)
    assert [one.typed for one in room.answers(visitor)] == ["9 9", "8 8"]


def test_the_class_is_its_lab_alone(here: Here) -> None:
    """Other labs are not in the class, and a member can leave it and keep the work."""
    room = Class(here)
    visitor = room.open(step="2")
    visitor.answer("9 9")
    visitor.open("bag")
    assert not line(visitor)
    visitor.answer("1 1 1 1 1")
    assert len(room.answers(visitor)) == 1
    visitor.app.run()
    visitor.press("Back to the class")
    assert line(visitor)["name"]
    guest = address(visitor)["student"]
    visitor.go(2).app.run()  # an AppTest has only the body after a step
    visitor.press("Leave the class")
    assert not line(visitor)
    assert (value(visitor.app, "class"), address(visitor)["student"]) == ("", guest)
    assert visitor.field.value == "9 9"
    visitor.answer("8 8")
    assert len(here.store.news(room.code).answers) == 1


def test_a_lab_alone_knows_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `class` in the address nothing is asked, drawn or opened."""

    def fail() -> None:
        raise AssertionError("a lab alone asked for classes")

    monkeypatch.setattr(member, "here", fail)
    visitor = Visitor(lab="row", student="Ada", step="2")
    visitor.answer("9 9")
    visitor.next()
    assert not line(visitor)
    assert {one.key for one in visitor.app.text_input} & {"class", "member", "board"} == set()
