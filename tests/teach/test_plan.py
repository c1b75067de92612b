"""The records of a teacher: minutes, goals, exit tickets, and the plans of lessons."""

import pytest

from embviz.labs.catalogue import LABS
from embviz.settings.given import read
from embviz.settings.pages import PAGES, SETTINGS
from embviz.teach.plan import ALONE_MIN, PLANS, Section, goals
from tests.ui.headless import open_page

SECTIONS = [section for plan in PLANS.values() for section in plan]


def test_a_plan_takes_exactly_its_minutes() -> None:
    """The sections add up, and leave some for the playground: else a step must go in `plan.py`."""
    assert {*PLANS} == {45, 60, 90}
    assert {
        minutes: sum(section.minutes for section in plan) for minutes, plan in PLANS.items()
    } == {minutes: minutes for minutes in PLANS}
    assert all(plan[1].page == "playground" and plan[1].minutes >= 2 for plan in PLANS.values())


def test_a_part_of_a_lab_has_all_its_steps_and_their_minutes() -> None:
    """A step before a pause needs time too; no lab comes twice in a lesson."""
    for plan in PLANS.values():
        labs = [section for section in plan if section.lab]
        assert len(labs) == len({section.lab for section in labs}) > 0
        for section in labs:
            steps = LABS[section.lab].steps
            assert [*section.steps] == [*range(1, section.steps[-1] + 1)]
            assert section.minutes == sum(steps[at - 1].minutes for at in section.steps)
            assert section.what == LABS[section.lab].title
            assert section.page == ""
            assert section.settings == {}


def test_each_part_says_what_to_do_and_names_a_lab_or_a_page() -> None:
    """A teacher reads nothing that is empty."""
    for section in SECTIONS:
        assert section.what
        assert section.do
        assert bool(section.lab) != bool(section.page), section
        assert bool(section.ask) == (section.minutes > 0), section


@pytest.mark.parametrize("plan", PLANS.values())
def test_a_lesson_has_a_class_and_an_exit_ticket_of_its_own_steps(
    plan: tuple[Section, ...],
) -> None:
    """What is done without students takes no minutes of theirs; each question has some."""
    first, *taught, ticket, end, last = plan
    assert (first.minutes, last.minutes) == (0, 0)
    assert all(section.minutes > 0 for section in [*taught, ticket, end])
    for words in ("*Work together as a class*", "projector off", "*Private view*", "Print"):
        assert words in first.do
    assert "*Delete*" in last.do
    assert "*End now*" in end.do
    lab = ticket.settings["teach"]
    assert (ticket.settings["sheet"], ticket.steps) == ("ticket", LABS[lab].exit_ticket)
    assert ticket.minutes == ALONE_MIN * len(ticket.steps)
    done = next(section.steps for section in taught if section.lab == lab)
    assert {*ticket.steps} <= {*done}


@pytest.mark.parametrize("minutes", PLANS)
def test_a_lesson_names_the_goals_that_its_steps_reach(minutes: int) -> None:
    """All goals of a whole lab, and the first ones, not all, of a section of one."""
    named = goals(minutes)
    for section in PLANS[minutes]:
        if section.lab:
            lab = LABS[section.lab]
            assert (section.goals == len(lab.goals)) == (len(section.steps) == len(lab.steps))
            reached, named = named[: section.goals], named[section.goals :]
            assert reached == [*lab.goals[: section.goals]] != []
    assert named == []


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
