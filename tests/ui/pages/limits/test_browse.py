"""The page "Where it breaks", headless: links with mistakes, and every case."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.headless import open_page, page_words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"case": "no-such-case"}, "case='no-such-case' is not one of"),
        ({"case": "out-of-range", "given": "id:3"}, "id=3 is not a whole number from 4 to"),
        ({"given": "<script>"}, "'<script>' is not an input and its value"),
        ({"given": "row:1"}, "has no input 'row'"),
        ({"given": "id:" + 30 * "9"}, "id='999999"),
        ({"given": "dtype:float16"}, "dtype='float16' is not one of: float32, float64"),
        ({"find": "zebra"}, "No case is about this"),
        ({"case": "tf32", "given": "column:1"}, "emulated"),
    ],
    ids=str,
)
def test_a_wrong_link_to_a_case_is_refused(query: dict[str, str], words: str) -> None:
    """A link with a mistake shows a sentence about it, not a traceback."""
    assert words in page_words("limits", **query)


def test_every_case_opens(subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each case opens without an error and shows its claim; the compiler waits to be opened."""
    from embviz.core import compiler
    from embviz.limits import isolated
    from embviz.limits.cases import CASES

    monkeypatch.delitem(isolated._results, "compiler", raising=False)
    monkeypatch.setenv("CXX", "/nowhere/c++")
    app = open_page("limits")
    assert not isolated.started("compiler")
    for case in CASES:
        with subtests.test(case.name):
            app.radio(key="cases").set_value(case.name).run()
            assert [failure.value for failure in app.exception] == []
            words = [str(part.value) for part in app.markdown]
            assert case.claim in words
    assert isolated.started("compiler")
    app.radio(key="cases").set_value("torch-compile").run()
    shown = [str(part.value).replace("\\", "") for part in app.info]
    assert f"not run: {compiler.NO_COMPILER}" in shown
    # So the page cannot say that each case is proved.
    assert "each case that can run here is proved now" in page_words("limits")


def test_callbacks_of_widgets_that_are_gone() -> None:
    """Callbacks of widgets that an unfinished rerun has forgotten change nothing."""

    def script() -> None:
        from embviz.limits.cases import case_named
        from embviz.ui.pages.labs import work
        from embviz.ui.pages.limits import browse

        browse._open()
        browse._keep(case_named("negative"), ["id"])
        work._take_name()
        work._go()

    app = AppTest.from_function(script).run()
    assert [failure.value for failure in app.exception] == []
    assert app.session_state["given"] == ""
    assert app.session_state["student"] == ""
