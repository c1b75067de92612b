"""Which room may import which, and where Streamlit may be. A room is a folder of `embviz/`."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

from tests.load.server import ROOT

GROUND = "text", "system", "fact", "settings", "picture"
DRAWN = "ui", "server"  # with Streamlit
# Room -> rooms that its computing may import; `page` of a subject may also import DRAWN.
MAY = {
    "text": (),
    "system": ("text",),
    "fact": ("text", "system"),
    "settings": ("text", "system", "fact"),
    "picture": ("system", "fact", "settings"),
    "server": ("text", "system"),
    "ui": (*GROUND, "server"),
    "playground": GROUND,
    "bag": ("text", "system", "fact", "settings"),
    "training": GROUND,
    "context": GROUND,
    "limits": ("text", "system", "fact", "settings"),
    "timing": GROUND,
    "labs": ("text", "fact", "settings", "timing"),
    "classes": ("text", "system", "server", "labs"),
    "teach": ("system", "settings", "labs", "classes"),
    "live": (*GROUND, "server", "playground", "training", "context"),
    "hosting": ("text", "system", "server"),
    "commands": (
        "text",
        "system",
        "fact",
        "settings",
        "playground",
        "bag",
        "training",
        "context",
        "limits",
        "timing",
    ),
}
WITH_STREAMLIT = {"ui", "server", "hosting"}  # and each `page`, pages/, app.py
PAGES_OF = {"live", "classes", "teach"}  # rooms that import the `page` of another


def place(module: str) -> tuple[str, bool]:
    """The room of a module, and whether it is in its `page`."""
    parts = module.removeprefix("embviz.").split(".")
    return parts[0], len(parts) > 1 and parts[1] == "page"


FILES = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]
MODULES = {
    module: path
    for path in FILES
    if (module := ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    != "embviz"
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


def test_a_room_imports_what_it_may() -> None:
    """Computing knows no page and no Streamlit; a subject knows no other one but by the table."""
    wrong, rooms = [], set()
    for module, path in MODULES.items():
        room, is_page = place(module)
        if room in ("app", "pages", "__main__"):
            continue
        rooms.add(room)
        may = {room, *MAY[room], *(DRAWN if is_page else ())}
        for name in imported(path):
            if name.startswith("streamlit") and not (is_page or room in WITH_STREAMLIT):
                wrong.append(f"{module}: {name}")
            if not name.startswith(("embviz.", "pages.")) or name == "embviz.__version__":
                continue
            other, its_page = place(name)
            is_own = other == room
            if other not in may or (its_page and not (is_page if is_own else room in PAGES_OF)):
                wrong.append(f"{module}: {name}")
    assert sorted(wrong) == []
    assert rooms == {*MAY}


def test_no_room_and_no_module_imports_itself_by_a_detour() -> None:
    """A circle of imports cannot be read in any order."""
    modules, rooms = TopologicalSorter[str](), TopologicalSorter[str]()
    for module, path in MODULES.items():
        for name in imported(path):
            target = name if name in MODULES else name.rpartition(".")[0]
            if target not in MODULES or target == module:
                continue
            modules.add(module, target)
            if place(module)[0] != place(target)[0]:
                rooms.add(place(module)[0], place(target)[0])
    modules.prepare()  # raises CycleError, which names the circle
    rooms.prepare()
