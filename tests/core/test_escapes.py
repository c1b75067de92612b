import ast
import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.escapes import EscapeError, unescape

QUICK = settings(deadline=None, max_examples=100)


@QUICK
@given(st.text())
def test_any_text_can_be_typed_in_escapes(text: str) -> None:
    """Every text round-trips through its escapes."""
    assert unescape(text.encode("unicode_escape").decode("ascii")) == text


@pytest.mark.parametrize(
    "escape",
    [*(f"\\{c}" for c in "ntr0abfv\\'\""), r"\x0b", r"\xE9", r"\u00e9", r"\u20AC", r"\U0001f600"],
)
def test_each_escape_means_what_it_means_in_python(escape: str) -> None:
    """Each escape means the same as in Python."""
    assert unescape(escape) == ast.literal_eval(f'"{escape}"')
    assert unescape(f"a{escape}b") == f"a{unescape(escape)}b"


@pytest.mark.parametrize(
    ("typed", "named", "place"),
    [
        (r"\d", r"'\d'", 0),
        (r"a\nb\q", r"'\q'", 4),
        ("\\\\\\", r"'\'", 2),
        (r"\x1", r"'\x'", 0),
        (r"\U0001f60", r"'\U'", 0),
        (r"\U00110000", r"'\U00110000'", 0),
        (r"ab\ud800", r"'\ud800'", 2),
        (r"\N{BULLET}", r"'\N'", 0),
        ("x" * 1500 + r"\8", r"'\8'", 1500),
    ],
)
def test_what_is_no_escape_is_refused_with_its_place(typed: str, named: str, place: int) -> None:
    """An unknown escape is refused with its position."""
    with pytest.raises(EscapeError) as refused:
        unescape(typed)
    assert f"{named} at position {place:,} is not an escape" in str(refused.value)
    assert r"\x0b" in str(refused.value)


@pytest.mark.parametrize("typed", ["a\\\nb", "\\\x1b", "\\\u202e"])
def test_a_refusal_is_one_printable_line(typed: str) -> None:
    """A refusal is one printable line."""
    with pytest.raises(EscapeError) as refused:
        unescape(typed)
    assert str(refused.value).isprintable()


@QUICK
@given(st.text(alphabet='\\nxuU0123456789abcdefdD8 "\n'))
def test_any_text_gives_text_or_a_refusal_and_nothing_else(typed: str) -> None:
    """Any text gives valid text or an EscapeError."""
    with contextlib.suppress(EscapeError):
        assert unescape(typed).encode().decode() == unescape(typed)
