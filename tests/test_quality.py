"""The tools find nothing, requirements are pinned, and no file names this machine.

Without it a defect that a tool sees, or another version of a package, would reach a user.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

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


def test_no_tracked_file_names_a_path_of_this_machine() -> None:
    """No tracked file names the folder of this checkout, of its owner or of the environment."""
    usual = {"/", sys.base_prefix, tempfile.gettempdir()}
    places = {str(ROOT), str(ROOT.parent), str(Path.home()), sys.prefix} - usual
    named = rf"(?<![\w./~-])({'|'.join(map(re.escape, places))})(?![\w-])"
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout")
    done = subprocess.run(["git", "grep", "-lP", named], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
