"""The page "Where it breaks", headless: links with mistakes, and every case."""

import pytest

from embviz.limits.cases import CASES, case_named
from tests.ui.headless import open_page, page_words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"case": "no-such-case"}, "case='no-such-case' is not one of"),
        ({"find": "zebra"}, "No case is about this"),
    ],
    ids=str,
)
def test_a_wrong_link_to_a_case_is_refused(query: dict[str, str], words: str) -> None:
    """A link with a mistake shows a sentence about it, not a traceback."""
    assert words in page_words("limits", **query)


def test_every_case_opens(subtests: pytest.Subtests) -> None:
    """Each case opens without an error and shows its claim."""
    app = open_page("limits")
    app.session_state["all_cases"] = True
    app.run()
    for case in CASES:
        with subtests.test(case.name):
            app.radio(key="cases").set_value(case.name).run()
            assert [failure.value for failure in app.exception] == []
            words = [str(part.value) for part in app.markdown]
            assert case.claim in words


@pytest.mark.parametrize(
    ("query", "case"),
    [
        ({}, "none"),
        ({"case": "minus-zero"}, "minus-zero"),
        ({"find": "padding"}, "padding-idx-value"),
        ({"find": "padding", "case": "padding-idx-gradient"}, "padding-idx-gradient"),
        ({"group": "Bags"}, "counts-ignored"),
    ],
    ids=str,
)
def test_what_a_link_opens(query: dict[str, str], case: str) -> None:
    """A link opens its case, or the best one of its search; the bare page opens five cards."""
    app = open_page("limits", **query)
    assert app.session_state["case_picker"] == (None if case == "none" else case)
    assert len([one for one in app.button if one.label == "Open"]) == 5 * (not query)


def test_a_search_opens_its_best_case() -> None:
    """In place of the case that was open."""
    app = open_page("limits", case="minus-zero")
    for text, best in (("padding", "padding-idx-value"), ("nan", "inf-in-unseen-row")):
        app.text_input(key="find").set_value(text).run()
        assert app.session_state["case_picker"] == best
        assert app.query_params == {"find": text}
        app.run()


def test_a_filter_opens_its_first_case() -> None:
    """In place of the case that was open; a case that a link names is shown, also beside it."""
    app = open_page("limits", case="minus-zero")
    app.selectbox(key="group").set_value("Bags").run()
    app.selectbox(key="verdict").set_value("raises").run()
    listed = app.radio(key="cases")
    assert (len(listed.options), listed.index) == (3, 0)
    assert app.query_params == {"group": "Bags", "verdict": "raises"}
    app = open_page("limits", group="Bags", verdict="raises", case="minus-zero")
    assert case_named("minus-zero").claim in [one.value for one in app.markdown]
    assert app.radio(key="cases").value is None


@pytest.mark.parametrize(
    ("case", "badge", "heading"),
    [
        ("out-of-range", "raises", "**It breaks.**"),
        ("grad-fn-differs", "false", "**The proof.**"),
        ("embeddings-start-small", "false", "**The proof.**"),
        ("max-is-a-tensor", "true", "**The proof.**"),
        ("float16", "same", "**The proof.**"),
    ],
)
def test_a_case_breaks_or_is_a_proof(case: str, badge: str, heading: str) -> None:
    """A saying shows whether it is true, and nothing breaks; the fix stands beside the problem."""
    app = open_page("limits", case=case)
    shown = [str(one.value) for one in app.markdown]
    assert any("-badge[" in one and one.endswith(f" {badge}]") for one in shown)
    assert heading in shown
    assert [len(one.code) for one in app.columns if one.code] == [1, 1]
