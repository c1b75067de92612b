"""Which room may import which, and where Streamlit may be. A room is a folder of `embviz/`.

Python, scripts and style sheets alike. `pages/` and `app.py` put together, and may import all.
"""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

from tests.load.server import ROOT

GROUND = "text", "system", "fact", "settings", "picture"
# Room -> rooms that it may import. A folder `page` may import DRAWN too.
MAY = {
    "text": (),
    "system": ("text",),
    "fact": ("text", "system"),
    "settings": ("text", "system", "fact"),
    "picture": ("system", "fact", "settings"),
    "server": ("text", "system"),
    "ui": (*GROUND, "server"),
    "playground": GROUND,
    "bag": GROUND,
    "training": GROUND,
    "context": GROUND,
    "limits": GROUND,
    "timing": GROUND,
    "labs": (*GROUND, "timing"),
    "classes": (*GROUND, "server", "labs"),
    "teach": (*GROUND, "labs", "classes"),
    "live": (*GROUND, "server", "playground", "training", "context"),
    "hosting": ("text", "system", "server"),
    "commands": (*GROUND, "playground", "bag", "training", "context", "limits", "timing"),
}
DRAWN = "ui", "server"
WITH_STREAMLIT = {"ui", "server", "hosting"}  # and each folder `page`
OF_OTHERS = {"live", "classes", "teach"}  # rooms that import the `page` of another one
TOGETHER = {"app", "pages", "__main__", "version"}  # the last one is imported by all
FILES = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]
MODULES = {
    module: path
    for path in FILES
    if (module := ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    != "embviz"
}
# How a script or a style sheet names another file.
NAMED = re.compile(r'(?:\bfrom|@import) "([^"]+)"')


def place(module: str) -> tuple[str, bool]:
    """The room of a module, and whether it is in a folder `page`."""
    room, _, inside = module.removeprefix("embviz.").partition(".")
    return room, inside.partition(".")[0] == "page"


def imported(path: Path) -> set[str]:
    """The modules and names that a file imports, also inside of functions and for types alone."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def is_allowed(module: str, other: str) -> bool:
    """Whether a module may import another one of ours, or a name in it."""
    (room, is_page), (its_room, its_page) = place(module), place(other)
    if its_room == "version":
        return True
    if its_page:
        return is_page if its_room == room else room in OF_OTHERS and its_room in MAY[room]
    return its_room in {room, *MAY[room], *(DRAWN if is_page else ())}


def test_a_room_imports_what_it_may() -> None:
    """Computing knows no page and no Streamlit; a subject knows no other one."""
    modules = [module for module in MODULES if place(module)[0] not in TOGETHER]
    wrong = []
    for module in modules:
        room, is_page = place(module)
        for name in imported(MODULES[module]):
            if name.startswith("streamlit"):
                is_right = is_page or room in WITH_STREAMLIT
            else:
                is_right = not name.startswith(("embviz.", "pages.")) or is_allowed(module, name)
            wrong += [] if is_right else [f"{module}: {name}"]
    assert sorted(wrong) == []
    assert {place(module)[0] for module in modules} == {*MAY}


def test_scripts_and_style_sheets_import_what_their_room_may() -> None:
    """No import in Python shows that one subject draws with a script of another one."""
    wrong, seen = [], 0
    for path in [*ROOT.glob("embviz/**/*.js"), *ROOT.glob("embviz/**/*.css")]:
        module, text = ".".join(path.relative_to(ROOT).parts), path.read_text("utf-8")
        others = [(path.parent / name).resolve() for name in NAMED.findall(text)]
        seen += len(others)
        for other in others:
            name = ".".join(other.relative_to(ROOT).parts)
            if not other.exists() or not is_allowed(module, name):
                wrong.append(f"{module}: {name}")
    assert wrong == []
    assert seen > 50


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


def test_what_a_run_says_is_not_known_where_it_is_measured() -> None:
    """A change of a sentence or a verdict must change no measurement."""
    modules = [one for one in MODULES if one.startswith("embviz.timing.measure.")]
    named = {name for module in modules for name in imported(MODULES[module])}
    assert named
    assert [name for name in named if name.startswith("embviz.timing.tell")] == []
