"""Scripts that are shown run in an empty folder, with what they say that they need and no more."""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import scipy.sparse
import torch

from embviz.bag.page.sections import before_the_routes
from embviz.bag.recipe import RECIPE
from embviz.bag.routes import run
from embviz.fact.export import script
from embviz.fact.words import ROWS
from embviz.limits.case import BEFORE_A_FIX
from embviz.playground.compare import compare
from embviz.settings.model_settings import MODEL
from embviz.settings.worlds import WORLDS

NAMES = {"numpy": "NumPy", "scipy": "SciPy", "torch": "PyTorch"}


def of_world(name: str) -> str:
    """The script of a world's own text."""
    world = WORLDS[name]
    settings = {name: value for name, value in world.settings.items() if name in MODEL}
    given = compare(world.text or "hello", **settings).given
    return script(given.table, ids=given.ids, text=given.text, vocabulary=given.vocabulary)


def needed(source: str) -> set[str]:
    """The packages that a script imports."""
    lines = re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE)
    return {*lines} - {*sys.stdlib_module_names}


SCRIPTS: dict[str, Callable[[], str]] = {
    f"world {name}": partial(of_world, name) for name in WORLDS
}
SCRIPTS |= {"recipe": lambda: RECIPE, "a case": lambda: BEFORE_A_FIX}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_says_what_it_needs_and_runs_with_it(name: str, tmp_path: Path) -> None:
    """Packages and files that are not there in an empty folder are named at its beginning."""
    source = SCRIPTS[name]()
    beginning = source[:700]
    for package in needed(source) - {"torch"}:
        assert NAMES[package] in beginning, package
    for file in re.findall(r'load\("([^"]+)"\)', re.sub("#.*", "", source)):
        assert file in beginning
        (tmp_path / file).write_bytes({ROWS.name: ROWS}[file].read_bytes())
    (tmp_path / "shown.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "shown.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, env={"PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]


def test_the_lines_before_the_routes_need_what_they_say() -> None:
    """With X and weight alone."""
    weight = torch.ones(2, 3)
    counts = scipy.sparse.csr_array([[0.0, 2, 1]])
    lines = before_the_routes(run(counts, weight).setup)
    names: dict[str, Any] = {"X": counts, "weight": weight}
    exec(lines, names)  # noqa: S102 - a text of ours
    assert names["embedding"]
