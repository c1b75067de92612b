"""Refusals on the training and bag pages: one sentence, and no exception."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[3]


def refusals(page: str, **query: str) -> list[str]:
    """The refusals on a page for a link, as a reader sees them."""
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(str(ROOT / "pages" / f"{page}.py")).run()
    assert [failure.value for failure in app.exception] == []
    return [re.sub(r"\\([^\w\s])", r"\1", error.value) for error in app.error]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"target": "one"}, "The target 'one' is not one or more finite numbers"),
        ({"target": "1 2 3"}, "A target of 3 numbers does not fit rows of 10"),
        ({"text": "a", "loss": "next"}, "at least 2 in a line"),
        (
            {"lesson": "lockstep", "rows": "1000000", "dim": "64"},
            "training side by side takes up to 2,000,000",
        ),
        ({"text": "héllo"}, "is not among the 100 characters"),
        ({"lesson": "drift", "rows": "100000"}, "more than the 100,000 that every claim"),
        ({"lesson": "drift", "dtype": "bfloat16"}, "float32 or float64"),
        ({"lesson": "drift", "text": "aaa"}, "at least 2 different ones"),
        ({"lesson": "lockstep", "dtype": "float16"}, "float32 or float64"),
        ({"lesson": "characters", "corpus": "own", "text": "aaa"}, "there is nothing to learn"),
        ({"lesson": "characters", "corpus": "own", "text": " "}, "one"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason."""
    (said,) = refusals("training", **query)
    assert words in said


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"bag": "documents", "start": "random", "docs": " "}, "No documents were given"),
        (
            {"bag": "documents", "start": "random", "docs": "the and of", "stop": "true"},
            "stop words",
        ),
        ({"linear": "1 nan 2 3"}, "nan"),
        ({"x": "1 2\n3"}, "Row 1 has 1 numbers"),
        ({"x": "1 2 3 4 5"}, "The weight has shape (3, 4)"),
        ({"bag": "file", "start": "random"}, "no file is chosen yet"),
    ],
    ids=str,
)
def test_what_is_no_bag_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason, and is not replaced."""
    (said,) = refusals("bag_of_words", **query)
    assert words in said
