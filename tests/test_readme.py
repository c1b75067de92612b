"""The documents agree with the code.

Without it a command, a link or a variable that a reader copies could fail.
"""

import doctest
import pkgutil
import re
import shlex
import shutil
from pathlib import Path

import pytest

from embviz import commands
from tests.commands import call
from tests.load.server import ROOT

COMMANDS = [module.name for module in pkgutil.iter_modules(commands.__path__)]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("embviz/**/*.md"), *ROOT.glob("tests/*.md")]
TEXTS = {path: path.read_text("utf-8") for path in DOCUMENTS}
README = TEXTS[ROOT / "README.md"]


def quoted(text: str) -> list[str]:
    """What stands in backquotes within a line."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def test_the_readme_and_the_hosting_page_are_short() -> None:
    """Each has at most 120 lines."""
    for path in ("README.md", "embviz/hosting/README.md"):
        assert len(TEXTS[ROOT / path].splitlines()) <= 120


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README shows the example of each command, and `--help` explains each option."""
    shown = call(capsys, command, "--help")[1]
    (example,) = re.findall("^example: (.+)$", shown, re.MULTILINE)
    assert f"\n{example}\n" in README
    # An option without help stands alone on its line, and no indented line follows.
    assert re.findall(r"^  (\S+(?: \S+)?)$(?!\n {8})", shown, re.MULTILINE) == []


def test_every_command_of_the_readme_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands of the README exit with 0, one after another, and print what it shows.

    `time` measures two points.
    """
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"^(?:\$ )?python -m embviz (.+)$", README, re.MULTILINE)
    assert {line.split()[0] for line in found} == {*COMMANDS}
    for line in found:
        fewer = ["--values", "4", "8", "--repeat", "1"] * line.startswith("time ")
        code, out, err = call(capsys, *shlex.split(line), *fewer)
        assert (code, bool(out)) == (0, True), (line, err)
        command = f"$ python -m embviz {line}\n"
        assert (command in README) == (f"{command}{out}```" in README)
        if fewer:
            for name in ("before", "after"):
                shutil.copy("run.jsonl", f"{name}.jsonl")


def test_the_snippet_for_scripts_prints_what_it_says() -> None:
    """The README's Python gives the results below it."""
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (found.failed, found.attempted >= 3) == (0, True)


def test_every_environment_variable_is_documented() -> None:
    """The documents for a user name the variables that the code reads, and no others."""
    code = " ".join(path.read_text("utf-8") for path in (ROOT / "embviz").rglob("*.py"))
    explained = README + TEXTS[ROOT / "embviz/hosting/README.md"]
    read = {*re.findall(r'"(EMBVIZ_[A-Z_]+)"', code)}
    assert read
    assert read == {*re.findall(r"EMBVIZ_[A-Z_]+", explained)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_what_a_document_names_exists(document: Path) -> None:
    """Each file in backquotes, each relative link and each picture; the README leads to it."""
    text = TEXTS[document]
    tops = "|".join(re.escape(path.name) for path in ROOT.iterdir())
    files = re.findall(rf"(?<!\S)(?:{tops})(?:/[\w./-]*)?(?!\S)", "\n".join(quoted(text)))
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    local = [document.parent / link for link in links if "://" not in link]
    assert [path for path in [*map(ROOT.joinpath, files), *local] if not path.exists()] == []
    name = document.relative_to(ROOT).as_posix()
    assert name == "README.md" or f"({name})" in README
