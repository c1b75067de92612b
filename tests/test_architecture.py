"""Imports run downward only, and few folders know Streamlit.

Without it the rooms would grow together.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# A part imports parts of its own floor and of lower ones.
FLOORS: list[set[str]] = [
    {"core"},
    {"bag", "training", "context", "limits", "timing"},
    {"labs", "classes"},
    {"request"},
    {"figures", "server"},
    {"ui/state"},
    {"ui/parts", "ui/stage", "ui/frame"},
    {"ui/pages"},
    {"pages", "commands", "__main__", "app"},
]
FLOOR = {part: number for number, floor in enumerate(FLOORS) for part in floor}
WITH_STREAMLIT = {"ui", "server", "pages", "app"}


def part_of(module: str) -> str:
    """The part of a module: `embviz.ui.stage.x` -> `ui/stage`, `embviz.core` -> `core`."""
    if module == "embviz.ui.frame.shell":  # the script that `app.py` serves
        return "app"
    parts = module.removeprefix("embviz.").split(".")
    return "/".join(parts[:2]) if parts[0] == "ui" else parts[0]


def imports(source: str) -> Iterator[str]:
    """The module of each import of a file, also of those inside functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_imports_run_downward_only() -> None:
    """No file imports a part above its own, and Streamlit stays where pages are drawn."""
    wrong, seen = [], set()
    for path in [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        part = part_of(module)
        if part not in FLOOR:  # the docstrings of embviz and of embviz/ui
            continue
        seen.add(part)
        for name in imports(path.read_text(encoding="utf-8")):
            top = name.split(".")[0]
            upward = top == "embviz" and FLOOR.get(part_of(name), 0) > FLOOR[part]
            if upward or (top == "streamlit" and part.split("/")[0] not in WITH_STREAMLIT):
                wrong.append(f"{module}: {name}")
    assert wrong == []
    assert seen == set(FLOOR)
