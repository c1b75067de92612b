"""The documents agree with the code."""

import pkgutil
import re
import shlex
from importlib import import_module
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from embviz import commands
from embviz.commands import build_parser
from embviz.request.pages import PAGES
from embviz.request.settings import SETTINGS, check
from tests.commands import call

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [module.name for module in pkgutil.iter_modules(commands.__path__)]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("embviz/**/*.md"), *ROOT.glob("tests/*.md")]
)


def text_of(document: str) -> str:
    """A document's text."""
    return (ROOT / document).read_text(encoding="utf-8")


def test_the_readme_is_short() -> None:
    """README.md has at most 150 lines."""
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README shows the example of each command, and `--help` explains each option."""
    example = f"python -m embviz {import_module(f'embviz.commands.{command}').EXAMPLE}"
    assert f"\n{example}\n" in README
    with pytest.raises(SystemExit):
        build_parser([command]).parse_args([command, "--help"])
    shown = capsys.readouterr().out
    assert f"example: {example}" in shown
    # An option without help stands alone on its line, and no indented line follows.
    assert re.findall(r"^  (\S+(?: \S+)?)$(?!\n {8})", shown, re.MULTILINE) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_can_be_read(command: str) -> None:
    """The example of each command has arguments that the command takes."""
    arguments = shlex.split(import_module(f"embviz.commands.{command}").EXAMPLE)
    assert build_parser(arguments).parse_args(arguments).command == command


def test_every_page_is_documented() -> None:
    """The README's table of pages has the title and the sentence of each page."""
    rows = [f"| {page.title} | {page.sentence} |" for page in PAGES.values()]
    assert "\n".join(rows) in README


def test_the_link_to_share_is_read_without_a_note() -> None:
    """The README's link has parameters that exist, with values that are allowed."""
    (link,) = re.findall(r"<(http://localhost:8501/\?[^>]+)>", README)
    query = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    assert query.keys() <= SETTINGS.keys()
    assert check(query) == {}


def test_the_shown_output_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """The command in the README prints the lines below it."""
    ((command, output),) = re.findall(
        r"^\$ python -m embviz (.*)\n([^`]+)^```", README, re.MULTILINE
    )
    assert call(capsys, *shlex.split(command)) == (0, output, "")


def test_every_environment_variable_is_documented() -> None:
    """Each variable that the code reads is explained in the README or in the hosting document."""
    used = set()
    for path in (ROOT / "embviz").rglob("*.py"):
        used |= set(re.findall(r"EMBVIZ_[A-Z_]+", path.read_text(encoding="utf-8")))
    assert used
    documents = README + text_of("embviz/server/README.md")
    assert [name for name in used if name not in documents] == []


def test_the_two_commands_are_there() -> None:
    """The README says how to start and how to test."""
    assert "pip install -r requirements.txt && streamlit run app.py" in README
    assert "pip install -r tests/requirements.txt && python -m pytest" in README


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_pictures_exist(document: str) -> None:
    """Each relative link and each picture of a document leads to a file."""
    text = text_of(document)
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / document).parent.joinpath(link).exists()] == []


def test_every_document_is_reached_from_the_readme() -> None:
    """The README links to each other document."""
    assert [name for name in DOCUMENTS if name != "README.md" and f"({name})" not in README] == []


def test_every_benchmark_is_documented() -> None:
    """tests/README.md names each program in tests/benchmarks/."""
    programs = [
        path.name
        for path in (ROOT / "tests" / "benchmarks").glob("*.py")
        if "__main__" in path.read_text(encoding="utf-8")
    ]
    assert programs
    assert [name for name in programs if f"| `{name}` |" not in text_of("tests/README.md")] == []
