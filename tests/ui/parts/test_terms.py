"""Terms of the glossary in the sentences of pages and components."""

import ast
import re

import pytest

from embviz.request.glossary import TERMS
from embviz.ui.parts.terms import with_terms
from tests.ui.headless import ROOT

SOURCES = [
    path
    for folder in ("embviz", "pages")
    for end in ("py", "js")
    for path in sorted((ROOT / folder).rglob(f"*.{end}"))
    if path.stem not in ("terms", "glossary")
]


MARK = re.compile(r"\{\{([^{}|:;\s][^{}|:;]*)(?:\|([^{}|]+))?\}\}")  # no style sheet
CALL = re.compile(r'\bterm\("([^"]+)"(?:, "([^"]+)")?\)')


def test_every_marked_term_has_a_meaning() -> None:
    """The marks in all sentences are entries of the glossary."""
    marked = set()
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        found = CALL.findall(source) if path.suffix == ".js" else MARK.findall(_texts(source))
        marked |= {name or words for words, name in found}
    assert marked <= set(TERMS)


def _texts(source: str) -> str:
    """All texts of a module; in those of an f-string a brace is not doubled."""
    nodes = ast.walk(ast.parse(source))
    return "\n".join(str(node.value) for node in nodes if isinstance(node, ast.Constant))


def test_a_term_is_an_element_that_takes_the_focus() -> None:
    """The shown words may differ from the term; other braces stay as they are."""
    made = with_terms("max {{ulps|ulp}} of {x}")
    assert re.fullmatch(
        r'max <span class="term" tabindex="0".* data-term="ulp".*>ulps</span> of {x}', made
    )
    with pytest.raises(KeyError, match="no such term"):
        with_terms("{{no such term}}")
