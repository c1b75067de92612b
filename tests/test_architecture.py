"""Imports run downward only, and few folders know Streamlit.

Without it the rooms would grow together.
"""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

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
    {"ui/parts"},
    {"ui/stage", "ui/frame"},
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


FILES = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]
# The docstrings of embviz and of embviz/ui; both import nothing at once.
MODULES = {
    module: path
    for path in FILES
    if (module := ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    not in ("embviz", "embviz.ui")
}


def imported(path: Path) -> set[str]:
    """The modules and names that a file imports, also inside of functions and for types alone."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_imports_run_downward_only() -> None:
    """No file imports a part above its own, and Streamlit stays where pages are drawn."""
    wrong = []
    for module, path in MODULES.items():
        part = part_of(module)
        for name in imported(path):
            is_upward = FLOOR.get(part_of(name), 0) > FLOOR[part]
            is_drawn = name.startswith("streamlit") and part.split("/")[0] not in WITH_STREAMLIT
            if is_upward or is_drawn:
                wrong.append(f"{module}: {name}")
    assert wrong == []
    assert {*map(part_of, MODULES)} == set(FLOOR)


def test_no_part_and_no_module_imports_itself_by_a_detour() -> None:
    """A circle of imports cannot be read in any order."""
    modules, parts = TopologicalSorter[str](), TopologicalSorter[str]()
    for module, path in MODULES.items():
        for name in imported(path):
            target = name if name in MODULES else name.rpartition(".")[0]
            if target not in MODULES or target == module:
                continue
            modules.add(module, target)
            if part_of(module) != part_of(target):
                parts.add(part_of(module), part_of(target))
    modules.prepare()  # raises CycleError, which names the circle
    parts.prepare()
