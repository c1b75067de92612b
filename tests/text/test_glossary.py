"""The glossary: every term is one line, and is found by whoever asks for it."""

import re

import pytest

from embviz.settings.pages import PAGES
from embviz.text.glossary import TERMS, explained, terms_in


@pytest.mark.parametrize("name", TERMS)
def test_a_term_is_one_line_and_is_seen_somewhere(name: str) -> None:
    """A term is one to three sentences, of at most 25 words together, and has a page."""
    term = TERMS[name]
    assert "\n" not in term.says
    assert re.fullmatch(r"[A-Z0-9].+\.", term.says)
    assert len(term.says.split()) <= 25
    assert term.page in PAGES


def test_a_text_explains_its_own_words_first() -> None:
    """Each once, in the plural too, and no word that only begins like one."""
    assert terms_in("The loss of two layers: `nn.Linear`, losses, biased") == [
        "nn",
        "layer",
        "loss",
    ]
    said = explained("The loss", "token", "loss")
    assert re.findall(r"\*\*(.+?)\*\*", said) == ["loss", "token"]
