"""The ways through the code that the docstring of `embviz` lists: short, and as it says."""

import re
from pathlib import Path

import pytest

import embviz
from tests.load.server import ROOT
from tests.test_architecture import imported

WAYS = re.findall(
    r"^How ([^:;,]+).*?:\n\n(.*?)\n\n", embviz.__doc__ or "", re.DOTALL | re.MULTILINE
)
MOST = {  # files
    "a key becomes a picture": 23,
    "a typed key reaches the address": 10,
    "a press mends what is refused": 10,
    "a press on *Timing* becomes a sentence about time": 16,
}


def path_of(name: str) -> Path:
    """The file that a list names."""
    return ROOT / name if name.startswith("pages/") else ROOT / "embviz" / name


def names(file: Path, other: Path) -> bool:
    """Whether a file imports another one, or, in the other language, has its name."""
    if file.suffix == other.suffix == ".py":
        parts = other.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        is_imported = any(f"{one}.".startswith(f"{module}.") for one in imported(file))
        return is_imported or module in file.read_text("utf-8")  # a process of its own
    wanted = other.name if other.suffix == ".js" else rf"\b{other.stem}\b"
    return bool(re.search(wanted, file.read_text("utf-8")))


def test_the_ways_are_listed() -> None:
    """Those of a key, and those of a press."""
    assert [way for way, _ in WAYS] == [*MOST]


@pytest.mark.parametrize(("way", "lines"), WAYS)
def test_each_file_of_a_way_is_called_by_one_before_it(way: str, lines: str) -> None:
    """So a reader who follows the list meets no file without knowing why."""
    files = [path_of(line.split()[0]) for line in lines.splitlines() if line.startswith("    ")]
    assert len(files) <= MOST[way]
    strange = [
        file
        for place, file in enumerate(files)
        if place and not any(names(before, file) for before in files[:place])
    ]
    assert strange == []
