"""The README names every page, parameter, option and variable, with its default."""

import ast
import pkgutil
import re
from pathlib import Path

import pytest

from embviz import commands
from embviz.commands import build_parser
from embviz.request import parameters
from embviz.request.parameters import DEFAULTS

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [module.name for module in pkgutil.iter_modules(commands.__path__)]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_url_parameter_is_documented(name: str) -> None:
    """Somebody who builds links would have to read the code."""
    row = re.search(rf"^\| `{name}` \|.*\| (.*) \|$", README, re.MULTILINE)
    assert row, name
    default = DEFAULTS[name]
    shown = str(default).lower() if isinstance(default, bool) else parameters.shown(default)
    by_words = {
        "weights": "a 5 x 4 example",
        "x": "a 3 x 4 example",
        "linear": "a 3 x 4 example",
        "docs": "three short ones",
        "student": "none",
        "done": "none",
        "find": "none",
        "given": "none",
        "sentences": "four about a bank",
        "threads": "one core less than there are",
    }
    assert row.group(1).strip("`") == by_words.get(name, shown)


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
    """A page would exist that the README does not speak of."""
    tree = ast.parse((ROOT / "embviz" / "ui" / "frame" / "shell.py").read_text(encoding="utf-8"))
    titles = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGES"
    )
    for page in (ROOT / "pages").glob("*.py"):
        assert f"| {titles[page.stem]} |" in README


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
