"""Typed text cannot become markup, and is quoted in one way."""

import pytest

from embviz.text.markdown import NO_LINK, literal
from embviz.text.wording import few_names


def test_no_sign_of_markdown_is_markup() -> None:
    """A typed text stands as it is, and has no character that ends it."""
    signs = "\\`*_{}[]()#+-.!|<>~$:&^=\"'"
    assert literal(f"é{signs}\x00") == "é" + "".join(f"\\{one}" for one in signs) + "\\x00"


@pytest.mark.parametrize("quoted", ["\u05d1", "\u0645\u0631", "a \u05d1", "\u0663"])
def test_a_quoted_text_from_right_to_left_is_isolated(quoted: str) -> None:
    """Each one: else the commas and numbers between them change their order."""
    shown = literal(f"No id for {few_names([quoted, 'x', quoted, 'y'])}")
    assert shown.count(f"\\'\u2068{quoted}\u2069\\'") == 2
    assert shown.count("\u2068") == 2


def test_nothing_is_a_link() -> None:
    """Where Streamlit would find one, a text ends; one_hot @ weight is none."""
    for text in ("http://x.y", "HTTPS://x", "www.x.y", "Www.x", "a@x.y", "a.b+c@x-y.z", "-@-.x"):
        assert literal(f"see {text}").count(NO_LINK) == 1
    assert literal("me@a.x you@b.x").count(NO_LINK) == 2
    for text in ("one_hot @ weight", "http", "www x", "@x", "11:30"):
        assert NO_LINK not in literal(text)
