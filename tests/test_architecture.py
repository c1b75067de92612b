"""Imports run downward only, and few folders know Streamlit.

Without it the rooms would grow together.
"""

import ast

from tests.load.server import ROOT

# A part imports parts of its own floor and of lower ones.
FLOORS = [
    {"text"},
    {"system"},
    {"fact"},
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
    """The part of a module: `embviz.ui.stage.x` -> `ui/stage`, `embviz.fact` -> `fact`."""
    if module == "embviz.ui.frame.shell":  # the script that `app.py` serves
        return "app"
    parts = module.removeprefix("embviz.").split(".")
    return "/".join(parts[: 1 + (parts[0] == "ui")])


def test_imports_run_downward_only() -> None:
    """No file imports a part above its own, and Streamlit stays where pages are drawn."""
    wrong, seen = [], set()
    for path in [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        part = part_of(module)
        if part not in FLOOR:  # the docstrings of embviz and of embviz/ui
            continue
        seen.add(part)
        nodes = ast.walk(ast.parse(path.read_text("utf-8")))
        for node in (one for one in nodes if isinstance(one, ast.Import | ast.ImportFrom)):
            for alias in node.names:
                name = f"{getattr(node, 'module', '')}.{alias.name}".lstrip(".")
                upward = FLOOR.get(part_of(name), 0) > FLOOR[part]
                drawn = name.startswith("streamlit")
                if upward or (drawn and part.split("/")[0] not in WITH_STREAMLIT):
                    wrong.append(f"{module}: {name}")
    assert wrong == []
    assert seen == set(FLOOR)
