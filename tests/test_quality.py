"""The tools find nothing, requirements are pinned, and no file names this machine."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {
    "app.py",
    "pages",
    "embviz",
    "tests",
    "requirements.txt",
    "README.md",
    "LICENSE",
    "pyproject.toml",
}
PUBLIC_INDEXES = {"pypi.org", "download.pytorch.org"}


def tracked_files() -> list[str]:
    """Names of the files that git tracks; skips the test where git or its folder is missing."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode or not listed.stdout:
        pytest.skip("this is not a git checkout")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


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
    lines = [line.strip() for line in (ROOT / name).read_text("utf-8").splitlines()]
    needed = [line for line in lines if line and not line.startswith("#")]
    if name != "requirements.txt":
        assert needed.pop(0) == "-r ../requirements.txt"
    assert needed
    assert [line for line in needed if not re.fullmatch(r"[A-Za-z0-9._-]+==\d[\w.]*", line)] == []


def test_the_top_level_holds_only_what_the_design_names() -> None:
    """The project's folder holds no other files and folders than the design names."""
    entries = {name.split("/")[0] for name in tracked_files()}
    assert {entry for entry in entries if not entry.startswith(".")} - TOP_LEVEL == set()


def test_no_tracked_file_names_a_path_of_this_machine() -> None:
    """No tracked file names the folder of this checkout, of its owner or of the environment."""
    places = {ROOT, ROOT.parent, Path.home(), Path(sys.prefix)} - {Path("/"), Path(sys.base_prefix)}
    named = "|".join(re.escape(str(place)) for place in places - {Path(tempfile.gettempdir())})
    found = re.compile(rf"(?<![\w./~-])({named})(?![\w-])")
    texts = {name: (ROOT / name).read_text("utf-8", errors="replace") for name in tracked_files()}
    assert {name: found.findall(text) for name, text in texts.items() if found.search(text)} == {}


def test_no_tracked_file_names_a_private_package_index() -> None:
    """Every package index that a tracked file names is public."""
    option = r"(?:index-url|find-links|registry)[\s=:'\"]+"
    index = re.compile(option + r"(?:https?:)?//(?:[^/\s@]*@)?([^/\s:'\"]+)")
    named = [
        f"{name}: {host}"
        for name in tracked_files()
        for host in index.findall((ROOT / name).read_text("utf-8", errors="replace"))
        if host not in PUBLIC_INDEXES
    ]
    assert named == []
