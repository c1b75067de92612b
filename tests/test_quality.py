"""The tools find nothing, requirements are pinned, and no file names this machine.

Without it a defect that a tool sees, or another version of a package, would reach a user.
"""

import re
import subprocess
import sys
import tempfile
from importlib import import_module, metadata, util
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.load.server import ROOT


@pytest.mark.parametrize("tool", ["ruff check .", "ruff format --check .", "mypy"])
def test_the_tools_find_nothing(tool: str) -> None:
    """Ruff and mypy find no defect, and ruff decides the layout of every file."""
    command = [sys.executable, "-m", *tool.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{tool}:\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_every_requirement_is_pinned(name: str) -> None:
    """Each requirement names one exact version and no other index."""
    lines = re.findall(r"^(?!#|-r \.\./requirements\.txt$).+", (ROOT / name).read_text(), re.M)
    assert lines
    assert [one for one in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==\d[\w.]*", one)] == []


def pins(name: str) -> dict[str, str]:
    """The versions that a file pins, by package."""
    found = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / name).read_text(), re.MULTILINE)
    return dict(found)


PINS = pins("requirements.txt") | pins("tests/requirements.txt")


def test_the_pinned_versions_are_installed_and_fit_together() -> None:
    """Else the tests say nothing of them; all that they need, and what that needs, is there."""
    found = {name: metadata.version(name).partition("+")[0] for name in PINS}  # torch 2.13.0+cpu
    assert found == PINS
    names, wrong = [*PINS], list[str]()
    for name in names:  # it grows
        for line in metadata.requires(name) or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                if not needed.specifier.contains(metadata.version(needed.name), prereleases=True):
                    wrong.append(f"{name} needs {needed}")
                if needed.name not in names:
                    names.append(needed.name)
    assert wrong == []
    assert len(names) > len(PINS)


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_every_pinned_package_can_be_imported(name: str) -> None:
    """What every user needs is imported; of what tests and extras need, the modules are there."""
    modules = metadata.packages_distributions()
    for package in pins(name):
        tops = [top for top, of in modules.items() if package in of and top.isidentifier()]
        assert tops, package
        for top in tops:
            if name == "requirements.txt":
                import_module(top)
            else:
                assert util.find_spec(top), top


def test_no_tracked_file_names_a_path_of_this_machine() -> None:
    """No tracked file names the folder of this checkout, of its owner or of the environment."""
    usual = {"/", sys.base_prefix, tempfile.gettempdir()}
    places = {str(ROOT), str(ROOT.parent), str(Path.home()), sys.prefix} - usual
    named = rf"(?<![\w./~-])({'|'.join(map(re.escape, places))})(?![\w-])"
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout")
    done = subprocess.run(["git", "grep", "-lP", named], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == ""
