"""The glossary: every term is one line, and a tooltip of some page shows it."""

import re

import pytest

from embviz.text.glossary import TERMS
from tests.load.server import ROOT

SOURCES = [
    *ROOT.glob("pages/*.py"),
    *ROOT.glob("embviz/ui/**/*.py"),
    *ROOT.glob("embviz/*/page/**/*.py"),
    *ROOT.glob("embviz/*/settings.py"),
]


@pytest.mark.parametrize("name", TERMS)
def test_a_term_is_one_line_and_is_shown(name: str) -> None:
    """A term is a sentence of at most 25 words, in a file of a page."""
    said = TERMS[name]
    assert "\n" not in said
    assert re.fullmatch(r"[A-Z].+\.", said)
    assert len(said.split()) <= 25
    assert any(f'"{name}"' in path.read_text("utf-8") for path in SOURCES)
