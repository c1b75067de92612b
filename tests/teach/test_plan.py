"""The records of a teacher: minutes, goals, exit tickets, and the plans of lessons."""

import runpy
from collections.abc import Sequence
from dataclasses import replace

import pytest

from embviz.labs.asking import Step
from embviz.labs.catalogue import LABS
from embviz.settings.given import read
from embviz.settings.pages import PAGES, SETTINGS
from embviz.teach import plan
from embviz.teach.plan import ALONE_MIN, MOST_QUESTIONS, PLANS, Section, goals, ticket
from tests.ui.headless import open_page

SECTIONS = [section for plan in PLANS.values() for section in plan]


def asked_in(sections: Sequence[Section]) -> list[object]:
    """The functions of the steps of a plan, those of its ticket too."""
    every = [
        (lab, at) for section in sections for lab, steps in section.steps.items() for at in steps
    ]
    return [LABS[lab].steps[at - 1].ask for lab, at in every]


def test_a_step_that_a_lab_gets_later_comes_into_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first, easier step and a last one for the fast move the numbers, and no step of a plan."""
    before = {minutes: asked_in(sections) for minutes, sections in PLANS.items()}
    for name, lab in LABS.items():
        more = Step(lambda _: pytest.fail("nobody asks it"), 3, "Say.")
        steps = (more, *lab.steps, more)
        monkeypatch.setitem(LABS, name, replace(lab, steps=steps))
    plans = runpy.run_path(plan.__file__)["PLANS"]
    assert {minutes: asked_in(sections) for minutes, sections in plans.items()} == before
    assert {minutes: sum(part.minutes for part in parts) for minutes, parts in plans.items()} == {
        minutes: minutes for minutes in PLANS
    }


@pytest.mark.parametrize("minutes", PLANS)
def test_a_lesson_fills_its_minutes(minutes: int) -> None:
    """With what is done before and after it, votes of three minutes at least, and a buffer."""
    sections = PLANS[minutes]
    first, playground, _, *taught, buffer, exit_ticket, _, last = sections
    assert sum(section.minutes for section in sections) == minutes
    assert (first.minutes, last.minutes) == (0, 0)
    assert all(section.minutes > 0 and section.ask for section in sections[1:-1])
    assert all(bool(section.lab) != bool(section.page) for section in sections)
    assert "Buffer" in buffer.what
    assert buffer.minutes >= 4
    assert playground.page == "playground"
    labs = [section for section in taught if section.lab]
    assert len(labs) == len({section.lab for section in labs}) > 0
    for section in labs:
        steps = section.steps[section.lab]
        minutes_of = [LABS[section.lab].steps[at - 1].minutes for at in steps]
        assert [*steps] == sorted({*steps}) != []
        assert section.minutes == sum(minutes_of)
        assert all(3 <= needed <= 6 for needed in minutes_of)
    (notebook,) = [section for section in taught if not section.lab]
    assert (notebook.minutes, notebook.settings["teach"]) == (5, taught[0].lab)
    # The ticket asks of every lab what the lesson has asked.
    own = {"teach": "all", "plan": f"{minutes}", "sheet": "ticket"}
    assert (exit_ticket.settings, exit_ticket.steps) == (own, ticket(minutes))
    assert [*exit_ticket.steps] == [section.lab for section in labs]
    asked = [(lab, step) for lab, steps in exit_ticket.steps.items() for step in steps]
    done = {lab: steps for section in labs for lab, steps in section.steps.items()}
    assert all(step in done[lab] and step in LABS[lab].ticket for lab, step in asked)
    assert exit_ticket.minutes == ALONE_MIN * len(asked)
    assert len(asked) == min(
        MOST_QUESTIONS, sum(len({*LABS[lab].ticket} & {*done[lab]}) for lab in done)
    )
    # Its goals are sentences of its labs, each once.
    named = goals(minutes)
    assert len({*named}) == len(named) > len(labs)
    assert {*named} <= {goal for section in labs for goal in LABS[section.lab].goals}
    assert f"{minutes}" in SETTINGS["plan"].options()


@pytest.mark.parametrize(
    "section", {section.what: section for section in SECTIONS if section.page}.values()
)
def test_the_page_of_a_part_opens_with_its_settings(section: Section) -> None:
    """The page reads these settings as they are, and refuses nothing."""
    assert {*section.settings} <= {*PAGES[section.page].reads}
    written = {name: SETTINGS[name].written(one) for name, one in section.settings.items()}
    assert read(written) == section.settings
    app = open_page(section.page, **written)
    assert [one.value for one in [*app.error, *app.warning]] == []
