import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("app.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("embviz/**/*.py")]
)
PAGES = [name for name in MODULES if name.startswith("pages/")]

# A part imports only parts of lower floors. On a SHARED floor, parts import each other too.
FLOOR = {
    "core/wording": -3,
    "core/bounds": -3,
    "core/data_folder": -3,
    "core/fact": -3,
    "core/cores": -3,
    "core/activity": -2,
    "core/child": -2,
    "core/dtypes": -3,
    "core/inits": -3,
    "core/numbers": -2,
    "core/archive": -2,
    "core/config": -2,
    "core/vocabulary": -3,
    "core/pieces": -2,
    "core/merges": -1,
    "core/words": -1,
    "core/o200k": -1,
    "core/tokenizers": 0,
    "core/ids": -1,
    "core/escapes": -1,
    "core/weights": -1,
    "core/environment": -1,
    "core/distribution": -1,
    "core/layers": 0,
    "core/comparison": 1,
    "core/cost": 1,
    "core/storage": 1,
    "core/routes": 2,
    "core/export": 3,
    "core": 4,
    "bag": 5,
    "training": 5,
    "context": 5,
    "limits": 5,
    "timing": 5,
    "labs": 6,
    "classes": 7,
    "request": 8,
    "figures": 9,
    "server": 9,
    "ui/state": 10,
    "ui/parts": 11,
    "ui/stage": 11,
    "ui/frame": 11,
    "ui/pages": 12,
    "ui": 13,
    "pages": 14,
    "commands": 14,
    "__main__": 15,
    "app": 15,
}
SHARED = 5, 11  # the subjects import each other, and so do frame, stage and parts
SUBJECTS = 5  # below this floor torch and numpy are enough
BARE = {"torch", "numpy"}
WITH_NUMERICS = BARE | {"scipy", "sklearn", "pandas"}
EXTRA = {
    "core/merges": {"tokenizers"},
    "core/cores": {"psutil"},
    "core/data_folder": {"platformdirs"},
    "core/environment": {"psutil"},
    "timing": {"psutil", "filelock", "distributed", "dask"},  # the last two are an optional extra
    "context": {"sentence_transformers", "transformers", "huggingface_hub"},  # an optional extra
}
STREAMLIT = ("ui", "server", "pages", "app")


def part_of(path: str) -> str:
    """The part a file belongs to: the longest name that FLOOR knows.

    `embviz/ui/stage/__init__.py` -> `ui/stage`, `embviz/core/ids.py` -> `core/ids`,
    `embviz/bag/matrix.py` -> `bag`, `pages/x.py` -> `pages`.
    """
    parts = Path(path).with_suffix("").parts
    if parts[0] == "embviz":
        parts = parts[1:]
    two = "/".join(parts[:2])
    return two if two in FLOOR else parts[0]


def is_module(name: str) -> bool:
    """Whether a name such as `embviz.core.ids` is a module or package of this project."""
    place = ROOT / name.replace(".", "/")
    return place.with_suffix(".py").is_file() or place.is_dir()


def imports(path: str, source: str) -> Iterator[tuple[str, bool]]:
    """Each import of a file, and whether it runs when the file is imported."""
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
            within = {alias.name: f"{module}.{alias.name}" for alias in node.names}
            # `from embviz.core import config` imports embviz.core.config.
            names = [within[n] if is_module(within[n]) else module for n in within]
        else:
            continue
        yield from ((name, node not in later) for name in names)


def module_of(name: str) -> str:
    """`embviz.core.ids` as a path, for `part_of`."""
    return name.replace(".", "/") + ".py"


def forbidden_imports(path: str, source: str) -> list[str]:
    """Each forbidden import of a file, with the reason."""
    part = part_of(path)
    floor = FLOOR.get(part, 0)
    found = []
    for name, at_once in imports(path, source):
        top, _, rest = name.partition(".")
        if part == "__init__":
            if at_once:
                found.append(f"{name}: embviz/__init__.py imports nothing before it is asked to")
        elif top == "embviz" and rest:
            target = part_of(module_of(name))
            sideways = target == part or floor == FLOOR[target] in SHARED
            if target == "__main__" or not (FLOOR[target] < floor or sideways):
                found.append(f"{name}: imports run downward only")
        if top in sys.stdlib_module_names or part.split("/")[0] in (*STREAMLIT, "__init__"):
            continue
        if part in ("__main__", "commands"):
            if at_once and top != "embviz":
                found.append(f"{name}: only inside the command that needs it")
        elif top == "streamlit":
            found.append(f"{name}: only ui/ and server/ import streamlit")
        elif top != "embviz" and part != "figures":
            allowed = (BARE if floor < SUBJECTS else WITH_NUMERICS) | EXTRA.get(part, set())
            if top not in allowed:
                found.append(f"{name}: the core imports only {', '.join(sorted(allowed))}")
    return found


def page_faults(source: str) -> list[str]:
    """Each fault of a page: too long, session state, or a loop over torch."""
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
    """The search for modules finds every part of the architecture."""
    basic = {f"embviz/{part}.py" for part in FLOOR if part.startswith("core/")}
    assert basic | {"embviz/__init__.py", "embviz/__main__.py", "app.py"} <= set(MODULES)
    assert {part_of(path) for path in MODULES} == {*FLOOR, "__init__"}
    assert "pages/playground.py" in PAGES
    assert any(name.startswith("embviz/ui/") for name in MODULES)


def test_imports_run_downward_only() -> None:
    """Imports run downward only."""
    found = {path: forbidden_imports(path, (ROOT / path).read_text("utf-8")) for path in MODULES}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("listed", "begin", "package"),
    [("__init__.py", "Inside core:", "core"), ("timing/__init__.py", "cases:", "timing")],
)
def test_the_reading_order_is_that_of_the_imports(listed: str, begin: str, package: str) -> None:
    """The docstring lists every module of the package after those that it imports."""
    words = ast.get_docstring(ast.parse((ROOT / "embviz" / listed).read_text("utf-8"))) or ""
    order = re.findall(r"(\w+)[,.]", words.partition(begin)[2].partition("\n\n")[0])
    paths = {path.stem: path for path in (ROOT / "embviz" / package).glob("[!_]*.py")}
    assert sorted(order) == sorted(paths)
    for place, module in enumerate(order):
        late = {f"embviz.{package}.{other}" for other in order[place + 1 :]}
        found = imports(f"embviz/{package}/{module}.py", paths[module].read_text("utf-8"))
        assert late.isdisjoint(name for name, at_once in found if at_once), module


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("embviz/core/config.py", "from embviz.core.layers import tie"),
        ("embviz/core/config.py", "def f():\n    import embviz.core.routes"),
        ("embviz/core/config.py", "from embviz.core import tokenizers"),
        ("embviz/core/config.py", "from . import tokenizers"),
        ("embviz/core/config.py", "from .layers import tie"),
        ("embviz/core/config.py", "import pandas"),
        ("embviz/core/ids.py", "from embviz.core.layers import tie"),
        ("embviz/core/layers.py", "import streamlit as st"),
        ("embviz/core/layers.py", "import scipy.sparse"),
        ("embviz/core/comparison.py", "from embviz.core.cost import Cost"),
        ("embviz/core/environment.py", "from embviz.core.layers import tie"),
        ("embviz/core/routes.py", "from embviz.timing.cases import Case"),
        ("embviz/bag/matrix.py", "from embviz.ui.frame.controls import main"),
        ("embviz/bag/matrix.py", "from embviz.figures import bars"),
        ("embviz/bag/matrix.py", "from embviz.labs import record"),
        ("embviz/bag/matrix.py", "import plotly.graph_objects"),
        ("embviz/labs/record.py", "from embviz.request import parameters"),
        ("embviz/request/inputs.py", "import streamlit"),
        ("embviz/request/inputs.py", "from embviz.server import guard"),
        ("embviz/timing/measure.py", "import streamlit"),
        ("embviz/timing/measure.py", "from embviz.__main__ import main"),
        ("embviz/timing/measure.py", "from embviz.commands import time"),
        ("embviz/figures/bars.py", "import streamlit"),
        ("embviz/figures/bars.py", "from embviz.server import memory"),
        ("embviz/figures/bars.py", "from embviz.ui.frame import controls"),
        ("embviz/server/guard.py", "from embviz.ui.state import session"),
        ("embviz/ui/state/link.py", "from embviz.ui.parts import widgets"),
        ("embviz/ui/parts/chart.py", "from embviz.ui.pages import playground"),
        ("embviz/ui/frame/shell.py", "import embviz.__main__"),
        ("embviz/__main__.py", "import torch"),
        ("embviz/commands/time.py", "import torch"),
        ("embviz/__init__.py", "import os"),
    ],
)
def test_a_wrong_import_is_noticed(path: str, source: str) -> None:
    """The check notices every kind of wrong import."""
    assert len(forbidden_imports(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("embviz/core/layers.py", "from embviz.core.config import Config\nimport torch, math"),
        ("embviz/bag/matrix.py", "import scipy.sparse\nfrom embviz.core.routes import run_both"),
        ("embviz/timing/measure.py", "import psutil\nfrom embviz.timing.cases import Case"),
        ("embviz/limits/prove.py", "from embviz.training import train"),
        ("embviz/figures/bars.py", "import plotly\nfrom embviz.timing.runs import Run"),
        ("embviz/server/guard.py", "import streamlit\nfrom embviz.request import parameters"),
        ("embviz/ui/frame/shell.py", "import streamlit\nfrom embviz.figures import bars"),
        ("embviz/ui/frame/shell.py", "from embviz.ui.parts import widgets"),
        ("embviz/commands/compare.py", "def f():\n    import torch, pandas, embviz.ui"),
        ("embviz/__main__.py", "if TYPE_CHECKING:\n    from embviz.core.routes import BothRoutes"),
        ("embviz/__init__.py", "def f():\n    from embviz.request import compare"),
        ("pages/timing.py", "import streamlit\nfrom embviz.timing import sweep"),
    ],
)
def test_a_right_import_is_allowed(path: str, source: str) -> None:
    """The check accepts imports that run downward."""
    assert forbidden_imports(path, source) == []


def test_a_page_is_a_short_story() -> None:
    """A page has at most 80 lines, no session state and no loop over torch."""
    found = {path: page_faults((ROOT / path).read_text("utf-8")) for path in PAGES}
    assert {path: faults for path, faults in found.items() if faults} == {}


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
    """The check notices every fault of a page."""
    assert len(page_faults(source)) == 1


def test_every_module_says_what_it_does() -> None:
    """Every module has a docstring."""
    trees = {path: ast.parse((ROOT / path).read_text("utf-8")) for path in MODULES}
    assert [path for path, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_no_download_causes_a_rerun() -> None:
    """A rerun withdraws the file of another button that was pressed just before."""
    trees = {path: ast.parse((ROOT / path).read_text("utf-8")) for path in MODULES}
    calls = [
        (path, {one.arg: ast.unparse(one.value) for one in node.keywords})
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.download_button"
    ]
    assert calls
    assert [path for path, given in calls if given.get("on_click") != "'ignore'"] == []


def run_python(code: str) -> str:
    """The output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_basic_parts_need_torch_and_numpy_alone() -> None:
    """core/ runs with torch and numpy alone, as on a bare GPU machine."""
    blocked = ["streamlit", "plotly", "scipy", "sklearn", "pandas", "psutil", "cachetools"]
    basic = [f"embviz.{part.replace('/', '.')}" for part in FLOOR if part.startswith("core/")]
    printed = run_python(
        f"import sys; sys.modules.update(dict.fromkeys({blocked}))\n"  # None: ImportError
        f"import {', '.join(basic)}\n"
        "machine = embviz.core.environment.Environment.capture()\n"
        "print(machine.memory_bytes, machine.physical_cores)"
    )
    assert printed == "None None\n"


def test_asking_for_help_loads_nothing_heavy() -> None:
    """`--help` and the measuring process start without torch and numpy."""
    printed = run_python(
        "import sys\nfrom embviz.commands import build_parser\n"
        "build_parser(['time']).format_help()\n"
        "print({'torch', 'numpy'} & sys.modules.keys(), 'embviz.request' in sys.modules)"
    )
    assert printed == "set() False\n"


def test_comparing_needs_no_streamlit() -> None:
    """`from embviz import compare` gives outputs and a page without Streamlit and plotly."""
    printed = run_python(
        "import sys; sys.modules.update(dict.fromkeys(['streamlit', 'plotly']))\n"
        "from embviz import compare\n"
        "print(compare('hello', dim=4).lookup.shape, '<iframe' in compare('a')._repr_html_())"
    )
    assert printed == "torch.Size([1, 5, 4]) True\n"
