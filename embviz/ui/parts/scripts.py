"""The components' scripts: ES modules as they lie in `embviz/ui`, and as a browser gets them.

A script `NAME.js` with a default export is a component. Its markup is `NAME.html` and its style
`NAME.css`, where these files are there; a style sheet begins with the sheets that it imports.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

FOLDER = Path(__file__).parents[1]
_IMPORT = re.compile(r'^import \{[^{}]*\} from "(\.\.?/[\w./]+\.js)";\n', re.MULTILINE)
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
    mount = Path(os.path.relpath(FOLDER / "parts" / "mount.js", path.parent)).as_posix()
    return text + _LOOK % {"mount": mount, "look": look}


def order(path: Path) -> list[Path]:
    """A script and those that it imports, each after its own imports."""
    found = dict[Path, None]()
    for name in _IMPORT.findall(source(path)):
        found |= dict.fromkeys(order((path.parent / name).resolve()))
    return [*found, path]


def served() -> dict[str, str]:
    """The text of each script, by its path below `embviz/ui`."""
    return {name_of(path): source(path) for path in sorted(FOLDER.rglob("*.js"))}


def name_of(path: Path) -> str:
    """A script's name in its address: `stage/stage.js`."""
    return path.relative_to(FOLDER).as_posix()
