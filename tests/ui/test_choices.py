"""Each value of each choice draws its page, and what is kept by these values has them all.

Without it a lesson, a chapter or a panel could stand in one of two lists alone: it would be shown
to nobody, or fail where somebody presses it.
"""

from collections.abc import Iterable

import pytest

from embviz.bag.page.fields import FIELD
from embviz.context.page import story as context
from embviz.fact.inits import INITS
from embviz.playground.page.panels import PANELS
from embviz.settings.kinds import Choice, Choices, Switch
from embviz.settings.model_settings import MODEL_SETTINGS
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
# Settings without which a page does not read the choice.
NEEDED = {
    "corpus": {"lesson": "write", "text": "abcab"},
    "temperature": {"lesson": "write"},
    "mask": {"chapter": "contextual"},
    "x_header": {"bag": "matrix"},
    "model_dtype": {"my_model": "true"},
    "sheet": {"teach": "row"},
    "plan": {"teach": "all"},
}
FEW_STEPS = {"steps": "2", "learn_steps": "2", "size_steps": "2"}
OF_PAGES = [("playground", one) for one in MODEL_SETTINGS]
OF_PAGES += [(page.name, one) for page in PATH for one in page.settings]
VALUES = [
    (page, one.name, option)
    for page, one in OF_PAGES
    if isinstance(one, Choice) and not isinstance(one, Choices | Switch)
    for option in one.options()
    if one.name != "case"  # `tests/limits/page/test_browse.py` opens each
]


@pytest.mark.parametrize(("name", "record"), KEPT, ids=str)
def test_what_is_kept_by_the_values_of_a_choice_has_them_all(name: str, record: str) -> None:
    """And no others, which nobody could choose."""
    choice = SETTINGS[name]
    assert isinstance(choice, Choice)
    assert sorted(choice.options()) == sorted(KEPT[name, record])


@pytest.mark.parametrize(("page", "name", "option"), VALUES, ids=str)
def test_each_value_of_each_choice_draws_its_page(page: str, name: str, option: str) -> None:
    """Nothing fails; a value that does not fit the others may be refused with a sentence."""
    goes_with = INITS[option].goes_with if name == "init" else {}
    steps = FEW_STEPS if page == "training" else {}
    app = open_page(page, **{**steps, **NEEDED.get(name, {}), **goes_with, name: option})
    assert [one.value for one in app.warning] == []
    assert value(app, name) == option
    assert SENTENCE not in [one.value for one in app.error]
