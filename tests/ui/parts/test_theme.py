"""Colours live in the theme alone."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("embviz", "pages")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".css", ".js", ".html")
)


def colours(path: str, source: str) -> list[str]:
    """Colours that a file writes itself: `#rrggbb`, `rgb(1`. Black and white inks are none.

    Documentation may show one.
    """
    if path.endswith(".py"):
        nodes = [*ast.walk(ast.parse(source))]
        documentation = [node.value for node in nodes if isinstance(node, ast.Expr)]
        constants = [node for node in nodes if isinstance(node, ast.Constant)]
        strings = [str(one.value) for one in constants if one not in documentation]
        source = "\n".join(strings)
    found = re.findall(r"#[0-9a-fA-F]{6}\b|\b(?:rgb|hsl)a?\(\s*\d+", source)
    return [one for one in found if one not in ("#000000", "#ffffff")]


def test_the_walk_finds_files_of_each_kind() -> None:
    """Python, CSS, JavaScript and HTML are all read."""
    assert {Path(path).suffix for path in FILES} == {".py", ".css", ".js", ".html"}


def test_a_file_has_no_colour_of_its_own() -> None:
    """Colours come from `.streamlit/config.toml`."""
    found = {path: colours(path, (ROOT / path).read_text("utf-8")) for path in FILES}
    assert {path: own for path, own in found.items() if own} == {}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.css", "p { color: light-dark(#565d6a, #a9b1be); }"),
        ("a.js", "pen.fillStyle = 'rgba(10, 20, 30, 0.5)';"),
        ("a.py", "STYLE = f'<style>p {{ color: #565d6a }} {x}</style>'"),
    ],
)
def test_a_colour_is_found(path: str, source: str) -> None:
    """The check sees hexadecimal and rgb colours, in f-strings too."""
    assert colours(path, source)
