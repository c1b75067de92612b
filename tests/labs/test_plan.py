"""The records of a teacher: minutes, goals, exit tickets, and the plans of lessons."""

import pytest

from embviz.labs.catalogue import LABS
from embviz.labs.plan import PLANS, Part
from embviz.request.given import read
from embviz.request.pages import PAGES, SETTINGS
from tests.ui.headless import open_page

PARTS = [part for plan in PLANS.values() for part in plan]


def test_a_plan_takes_exactly_its_minutes() -> None:
    """The parts add up."""
    assert {*PLANS} == {45, 60, 90}
    assert {minutes: sum(part.minutes for part in plan) for minutes, plan in PLANS.items()} == {
        minutes: minutes for minutes in PLANS
    }


def test_a_part_of_a_lab_has_all_its_steps_and_their_minutes() -> None:
    """A step before a pause needs time too; no lab comes twice in a lesson."""
    for plan in PLANS.values():
        labs = [part for part in plan if part.lab]
        assert len(labs) == len({part.lab for part in labs}) > 1
        for part in labs:
            steps = LABS[part.lab].steps
            assert [*part.steps] == [*range(1, part.steps[-1] + 1)]
            assert part.minutes == sum(steps[at - 1].minutes for at in part.steps)
            assert (part.what, part.page, part.settings) == (LABS[part.lab].title, "", {})


def test_each_part_says_what_to_do_and_names_a_lab_or_a_page() -> None:
    """A teacher reads nothing that is empty."""
    for part in PARTS:
        assert part.what
        assert part.do
        assert part.minutes > 0
        assert bool(part.lab) != bool(part.page), part
        assert part.ask or part.what.startswith("Before"), part


@pytest.mark.parametrize("part", {part.what: part for part in PARTS if part.page}.values())
def test_the_page_of_a_part_opens_with_its_settings(part: Part) -> None:
    """The page reads these settings as they are, and refuses nothing."""
    assert {*part.settings} <= {*PAGES[part.page].reads}
    written = {name: SETTINGS[name].written(one) for name, one in part.settings.items()}
    assert read(written) == part.settings
    app = open_page(part.page, **written)
    assert [one.value for one in [*app.error, *app.warning]] == []


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_says_what_a_teacher_needs(lab: str) -> None:
    """Goals, prerequisites, minutes, words for each step, and an exit ticket of its own steps."""
    one = LABS[lab]
    assert 2 <= len(one.goals) <= 3
    assert all(text.endswith(".") for text in [*one.goals, one.needs])
    assert one.minutes == sum(step.minutes for step in one.steps)
    for step in one.steps:
        assert 2 <= step.minutes <= 6
        assert 1 <= step.say.count(".") + step.say.count("?") <= 4
        assert step.say[-1] in ".?"
    assert {*one.exit_ticket} < {*range(1, len(one.steps) + 1)}
    assert [*one.exit_ticket] == sorted(one.exit_ticket) != []
