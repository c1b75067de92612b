"""The README names every page, parameter, option and variable, with its default."""

import pkgutil
import re
from pathlib import Path

import pytest

from embviz import commands
from embviz.commands import build_parser
from embviz.request.pages import PAGES

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [module.name for module in pkgutil.iter_modules(commands.__path__)]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README names each command, and its `--help` explains each option and gives an example."""
    assert f"python -m embviz {command}" in README
    with pytest.raises(SystemExit):
        build_parser([command]).parse_args([command, "--help"])
    shown = capsys.readouterr().out
    assert f"example: python -m embviz {command}" in shown
    assert re.findall(r"^  (\S+(?: \S+)?)$(?!\n {8})", shown, re.MULTILINE) == []


def test_every_page_is_documented() -> None:
    """The README's table of pages has a row for each page."""
    for page in PAGES.values():
        assert f"| {page.title} |" in README


def test_every_environment_variable_is_documented() -> None:
    """A limit would be changeable by those alone who read the code."""
    used = set()
    for path in (ROOT / "embviz").rglob("*.py"):
        used |= set(re.findall(r"EMBVIZ_[A-Z_]+", path.read_text(encoding="utf-8")))
    assert used
    documents = README + (ROOT / "embviz" / "server" / "README.md").read_text(encoding="utf-8")
    assert [name for name in used if name not in documents] == []


def test_the_two_commands_are_there() -> None:
    """A newcomer would not find how to start, or how to test."""
    assert "pip install -r requirements.txt && streamlit run app.py" in README
    assert "pip install -r tests/requirements.txt && python -m pytest" in README


def test_pictures_exist() -> None:
    """The README would open with a broken picture."""
    for path in re.findall(r'(?:src|srcset)="([^"]+)"', README):
        assert (ROOT / path).is_file()
