"""What the pages of limits and context say, headless: odd texts, and links with mistakes."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[4]


def said(page: str, **query: str) -> str:
    """All words of a page, which must raise nothing."""
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(str(ROOT / "pages" / f"{page}.py")).run()
    assert [failure.value for failure in app.exception] == []
    parts = [*app.markdown, *app.caption, *app.error, *app.info, *app.warning]
    return "\n".join(re.sub(r"\\([^\w\s])", r"\1", str(part.value)) for part in parts)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"chapter": "contextual", "heads": "3"}, "3 heads cannot share 10 numbers equally"),
        ({"text": ""}, "There is nothing to compare"),
        ({"chapter": "contextual", "dtype": "bfloat16", "text": "aa"}, "computes in float32"),
        ({"chapter": "contextual", "text": "a"}, "No token comes twice here"),
        (
            {"chapter": "contextual", "vocab": "bytes", "text": "😀😀", "rows": "256"},
            "**F0 at places 0 and 4**",
        ),
        ({"text": 80 * "ab"}, "The first 64 of 160 tokens are compared"),
        ({"input": "ids", "ids": "3 1 3", "chapter": "contextual"}, "**3 at places 0 and 2**"),
        ({"then": "edit", "edit": "é"}, "is not among the 100 characters"),
        ({"then": "edit", "edit": ""}, "This text is empty"),
        ({"chapter": "contextual", "text": "aab", "place": "60"}, "What it costs"),
        ({"chapter": "trained"}, "Nothing is learnt yet"),
    ],
    ids=str,
)
def test_odd_texts_have_their_context(query: dict[str, str], words: str) -> None:
    """A long, short or foreign text would end in a traceback, or be cut without a word."""
    assert words in said("context", **query)


def test_a_model_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline, the page would show a traceback, or wait for a minute."""
    monkeypatch.setenv("EMBVIZ_SENTENCE_MODEL", "nobody/no-such-model")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    app.query_params["chapter"] = "sentences"
    app.switch_page(str(ROOT / "pages" / "context.py")).run()
    next(button for button in app.button if button.label == "Load it").click().run()
    assert [failure.value for failure in app.exception] == []
    (told,) = (re.sub(r"\\([^\w\s])", r"\1", error.value) for error in app.error)
    assert "'nobody/no-such-model' is not on this machine" in told


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
    assert words in said("limits", **query)


def test_every_case_opens(subtests: pytest.Subtests) -> None:
    """Each case of the list opens without an error and shows its claim."""
    from embviz.limits.cases import CASES

    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    app.switch_page(str(ROOT / "pages" / "limits.py")).run()
    for case in CASES:
        with subtests.test(case.name):
            app.radio(key="cases").set_value(case.name).run()
            assert [failure.value for failure in app.exception] == []
            words = [str(part.value) for part in app.markdown]
            assert case.claim in words


def test_callbacks_of_widgets_that_are_gone() -> None:
    """Callbacks of widgets that an unfinished rerun has forgotten change nothing."""

    def script() -> None:
        from embviz.limits.cases import case_named
        from embviz.ui.frame import text_field
        from embviz.ui.pages.labs import work
        from embviz.ui.pages.limits import browse

        browse._open()
        browse._keep(case_named("negative"), ["id"])
        work._take_name()
        work._go()
        text_field._take_lines()
        text_field.take_paste()

    app = AppTest.from_function(script).run()
    assert [failure.value for failure in app.exception] == []
    assert app.session_state["given"] == ""
    assert app.session_state["student"] == ""
