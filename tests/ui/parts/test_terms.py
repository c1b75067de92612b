"""Terms of the glossary in the sentences of pages and components."""

import ast
import re

import pytest

from embviz.request.glossary import TERMS
from embviz.ui.parts.terms import with_terms
from tests.ui.headless import ROOT

MARK = re.compile(r"\{\{([^{}|:;\s][^{}|:;]*)(?:\|([^{}|]+))?\}\}")  # no style sheet


def test_every_marked_term_has_a_meaning() -> None:
    """The marks in all sentences are entries of the glossary."""
    marked = set()
    for path in [*(ROOT / "embviz").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        if path.stem not in ("terms", "glossary"):
            nodes = ast.walk(ast.parse(path.read_text("utf-8")))
            texts = "\n".join(str(one.value) for one in nodes if isinstance(one, ast.Constant))
            marked |= {name or words for words, name in MARK.findall(texts)}
    assert marked
    assert marked <= set(TERMS)


def test_a_term_is_an_element_that_takes_the_focus() -> None:
    """The shown words may differ from the term; other braces stay as they are."""
    made = with_terms("max {{ulps|ulp}} of {x}")
    wanted = r'max <span class="term" tabindex="0".* data-term="ulp".*>ulps</span> of {x}'
    assert re.fullmatch(wanted, made)
    with pytest.raises(KeyError, match="no such term"):
        with_terms("{{no such term}}")
