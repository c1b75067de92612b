"""The tools find nothing, requirements are pinned, and no file names this machine.

Without it a defect that a tool sees, or another version of a package, would reach a user.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "tool", [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]], ids=" ".join
)
def test_the_tools_find_nothing(tool: list[str]) -> None:
    """Ruff and mypy find no defect, and ruff decides the layout of every file."""
    done = subprocess.run(
        [sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(tool)}:\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_every_requirement_is_pinned(name: str) -> None:
    """Each requirement names one exact version and no other index."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    pinned = [line for line in lines if re.fullmatch(r"[A-Za-z0-9._-]+==\d[\w.]*", line)]
    assert len(pinned) > 1
    assert {line for line in lines if line[0] != "#"} - {*pinned, "-r ../requirements.txt"} == set()


def test_no_tracked_file_names_a_path_of_this_machine() -> None:
    """No tracked file names the folder of this checkout, of its owner or of the environment."""
    git = shutil.which("git")
    listed = git and subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if not listed or not listed.stdout:
        pytest.skip("this is not a git checkout")
    places = {str(ROOT), str(ROOT.parent), str(Path.home()), sys.prefix}
    places -= {"/", sys.base_prefix, tempfile.gettempdir()}
    named = re.compile(rf"(?<![\w./~-])({'|'.join(map(re.escape, places))})(?![\w-])")
    texts = {
        path: path.read_text("utf-8", errors="replace")
        for path in map(ROOT.joinpath, listed.stdout.splitlines())
        if path.is_file()
    }
    assert texts
    assert [path for path, text in texts.items() if named.search(text)] == []
