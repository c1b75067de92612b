"""Colours live in the theme alone."""

import ast
import re
from pathlib import Path

from tests.ui.headless import ROOT

COLOUR = re.compile(r"#(?!000000|ffffff)[0-9a-fA-F]{6}\b|\b(?:rgb|hsl)a?\(\s*\d+")
ENDS = {".py", ".css", ".js", ".html"}
FILES = [one for one in (ROOT / "embviz").rglob("*") if one.suffix in ENDS]


def written(path: Path) -> str:
    """What a file holds; of a Python file its strings, without documentation."""
    source = path.read_text("utf-8")
    if path.suffix != ".py":
        return source
    nodes = [*ast.walk(ast.parse(source))]
    own = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = (one for one in nodes if isinstance(one, ast.Constant) and id(one) not in own)
    return "\n".join(str(one.value) for one in texts)


def test_a_file_has_no_colour_of_its_own() -> None:
    """Colours come from `.streamlit/config.toml`, in Python, CSS, JavaScript and HTML."""
    assert {one.suffix for one in FILES} == ENDS
    assert [str(one) for one in FILES if COLOUR.search(written(one))] == []
    assert COLOUR.search("color: light-dark(#565d6a, #a9b1be); fill: rgba(10, 20")
