"""The components' scripts: ES modules in `embviz`, and one bundle of a component's modules.

A script with a default export is a component. HTML and CSS files of the same name are its markup
and its style; a style sheet begins with the sheets that it imports.

The first picture needs 20 modules. Served one by one, and asked for all at once, they delayed it by
250 ms where an answer takes 60 ms. So a browser gets one bundle a component: its modules in one
scope, each after those that it imports, without `import` and `export`. More is not needed, because
no two modules declare the same name (`tests/js/test_modules.py`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parents[2]
_IMPORT = re.compile(r'^import \{[^{}]*\} from "(\.\.?/[\w./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let) )", re.MULTILINE)
_COMPONENT = re.compile(r"^export default function ", re.MULTILINE)
_SHEET = re.compile(r'^@import "([\w./]+\.css)";\n', re.MULTILINE)
# The last lines of a component with markup, which the bootstrap calls.
_LOOK = """
import { mountLook } from "%(mount)s";
export const mount = (root) => mountLook(root, %(look)s);
"""


def style(path: Path) -> str:
    """A style sheet, with those that it imports in their places."""
    text = path.read_text("utf-8")
    return _SHEET.sub(lambda found: style(path.parent / found[1]), text)


def source(path: Path) -> str:
    """A script; a component's has its markup and style at the end."""
    text = path.read_text("utf-8")
    html, css = path.with_suffix(".html"), path.with_suffix(".css")
    if not html.exists():
        return text
    look = json.dumps({"html": html.read_text("utf-8"), "css": style(css)})
    mount = Path(os.path.relpath(Path(__file__).with_name("mount.js"), path.parent)).as_posix()
    return text + _LOOK % {"mount": mount, "look": look}


def order(path: Path, sources: Mapping[Path, str]) -> list[Path]:
    """A script and those that it imports, each after its own imports."""
    ordered: list[Path] = []

    def add(script: Path) -> None:
        if script in ordered:
            return
        for name in _IMPORT.findall(sources[script]):
            add(Path(os.path.normpath(script.parent / name)))
        ordered.append(script)

    add(path)
    return ordered


def bundle(path: Path, sources: Mapping[Path, str]) -> str:
    """A component and all that it imports, as one module."""
    texts = []
    for script in order(path, sources):
        text = sources[script] if script == path else _EXPORT.sub("", sources[script])
        texts.append(f"// ==== {name_of(script)}\n{text}")
    return _IMPORT.sub("", "\n".join(texts))


def bundles() -> dict[str, str]:
    """The bundle of each component, by its path below `embviz`."""
    sources = {path: source(path) for path in sorted(FOLDER.rglob("*.js"))}
    components = [path for path, text in sources.items() if _COMPONENT.search(text)]
    return {name_of(path): bundle(path, sources) for path in components}


def name_of(path: Path) -> str:
    """A script's name in its address: `stage/stage.js`."""
    return path.relative_to(FOLDER).as_posix()
