"""A page's frame stays when a part of the page fails."""

import pytest
from streamlit.testing.v1 import AppTest

from embviz.labs.page import cards
from embviz.playground.page.stage import component as stage
from embviz.ui.elements import links
from embviz.ui.elements.failure import SENTENCE
from tests.ui.headless import NAMES, open_page


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """Open a page while a part of it fails: the page says one sentence, the log has the rest."""

    def fail(*_: object, **__: object) -> None:
        raise KeyError("private words")

    def open_it(module: object, name: str, page: str, **query: str) -> AppTest:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fail)
            app = open_page(page, **query)
        assert [one.value for one in app.error] == [SENTENCE]
        assert ("private words" in caplog.text, "private words" in str(app.main)) == (True, False)
        caplog.clear()
        return app

    return open_it


@pytest.mark.parametrize("page", NAMES)
def test_a_page_that_fails_keeps_its_frame(page: str, opened) -> None:
    """The switch of the projector, beside or below, and the link to the next page stay."""
    part = (cards, "draw") if page == "labs" else (links, "fold")
    app = opened(*part, page)
    assert app.toggle(key="projector") is not None
    assert len(app.get("page_link")) >= len(NAMES)


def test_a_part_that_fails_leaves_the_rest_of_its_page(opened) -> None:
    """Text field and folds stay, and the next run draws the part again."""
    app = opened(stage, "run_on_shared_layers", "playground", text="abc")
    assert app.text_input(key="text").value == "abc"
    assert "Try this" in [one.label for one in app.expander]
    assert [one.value for one in app.run().error] == []
