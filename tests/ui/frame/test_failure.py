"""A page's frame fits what the page shows, and stays when a part of the page fails."""

import pytest

from embviz.ui import stage
from embviz.ui.frame.failure import SENTENCE
from embviz.ui.pages.labs import looks
from embviz.ui.pages.labs import step as lab_step
from embviz.ui.parts import terms
from tests.ui.headless import NAMES, open_page


def fail(*_: object, **__: object) -> None:
    """A defect in a part of a page."""
    raise KeyError("private words")


@pytest.mark.parametrize("page", NAMES)
def test_a_page_that_fails_says_one_sentence_and_keeps_its_frame(
    page: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The sidebar and the link to the next page stay; the traceback is in the log alone."""
    monkeypatch.setattr(terms, "try_this", fail)
    app = open_page(page)
    assert [one.value for one in app.error] == [SENTENCE]
    assert app.sidebar.toggle(key="projector") is not None
    assert len(app.get("page_link")) >= len(NAMES)
    assert "private words" in caplog.text
    assert "private words" not in str(app.main)
    caplog.clear()


def test_a_part_that_fails_leaves_the_rest_of_its_page(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Text field and folds stay, and the next run draws the part again."""
    monkeypatch.setattr(stage, "run_both_cached", fail)
    app = open_page("playground", text="abc")
    assert [one.value for one in app.error] == [SENTENCE]
    assert app.text_input(key="text").value == "abc"
    assert "Try this" in [one.label for one in app.expander]
    caplog.clear()
    monkeypatch.undo()
    assert [one.value for one in app.run().error] == []


@pytest.mark.parametrize(
    ("module", "name", "step"), [(looks, "picture", 1), (lab_step, "_answer", 2)]
)
def test_a_step_of_a_lab_that_fails_keeps_its_navigation(
    module: object,
    name: str,
    step: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The student goes on to the next step, whatever fails in this one."""
    monkeypatch.setattr(module, name, fail)
    app = open_page("labs", lab="row", step=str(step))
    assert [one.value for one in app.error] == [SENTENCE]
    monkeypatch.undo()
    app.button(key="lab_next").click().run()
    assert any(f"step {step + 1} of" in one.value for one in app.markdown)
    caplog.clear()
