from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from embviz.request.parameters import PARAMETERS
from embviz.ui.pages.context.chapters import CHAPTERS

ROOT = Path(__file__).resolve().parents[4]


def opened(**query: str) -> AppTest:
    """The context page at an address, without an error on it."""
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(str(ROOT / "pages" / "context.py")).run()
    assert [one.value for one in [*app.exception, *app.error]] == []
    return app


@pytest.mark.parametrize("chapter", PARAMETERS["chapter"].options())
@pytest.mark.parametrize("query", [{}, {"input": "ids", "then": "edit", "edit": "1 2"}], ids=str)
def test_every_chapter_of_the_address_opens(chapter: str, query: dict[str, str]) -> None:
    """Each value of the parameter `chapter` has a record, draws it and says what to try."""
    assert set(CHAPTERS) == set(PARAMETERS["chapter"].options())
    shown = [one.value for one in opened(chapter=chapter, **query).markdown]
    assert any(CHAPTERS[chapter].try_this in words for words in shown)


def test_the_transformer_pauses_and_starts_over() -> None:
    """Learn trains in time slices, Pause keeps the steps, Start over begins at step 0."""
    app = opened(chapter="trained")
    assert app.button(key="tiny_play").label == "Learn"
    app.button(key="tiny_play").click().run()
    app.button(key="tiny_pause").click().run()
    (row,) = [one.value for one in app.caption if " of 1,000 steps" in one.value]
    assert ", 0 of 1,000" not in row
    assert app.button(key="tiny_play").label == "Go on"
    app.button(key="tiny_reset").click().run()
    (row,) = [one.value for one in app.caption if " of 1,000 steps" in one.value]
    assert ", 0 of 1,000" in row
    assert [one.value for one in [*app.exception, *app.error]] == []
