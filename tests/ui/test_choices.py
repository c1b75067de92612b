"""Each value of a choice of what is drawn draws its page; what is kept by the values has them all.

Without it a lesson, a chapter or a panel could stand in one of two lists alone: it would be shown
to nobody, or fail where somebody presses it.
"""

from collections.abc import Iterable

import pytest

from embviz.bag.page.fields import FIELD
from embviz.context.page import story as context
from embviz.playground.page.panels import PANELS
from embviz.settings.kinds import Choice
from embviz.settings.pages import PATH, SETTINGS
from embviz.training.page.story import LESSONS
from embviz.ui.elements.failure import SENTENCE
from tests.ui.headless import open_page, value

# What draws or explains each value of a choice, by the setting and the place of that record.
KEPT: dict[tuple[str, str], Iterable[str]] = {
    ("lesson", "LESSONS"): LESSONS,
    ("chapter", "CHAPTERS"): context.CHAPTERS,
    ("chapter", "TRIES"): context.TRIES,
    ("panel", "PANELS"): ("none", *PANELS, "tokenizers"),
    ("bag", "FIELD"): FIELD,
}
FEW_STEPS = {"steps": "2", "learn_steps": "2", "size_steps": "2"}
NAMES = {name for name, _ in KEPT}
VALUES = [
    (page.name, one.name, option)
    for page in PATH
    for one in page.settings
    if isinstance(one, Choice) and one.name in NAMES
    for option in one.options()
]


@pytest.mark.parametrize(("name", "record"), KEPT, ids=str)
def test_what_is_kept_by_the_values_of_a_choice_has_them_all(name: str, record: str) -> None:
    """And no others, which nobody could choose."""
    choice = SETTINGS[name]
    assert isinstance(choice, Choice)
    assert sorted(choice.options()) == sorted(KEPT[name, record])


@pytest.mark.parametrize(("page", "name", "option"), VALUES, ids=str)
def test_each_value_draws_its_page(page: str, name: str, option: str) -> None:
    """Nothing fails; a value that does not fit the others may be refused with a sentence."""
    steps = FEW_STEPS if page == "training" else {}
    app = open_page(page, **{**steps, name: option})
    assert [one.value for one in app.warning] == []
    assert value(app, name) == option
    assert SENTENCE not in [one.value for one in app.error]
