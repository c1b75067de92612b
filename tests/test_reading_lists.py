"""The ways through the code that docstrings list: they are those that the program goes.

Without it a list would name other files than a reader meets.
"""

from pathlib import Path

import pytest

from tests.ways.lists import KEY, LISTS
from tests.ways.measure import FILTERS, MEASURED

# Files on the way of a key: in Python beside the server's filters, and scripts.
MOST_PYTHON, MOST_SCRIPTS = 22, 20


def scripts(title: str) -> list[str]:
    """The scripts in a list."""
    return [file for file in LISTS[title] if file.endswith(".js")]


@pytest.mark.parametrize("title", MEASURED)
def test_a_way_is_listed_as_it_is_measured(
    title: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Python has the same files in the same order; the scripts are the same."""
    found = MEASURED[title](monkeypatch, tmp_path)
    python = [file for file in LISTS[title] if file not in scripts(title)]
    hint = "`python -m tests.ways` prints the list as it should be."
    assert python == found.python, hint
    assert {*scripts(title)} == found.scripts, hint


def test_each_measured_way_has_its_list() -> None:
    """No list is of a way that nobody measures."""
    assert [*LISTS] == [*MEASURED]


def test_the_way_of_a_key_is_short() -> None:
    """A reader can follow it in an hour."""
    python = [file for file in LISTS[KEY] if file not in scripts(KEY)]
    assert len([file for file in python if not file.startswith(FILTERS)]) <= MOST_PYTHON
    assert len(scripts(KEY)) <= MOST_SCRIPTS
