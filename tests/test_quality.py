import doctest
import importlib
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
CORE = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in ROOT.glob("embviz/**/*.py")
    if "ui" not in path.parts and path.name != "__main__.py"
)


def tracked_files() -> list[str]:
    """Names of the files that git keeps, or a skip where there is no git to ask."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode or not listed.stdout:
        pytest.skip("this is no git checkout")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def paths_of_this_machine() -> list[str]:
    """Where this checkout, its owner and its virtual environment live."""
    places = {ROOT, ROOT.parent, Path.home()}
    if sys.prefix != sys.base_prefix:
        places.add(Path(sys.prefix))
    shared = {Path(ROOT.anchor), Path(tempfile.gettempdir())}  # every machine has these
    return sorted(str(place) for place in places - shared)


def mentions(text: str, place: str) -> bool:
    """Whether a text names a folder, and not merely one whose name begins or ends alike."""
    return re.search(rf"(?<![\w./~-]){re.escape(place)}(?![\w-])", text) is not None


@pytest.mark.parametrize(
    "tool", [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]], ids=" ".join
)
def test_the_tools_have_nothing_to_say(tool: list[str]) -> None:
    """A defect that ruff or mypy can see would be kept, or the layout would drift."""
    done = subprocess.run(
        [sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(tool)}:\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", CORE)
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    """A reader would try an example from the documentation and see something else."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples_in_docstrings() -> None:
    """The test above would pass because it finds none."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [t for name in CORE for t in finder.find(importlib.import_module(name)) if t.examples]
    assert len(found) >= 6


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_every_requirement_is_pinned(name: str) -> None:
    """Somebody who installs later would see other numbers, or packages from another index."""
    lines = [line.strip() for line in (ROOT / name).read_text("utf-8").splitlines()]
    needed = [line for line in lines if line and not line.startswith("#")]
    if name != "requirements.txt":
        assert needed.pop(0) == "-r ../requirements.txt"
    assert needed
    assert [line for line in needed if not re.fullmatch(r"[A-Za-z0-9._-]+==\d[\w.]*", line)] == []


def test_the_top_level_holds_only_what_the_design_names() -> None:
    """A person who opens the project would find stray files beside the documented ones."""
    entries = {name.split("/")[0] for name in tracked_files()}
    assert {entry for entry in entries if not entry.startswith(".")} - TOP_LEVEL == set()


def test_no_tracked_file_names_a_path_of_this_machine() -> None:
    """The project would work, or read right, on one machine only."""
    named = [
        f"{name}: {place}"
        for name in tracked_files()
        for place in paths_of_this_machine()
        if mentions((ROOT / name).read_text("utf-8", errors="replace"), place)
    ]
    assert named == []


def test_no_tracked_file_names_a_private_package_index() -> None:
    """Nobody else could install the project."""
    option = r"(?:index-url|find-links|registry)[\s=:'\"]+"
    index = re.compile(option + r"(?:https?:)?//(?:[^/\s@]*@)?([^/\s:'\"]+)")
    named = [
        f"{name}: {host}"
        for name in tracked_files()
        for host in index.findall((ROOT / name).read_text("utf-8", errors="replace"))
        if host not in PUBLIC_INDEXES
    ]
    assert named == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cd /srv/code/project", True),
        ("see '/srv/code'.", True),
        ("file:///srv/code/x", False),
        ("/srv/code\n", True),
        ("/srv/codes", False),
        ("/srv/code-old", False),
        ("a/srv/code", False),
        ("", False),
    ],
)
def test_a_path_is_recognised_whole(text: str, found: bool) -> None:
    """The search for paths would find none, or one in every name that begins alike."""
    assert mentions(text, "/srv/code") is found
