"""The documents agree with the code."""

import ast
import doctest
import pkgutil
import re
import shlex
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from embviz import commands
from embviz.request.pages import EVERYWHERE, PAGES
from embviz.request.settings import MODEL
from tests.commands import call
from tests.ui.headless import open_page

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [module.name for module in pkgutil.iter_modules(commands.__path__)]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("embviz/**/*.md"), *ROOT.glob("tests/*.md")]
)
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS}
README = TEXTS["README.md"]


def quoted(text: str) -> list[str]:
    """What stands in backquotes within a line."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def test_the_readme_is_short() -> None:
    """README.md has at most 120 lines."""
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README shows the example of each command, and `--help` explains each option."""
    example = f"python -m embviz {import_module(f'embviz.commands.{command}').EXAMPLE}"
    assert f"\n{example}\n" in README
    shown = call(capsys, command, "--help")[1]
    assert f"example: {example}" in shown
    # An option without help stands alone on its line, and no indented line follows.
    assert re.findall(r"^  (\S+(?: \S+)?)$(?!\n {8})", shown, re.MULTILINE) == []


def test_every_command_of_the_readme_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands of the README exit with 0, one after another; `time` measures two points."""
    monkeypatch.chdir(tmp_path)
    lines = [
        shlex.split(line)
        for line in re.findall(r"^(?:\$ )?python -m embviz (.+)$", README, re.MULTILINE)
    ]
    assert {line[0] for line in lines} == {*COMMANDS}
    for line in lines:
        fewer = ["--values", "4", "8", "--repeat", "1"] * (line[0] == "time")
        code, out, err = call(capsys, *line, *fewer)
        assert (code, bool(out)) == (0, True), (line, err)
        if fewer:
            for name in ("before", "after"):
                shutil.copy("run.jsonl", f"{name}.jsonl")


def test_the_snippet_for_scripts_prints_what_it_says() -> None:
    """The README's Python gives the results below it."""
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (found.failed, found.attempted >= 3) == (0, True)


def test_every_page_and_setting_is_documented() -> None:
    """The README's table has the pages in the order of their links, each with its settings."""
    rows = dict(re.findall(r"^\| ([A-Z][a-z ]+) \| .*\. \| (.*) \|$", README, re.MULTILINE))
    links = open_page().session_state["_embviz"]["pages"]
    assert [*rows] == [PAGES[name].title for name in links]
    shared = {*MODEL, *EVERYWHERE}
    for page in PAGES.values():
        assert {*quoted(rows[page.title])} == {*page.reads} - shared, page.title


def test_the_shown_output_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """The command in the README prints the lines below it."""
    ((command, output),) = re.findall(
        r"^\$ python -m embviz (.*)\n([^`]+)^```", README, re.MULTILINE
    )
    assert call(capsys, *shlex.split(command)) == (0, output, "")


def test_every_environment_variable_is_documented() -> None:
    """The documents name the variables that the code reads, and the main ones explain them all."""
    read_by_code = {
        node.value
        for path in (ROOT / "embviz").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"EMBVIZ_[A-Z_]+", node.value)
    }
    assert read_by_code
    assert read_by_code == {*re.findall(r"EMBVIZ_[A-Z_]+", " ".join(TEXTS.values()))}
    explained = README + TEXTS["embviz/server/README.md"]
    assert [name for name in read_by_code if name not in explained] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_named_in_a_document_exists(document: str) -> None:
    """Each file and folder in backquotes exists."""
    tops = "|".join(re.escape(path.name) for path in ROOT.iterdir())
    for words in quoted(TEXTS[document]):
        for name in re.findall(rf"(?<!\S)(?:{tops})(?:/[\w./-]*)?(?!\S)", words):
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_pictures_exist(document: str) -> None:
    """Each relative link and each picture of a document leads to a file."""
    text = TEXTS[document]
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / document).parent.joinpath(link).exists()] == []


def test_every_document_is_reached_from_the_readme() -> None:
    """The README links to each other document."""
    assert [name for name in DOCUMENTS if name != "README.md" and f"({name})" not in README] == []
