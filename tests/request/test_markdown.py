"""Typed text cannot become markup."""

from embviz.request.markdown import literal


def test_no_sign_of_markdown_is_markup() -> None:
    """A typed text stands as it is, and has no character that ends it."""
    signs = "\\`*_{}[]()#+-.!|<>~$:&^=\"'"
    assert literal(f"é{signs}\x00") == "é" + "".join(f"\\{one}" for one in signs) + "\\x00"
