"""Colours live in the theme alone."""

import ast
import re

from tests.ui.headless import ROOT

COLOUR = re.compile(r"#(?!000000|ffffff)[0-9a-fA-F]{6}\b|\b(?:rgb|hsl)a?\(\s*\d+")


def colours(end: str, source: str) -> list[str]:
    """Colours that a file writes itself; its documentation may show one."""
    if end == ".py":
        nodes = [*ast.walk(ast.parse(source))]
        own = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts = [one for one in nodes if isinstance(one, ast.Constant) and id(one) not in own]
        source = "\n".join(str(one.value) for one in texts)
    return COLOUR.findall(source)


def test_a_file_has_no_colour_of_its_own() -> None:
    """Colours come from `.streamlit/config.toml`, in Python, CSS, JavaScript and HTML."""
    ends = {".py", ".css", ".js", ".html"}
    files = [one for name in ("embviz", "pages") for one in (ROOT / name).rglob("*")]
    files = [one for one in files if one.suffix in ends]
    assert {one.suffix for one in files} == ends
    assert [str(one) for one in files if colours(one.suffix, one.read_text("utf-8"))] == []
    assert colours(".css", "p { color: light-dark(#565d6a, #a9b1be); }")
    assert colours(".js", "pen.fillStyle = 'rgba(10, 20, 30, 0.5)';")
    assert colours(".py", "STYLE = f'<style>p {{ color: #565d6a }} {x}</style>'")
