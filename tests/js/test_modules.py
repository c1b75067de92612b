"""The components' scripts are ES modules: each name is imported, has one meaning, and one home.

Their small ones have unit tests in this folder, which `node` runs.
"""

import re
import shutil
import subprocess
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from embviz.server import assets
from embviz.ui.elements import scripts

HERE = Path(__file__).parent
FILES = sorted(scripts.FOLDER.rglob("*.js"))
IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "([\w./]+)";$', re.MULTILINE)
DECLARED = re.compile(
    r"^(export )?(default )?(?:async )?(?:function|const|let) (\w+)", re.MULTILINE
)
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|//.*')
# Node from that version on takes a file with `import` for a module.
NODE = (20, 19)


def code(path: Path) -> str:
    """A script without comments and texts."""
    return LITERAL.sub('""', path.read_text("utf-8"))


def exported(path: Path) -> set[str]:
    """The names that a script gives to others."""
    declared = DECLARED.findall(path.read_text("utf-8"))
    return {name for is_exported, default, name in declared if is_exported and not default}


def imports(path: Path) -> dict[Path, list[str]]:
    """The names that a script takes, by the script that has them."""
    found = IMPORT.findall(path.read_text("utf-8"))
    return {(path.parent / file).resolve(): names.split(", ") for names, file in found}


def test_no_name_comes_from_thin_air() -> None:
    """A name of another script is imported, exists there, and is used."""
    home = {name: path for path in FILES for name in exported(path)}
    wrong = []
    for path in FILES:
        text, name_of_file = code(path), scripts.name_of(path)
        assert len(re.findall(r"^import\b", text, re.MULTILINE)) == len(imports(path))
        taken = {name for names in imports(path).values() for name in names}
        body = re.sub(r"^import .*$", "", text, flags=re.MULTILINE)
        declared = {name for _, _, name in DECLARED.findall(text)}
        called = {*re.findall(r"(?<![\w$])(?<![^.]\.)(\w+)\(", body)} & {*home}
        wrong += [f"{name_of_file} takes {one} from nowhere" for one in called - taken - declared]
        wrong += [
            f"{name_of_file} imports {one} in vain"
            for one in taken
            if not re.search(rf"(?<![\w$])(?<![^.]\.){one}\b", body)
        ]
        for file, names in imports(path).items():
            wrong += [f"{file.name} has no {one}" for one in {*names} - exported(file)]
    assert wrong == []


def test_the_focus_follows_widgets_that_exist() -> None:
    """A key in `focus.js` is that of a widget in Python."""
    text = (scripts.FOLDER / "ui" / "frame" / "focus.js").read_text("utf-8")
    keys = {*re.findall(r"\w+", re.findall(r"FOLLOWS = \{([^}]*)\}", text)[0])}
    assert len(keys) > 3
    python = "".join(path.read_text("utf-8") for path in scripts.FOLDER.rglob("*.py"))
    assert [key for key in keys if f'"{key}"' not in python] == []


def test_a_name_is_declared_once() -> None:
    """At the top of a script a name means one thing in all of them, and others need each export."""
    declared = Counter(name for path in FILES for _, _, name in DECLARED.findall(code(path)))
    assert [name for name, times in declared.items() if times > 1] == []
    taken = {name for path in FILES for names in imports(path).values() for name in names}
    tests = "".join(path.read_text("utf-8") for path in HERE.glob("*.mjs"))
    lonely = {name for path in FILES for name in exported(path)} - taken
    assert [name for name in lonely if not re.search(rf"\b{name}\b", tests)] == ["mountLook"]


def test_imports_run_in_no_circle() -> None:
    """A bundle has each script after those that it imports; `MAY` says which it may import."""
    graph = TopologicalSorter[Path]()
    for path in FILES:
        graph.add(path, *imports(path))
    graph.prepare()  # raises CycleError, which names the circle


def test_a_bundle_is_one_module_with_all_that_it_needs() -> None:
    """A browser asks for one file; each of its modules stands in it once, after its imports."""
    found = scripts.bundles()
    assert {*found} >= {
        "playground/page/stage/stage.js",
        assets.LISTENER,
        "classes/page/class_poll.js",
    }
    for name, text in found.items():
        assert re.findall(r"^import\b.*", text, re.MULTILINE) == []
        assert text.count('"css": "') == text.count('"html": "')
        assert "@import" not in text, "a sheet that is made in the browser may import none"
        exports = re.findall(r"^export (?:default function|const) (\w+)", text, re.MULTILINE)
        assert exports[1:] == (["mount"] if '"html": "' in text else []), name
        names = [one for _, _, one in DECLARED.findall(text)]
        assert len(names) == len({*names})
    names = [one for _, _, one in DECLARED.findall(found["playground/page/stage/stage.js"])]
    assert names.index("rgb") < names.index("tint") < names.index("drawWays") < names.index("stage")


def test_each_script_says_first_what_it_does() -> None:
    """A stranger opens one of them alone."""
    for path in FILES:
        assert re.match(r"// [A-Z]", path.read_text("utf-8")), scripts.name_of(path)


@pytest.fixture(scope="session")
def node() -> str:
    """The path of a `node` that reads modules; a test is skipped where there is none."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("no node on the PATH: JavaScript is tested in the browser alone")
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.findall(r"\d+", said)[:2]))
    if version < NODE:
        pytest.skip(f"node {said.strip()} is older than {'.'.join(map(str, NODE))}")
    return path


def test_a_browser_can_read_each_bundle(node: str, tmp_path: Path) -> None:
    """A mistake in one line of the listener ends the listener on every page."""
    for at, (name, text) in enumerate(scripts.bundles().items()):
        module = tmp_path / f"{at}.mjs"
        module.write_text(text, "utf-8")
        done = subprocess.run([node, "--check", module], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{name}: {done.stderr}"


def test_small_modules_do_what_they_say(node: str) -> None:
    """`node --test` runs `*.test.mjs` of this folder."""
    files = sorted(HERE.glob("*.test.mjs"))
    assert files
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
