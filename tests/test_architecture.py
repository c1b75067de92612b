import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("app.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]
)
PAGES = [name for name in MODULES if name.startswith("pages/")]

# A part may import only parts of a lower floor; parts not named here stand between the basic
# ones and the figures, and may import each other (timing, bag, training, limits, context, ...).
FLOOR = {
    "wording": -1, "bounds": -1, "config": 0,
    "vocabulary": 1, "ids": 1, "escapes": 1, "weights": 1, "environment": 1, "distribution": 1,
    "layers": 2,
    "comparison": 3, "cost": 3,
    "routes": 4,
    "figures": 6,
    "ui": 7,
    "pages": 8, "__main__": 8, "app": 8,
}  # fmt: skip
LATER = 5
BARE = {"torch", "numpy"}
WITH_NUMERICS = BARE | {"scipy", "sklearn", "pandas"}
EXTRA = {
    "environment": {"psutil"},
    "timing": {"psutil", "filelock"},
    "context": {"sentence_transformers", "transformers", "huggingface_hub"},  # an optional extra
}


def part_of(path: str) -> str:
    """`embviz/ui/stage/payload.py` -> `ui`, `embviz/ids.py` -> `ids`, `pages/x.py` -> `pages`."""
    parts = Path(path).with_suffix("").parts
    return parts[1] if parts[0] == "embviz" else parts[0]


def imports(path: str, source: str) -> Iterator[tuple[str, bool]]:
    """Each module imported anywhere, and whether `import path` alone would import it."""
    tree = ast.parse(source)
    later: set[ast.AST] = set()
    for node in ast.walk(tree):
        for_types = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        if for_types or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            later.update(ast.walk(node))
    package = list(Path(path).with_suffix("").parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [module]
            if module == "embviz":  # `from embviz import config` imports embviz.config
                names = [f"embviz.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((name, node not in later) for name in names)


def forbidden_imports(path: str, source: str) -> list[str]:
    """The imports of a file that the house does not allow, each with the reason."""
    part = part_of(path)
    floor = FLOOR.get(part, LATER)
    found = []
    for name, at_once in imports(path, source):
        top, _, rest = name.partition(".")
        if top == "embviz" and rest:
            target = rest.split(".")[0]
            target_floor = FLOOR.get(target, LATER)
            sideways = target == part or floor == target_floor == LATER
            if target == "__main__" or not (target_floor < floor or sideways):
                found.append(f"{name}: imports run downward only")
        if part == "__init__" and floor == LATER:
            found.append(f"{name}: embviz/__init__.py imports nothing")
        if top in sys.stdlib_module_names or part in ("ui", "pages", "app"):
            continue
        if part == "__main__":
            if at_once:
                found.append(f"{name}: only inside the command that needs it")
        elif top == "streamlit":
            found.append(f"{name}: only the user interface imports streamlit")
        elif top != "embviz" and part != "figures":
            allowed = (BARE if floor < LATER else WITH_NUMERICS) | EXTRA.get(part, set())
            if top not in allowed:
                found.append(f"{name}: the core imports only {', '.join(sorted(allowed))}")
    return found


def page_faults(source: str) -> list[str]:
    """What a page does that belongs in embviz/."""
    found = []
    if (lines := len(source.splitlines())) > 80:
        found.append(f"{lines} lines are more than 80")
    if "session_state" in source:
        found.append("session_state belongs in embviz/ui")
    tree = ast.parse(source)
    uses_torch = any(name.partition(".")[0] == "torch" for name, _ in imports("pages/x.py", source))
    if uses_torch and any(isinstance(node, ast.For | ast.While) for node in ast.walk(tree)):
        found.append("a loop over torch belongs in the core")
    return found


def test_the_walk_finds_the_modules() -> None:
    """The tests below would pass because they look at nothing."""
    basic = {f"embviz/{part}.py" for part, floor in FLOOR.items() if floor < LATER}
    assert basic | {"embviz/__init__.py", "embviz/__main__.py", "app.py"} <= set(MODULES)
    assert "pages/playground.py" in PAGES
    assert any(name.startswith("embviz/ui/") for name in MODULES)


@pytest.mark.parametrize("path", MODULES)
def test_imports_run_downward_only(path: str) -> None:
    """The core could no longer be used, tested or timed without the user interface."""
    assert forbidden_imports(path, (ROOT / path).read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("embviz/config.py", "from embviz.layers import tie"),
        ("embviz/config.py", "def f():\n    import embviz.routes"),
        ("embviz/config.py", "from embviz import vocabulary"),
        ("embviz/config.py", "from . import vocabulary"),
        ("embviz/config.py", "from .layers import tie"),
        ("embviz/config.py", "import pandas"),
        ("embviz/ids.py", "from embviz.vocabulary import visible"),
        ("embviz/layers.py", "import streamlit as st"),
        ("embviz/layers.py", "import scipy.sparse"),
        ("embviz/comparison.py", "from embviz.cost import Cost"),
        ("embviz/environment.py", "from embviz.layers import tie"),
        ("embviz/routes.py", "from embviz.timing.cases import Case"),
        ("embviz/bag.py", "from embviz.ui.controls import main"),
        ("embviz/bag.py", "from embviz.figures import bars"),
        ("embviz/bag.py", "import plotly.graph_objects"),
        ("embviz/timing/measure.py", "import streamlit"),
        ("embviz/timing/measure.py", "from embviz.__main__ import main"),
        ("embviz/figures/bars.py", "import streamlit"),
        ("embviz/figures/bars.py", "from embviz.ui import controls"),
        ("embviz/ui/shell.py", "import embviz.__main__"),
        ("embviz/__main__.py", "import torch"),
        ("embviz/__main__.py", "from embviz.config import Config"),
        ("embviz/__init__.py", "import os"),
    ],
)
def test_a_wrong_import_is_noticed(path: str, source: str) -> None:
    """The check of the imports would let one through."""
    assert len(forbidden_imports(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("embviz/layers.py", "from embviz.config import Config\nimport torch, math"),
        ("embviz/bag.py", "import scipy.sparse\nfrom embviz.routes import run_both"),
        ("embviz/timing/measure.py", "import psutil\nfrom embviz.timing.cases import Case"),
        ("embviz/limits.py", "from embviz.training import train"),
        ("embviz/figures/bars.py", "import plotly\nfrom embviz.timing.runs import Run"),
        ("embviz/ui/shell.py", "import streamlit\nfrom embviz.figures import bars"),
        ("embviz/__main__.py", "def f():\n    import torch, pandas, embviz.ui"),
        ("embviz/__main__.py", "if TYPE_CHECKING:\n    from embviz.routes import BothRoutes"),
        ("pages/timing.py", "import streamlit\nfrom embviz.timing import sweep"),
    ],
)
def test_a_right_import_is_allowed(path: str, source: str) -> None:
    """The check of the imports would stand in the way of the pages still to come."""
    assert forbidden_imports(path, source) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_a_short_story(path: str) -> None:
    """Logic would creep into a page, where the core's tests cannot reach it."""
    assert page_faults((ROOT / path).read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\n" * 81,
        "import streamlit as st\nst.session_state['a'] = 1",
        "import torch\nfor row in torch.eye(3):\n    print(row)",
        "from torch import nn\nwhile True:\n    nn.Linear(1, 1)",
    ],
)
def test_a_page_with_logic_is_noticed(source: str) -> None:
    """The check of the pages would let one through."""
    assert len(page_faults(source)) == 1


@pytest.mark.parametrize("path", MODULES)
def test_every_module_says_what_it_does(path: str) -> None:
    """A reader would open a file that does not say what it is for."""
    docstring = ast.get_docstring(ast.parse((ROOT / path).read_text("utf-8")))
    assert docstring
    assert docstring.splitlines()[0].rstrip()


def run_python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_basic_parts_need_torch_and_numpy_alone() -> None:
    """A bare GPU machine could not run the command line."""
    blocked = ["streamlit", "plotly", "scipy", "sklearn", "pandas", "psutil", "cachetools"]
    basic = [f"embviz.{part}" for part, floor in FLOOR.items() if floor < LATER]
    printed = run_python(
        f"import sys; sys.modules.update(dict.fromkeys({blocked}))\n"  # None: ImportError
        f"import {', '.join(basic)}\n"
        "machine = embviz.environment.Environment.capture()\n"
        "print(machine.memory_bytes, machine.physical_cores)"
    )
    assert printed == "None None\n"


def test_asking_for_help_loads_nothing_heavy() -> None:
    """`python -m embviz --help` would take seconds."""
    printed = run_python(
        "import sys, embviz, embviz.__main__\nprint({'torch', 'numpy'} & sys.modules.keys())"
    )
    assert printed == "set()\n"
