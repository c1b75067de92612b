"""What a docstring or a comment names exists: modules, files, names in them, parts of the route.

Without it a reader would look for what has another name by now.
"""

import ast
import json
import re

import pytest

from embviz.live.answer import answer
from embviz.live.parts import PARTS
from embviz.text.refused import Refused
from tests.load.server import ROOT
from tests.test_architecture import FILES as SOURCES
from tests.test_architecture import MODULES

ENDINGS_READ = "js", "css", "md"
TEXTS = [*SOURCES, *(path for one in ENDINGS_READ for path in ROOT.glob(f"embviz/**/*.{one}"))]
TREES = {path: ast.parse(path.read_text("utf-8")) for path in SOURCES}
DOCS = {path: ast.get_docstring(tree) or "" for path, tree in TREES.items()}
ORDERED = [path for path in SOURCES if "Reading order" in DOCS[path]]
HOSTING = (ROOT / "embviz/hosting/README.md").read_text("utf-8")
FILES = {f"/{path.relative_to(ROOT).as_posix()}" for path in ROOT.rglob("*.*")}
ENDINGS = "py|js|css|md|toml|txt|npz|npy"  # of files that are named


def listed(text: str) -> list[str]:
    """The names of a reading order, as it lists them: in sentences, or one or more a line."""
    order = re.sub(r"\([^()]*\)", "", text.partition("Reading order")[2].partition("\n\nHow ")[0])
    tables = re.findall(r"^ {4}(\w+(?:, \w+)*)/? {2,}\S", order, re.MULTILINE)
    lists = re.findall(r": +(\w+(?:\s*(?:,| and)\s+\w+)*)\s*\.", order)
    return re.findall(r"\w+", " ".join(tables or lists).replace(" and ", " "))


def test_an_order_of_imports_is_one() -> None:
    """A module imports only those before it, where the reading order says so."""
    told = [path for path in ORDERED if "imports only those before it" in DOCS[path]]
    assert told
    for path in told:
        order, package = listed(DOCS[path]), ".".join(path.parent.relative_to(ROOT).parts)
        for place, name in enumerate(order):
            file = path.with_name(f"{name}.py")
            if not file.exists():
                file = path.parent / name / "__init__.py"
            for node in TREES[file].body:  # not those for types alone
                if not isinstance(node, ast.ImportFrom):
                    continue
                module = str(node.module)
                found = [module] if module != package else []
                found += [f"{module}.{one.name}" for one in node.names if module == package]
                own = [one for one in found if one.startswith(f"{package}.")]
                for one in own:
                    imported = one.removeprefix(f"{package}.").partition(".")[0]
                    assert imported in order[:place], name


def test_every_file_that_is_named_exists() -> None:
    """With its folders, or in backquotes by its name alone."""
    named = re.compile(rf"(?:`|(?<![\w:/.`])(?=[\w-]+/))([\w./-]+\.(?:{ENDINGS}))(?![\w/])")
    found = {(path, name) for path in TEXTS for name in named.findall(path.read_text("utf-8"))}
    assert len(found) > 50
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, name in found
        if not any(one.endswith(f"/{name.removeprefix('../')}") for one in FILES)
    ]
    assert wrong == []


def test_every_module_that_a_string_names_exists() -> None:
    """A module that is looked up by its name, or started as a process, may have moved silently."""
    trees = [ast.parse(path.read_text("utf-8")) for path in ROOT.glob("tests/**/*.py")]
    nodes = [node for tree in [*TREES.values(), *trees] for node in ast.walk(tree)]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    named = {
        name
        for text in texts
        if isinstance(text, str)
        for name in re.findall(
            r"(?<![\w./-])(?:embviz|pages)(?:\.(?!example)[a-z]\w*)+(?![\w(/])", text
        )
    }
    assert "embviz.timing.measure.process" in named
    modules = MODULES | {"embviz": ROOT / "embviz" / "__init__.py"}
    wrong = []
    for name in named - {*modules}:
        home, _, last = name.rpartition(".")
        if home not in modules or last not in modules[home].read_text("utf-8"):
            wrong.append(name)
    assert wrong == []


def test_every_part_that_the_hosting_page_names_answers() -> None:
    """It names all parts, and shows a request of one."""
    (shown,) = re.findall(r"a `part`, one of (.+?), gives", HOSTING, re.DOTALL)
    assert {*re.findall(r"`(\w+)`", shown)} == {*PARTS}
    for part in PARTS:
        assert isinstance(json.loads(answer(json.dumps({"part": part}).encode())), dict)
    with pytest.raises(Refused, match="'gradients' is no part"):
        answer(b'{"part": "gradients"}')
