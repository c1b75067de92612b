"""The page "Where it breaks", headless: links with mistakes, and every case."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.headless import open_page, page_words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"case": "no-such-case"}, "case='no-such-case' is not one of"),
        ({"case": "out-of-range", "given": "id:3"}, "id=3 is not a whole number from 4 to"),
        ({"case": "out-of-range", "given": "<script>"}, "'<script>' is not an input and its value"),
        ({"case": "out-of-range", "given": "row:1"}, "has no input 'row'"),
        ({"case": "out-of-range", "given": "id:" + 30 * "9"}, "id='999999"),
        (
            {"case": "out-of-range", "given": "dtype:float16"},
            "dtype='float16' is not one of: float32, float64",
        ),
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
    app.session_state["all_cases"] = True
    app.run()
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
        from embviz.ui.pages.limits import browse, opened

        browse._open("cases")
        opened._keep(case_named("negative"), ["id"])
        work._go("row")

    app = AppTest.from_function(script).run()
    assert [failure.value for failure in app.exception] == []
    assert app.session_state["given"] == ""


@pytest.mark.parametrize(
    ("query", "case"),
    [
        ({}, "none"),
        ({"case": "negative"}, "negative"),
        ({"find": "padding"}, "padding-idx-value"),
        ({"find": "padding", "case": "padding-idx-gradient"}, "padding-idx-gradient"),
        ({"find": "padding", "case": "max-norm"}, "padding-idx-value"),
        ({"find": "zebra", "case": "max-norm"}, "max-norm"),
    ],
    ids=str,
)
def test_what_a_link_opens(query: dict[str, str], case: str) -> None:
    """A link opens its case, or the best one of its search; the bare page opens five cards."""
    app = open_page("limits", **query)
    assert app.session_state["case"] == case
    assert len([one for one in app.button if one.label == "Open"]) == 5 * (not query)


def test_a_search_opens_its_best_case() -> None:
    """Also where a run is cut short before it is drawn, and the old case comes back with a key."""
    app = open_page("limits", case="negative")
    for text, best in (("padding", "padding-idx-value"), ("nan", "inf-in-seen-row")):
        app.session_state["find"] = text
        app.session_state["case"] = "negative"
        app.run()
        assert app.session_state["case"] == best
        assert "not in the list" not in "".join(one.value for one in app.caption)


def test_a_myth_is_false_or_true() -> None:
    """A saying shows whether it is true, and the breaking code stands beside the fix."""
    app = open_page("limits", case="linear-cannot-replace")
    shown = [str(one.value) for one in app.markdown]
    assert any("false" in one for one in shown)
    assert [len(one.code) for one in app.columns if one.code] == [1, 1]
