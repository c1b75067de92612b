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


def test_a_plan_takes_exactly_its_minutes() -> None:
    """The sections add up, and leave a buffer: else a step must go in `plan.py`."""
    assert {*PLANS} == {45, 60, 90}
    assert {
        minutes: sum(section.minutes for section in plan) for minutes, plan in PLANS.items()
    } == {minutes: minutes for minutes in PLANS}
    assert all(plan[1].page == "playground" for plan in PLANS.values())
    assert all("Buffer" in plan[-4].what and plan[-4].minutes >= 4 for plan in PLANS.values())


def test_a_part_of_a_lab_has_steps_in_order_and_their_minutes() -> None:
    """A vote takes three minutes at least; no lab comes twice in a lesson."""
    for sections in PLANS.values():
        labs = [section for section in sections if section.lab]
        assert len(labs) == len({section.lab for section in labs}) > 0
        for section in labs:
            (steps,) = section.steps.values()
            assert [*section.steps] == [section.lab]
            assert [*steps] == sorted({*steps}) != []
            minutes = [LABS[section.lab].steps[at - 1].minutes for at in steps]
            assert section.minutes == sum(minutes) >= 3 * len(steps)
            assert section.what == LABS[section.lab].title
            assert section.page == ""
            assert section.settings == {}


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
        moved = tuple(step + 1 for step in lab.exit_ticket)
        steps = (more, *lab.steps, more)
        monkeypatch.setitem(LABS, name, replace(lab, steps=steps, exit_ticket=moved))
    plans = runpy.run_path(plan.__file__)["PLANS"]
    assert {minutes: asked_in(sections) for minutes, sections in plans.items()} == before
    assert {minutes: sum(part.minutes for part in parts) for minutes, parts in plans.items()} == {
        minutes: minutes for minutes in PLANS
    }


def test_each_part_says_what_to_do_and_names_a_lab_or_a_page() -> None:
    """A teacher reads nothing that is empty."""
    for section in SECTIONS:
        assert section.what
        assert section.do
        assert bool(section.lab) != bool(section.page), section
        assert bool(section.ask) == (section.minutes > 0), section


@pytest.mark.parametrize("minutes", PLANS)
def test_a_lesson_has_a_class_a_notebook_and_an_exit_ticket(minutes: int) -> None:
    """What is done without students takes no minutes of theirs; the ticket asks of every lab."""
    first, *taught, buffer, last_asked, end, last = PLANS[minutes]
    assert (first.minutes, last.minutes) == (0, 0)
    assert all(section.minutes > 0 for section in [*taught, buffer, last_asked, end])
    for words in ("*Work together as a class*", "projector off", "*Private view*", "Print"):
        assert words in first.do
    assert "*Delete*" in last.do
    assert "*End now*" in end.do
    (notebook,) = [section for section in taught if "notebook" in section.do]
    assert (notebook.minutes, notebook.settings["teach"]) == (5, taught[2].lab)
    own = {"teach": "all", "plan": f"{minutes}", "sheet": "ticket"}
    assert (last_asked.settings, last_asked.steps) == (own, ticket(minutes))
    done = {section.lab: section.steps[section.lab] for section in taught if section.lab}
    assert [*last_asked.steps] == [*done]
    asked = [(lab, step) for lab, steps in last_asked.steps.items() for step in steps]
    assert all(step in done[lab] and step in LABS[lab].exit_ticket for lab, step in asked)
    assert last_asked.minutes == ALONE_MIN * len(asked) <= ALONE_MIN * MOST_QUESTIONS


@pytest.mark.parametrize("minutes", PLANS)
def test_a_lesson_names_goals_of_its_labs_once(minutes: int) -> None:
    """They are sentences of the labs that it does."""
    labs = [section.lab for section in PLANS[minutes] if section.lab]
    named = goals(minutes)
    assert len({*named}) == len(named) > len(labs)
    for section in PLANS[minutes]:
        assert bool(section.goals) >= bool(section.lab)
        assert {*section.goals} <= {goal for lab in labs for goal in LABS[lab].goals}


def test_each_plan_has_an_address() -> None:
    """The setting knows all plans."""
    assert SETTINGS["plan"].options() == [f"{minutes}" for minutes in PLANS]


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


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_says_what_a_teacher_needs(lab: str) -> None:
    """Goals, prerequisites, minutes, words for each step, and an exit ticket of its own steps."""
    one = LABS[lab]
    assert 2 <= len(one.goals) <= 4
    assert all(text.endswith(".") for text in [*one.goals, one.needs])
    assert one.minutes == sum(step.minutes for step in one.steps)
    for step in one.steps:
        assert 2 <= step.minutes <= 6
        assert 1 <= step.say.count(".") + step.say.count("?") <= 4
        assert step.say[-1] in ".?"
    assert {*one.exit_ticket} < {*range(1, len(one.steps) + 1)}
    assert [*one.exit_ticket] == sorted(one.exit_ticket) != []
