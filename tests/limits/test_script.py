import ast
import json
import re
import subprocess
import sys
from typing import Any

import pytest

from embviz.limits.case import Both, Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.isolated import NEEDY, kind_of, proofs_of_child
from embviz.limits.outcome import Outcome, Proof, shown
from embviz.limits.prove import prove
from embviz.limits.script import script

WIDTH = 72  # characters of code that the page shows at 1440 px
HERE = [case for case in CASES if not case.needs]
# Runs each program of a JSON list in a namespace of its own, and prints what each printed.
RUN_ALL = """
import contextlib, io, json, sys
texts = []
for source in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, "script", "exec"), {"__name__": "__main__"})
    texts.append(out.getvalue())
json.dump(texts, sys.stdout)
"""


def fresh(source: str, given: str = "") -> str:
    """The output of a fresh interpreter without this project."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-I", "-c", source],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed(outcome: Outcome, sides: tuple[str, str]) -> str:
    """The exact text that the script of an outcome must print."""
    return f"{sides[0]}:\n{shown(outcome.left)}\n{sides[1]}:\n{shown(outcome.right)}\n"


def both(proof: Proof) -> list[tuple[str, str]]:
    """The scripts of a proof, and what each must print."""
    case = proof.case
    assert proof.problem is not None
    assert proof.fixed is not None
    return [
        (script(function, proof.given, sides), printed(outcome, sides))
        for function, outcome, sides in (
            (case.problem, proof.problem, case.sides),
            (case.fix, proof.fixed, case.sides_of_fix),
        )
    ]


def test_every_script_prints_what_the_page_shows() -> None:
    """The code to copy runs and prints the values on the page."""
    proofs = [prove(case, dtype=dtype) for case in HERE for dtype in ("float32", "float64")]
    pairs = [pair for proof in proofs for pair in both(proof)]
    texts = json.loads(fresh(RUN_ALL, json.dumps([source for source, _ in pairs])))
    for (source, wanted), text in zip(pairs, texts, strict=True):
        assert text == wanted, source


def test_the_sides_of_a_fix_are_printed() -> None:
    """The script of a fix prints the names of the fix's sides."""
    (_, problem), (source, fix) = both(prove(case_named("sparse-gradient")))
    assert "layout of nn.Linear's gradient:\ntorch.strided\n" in problem
    assert "gradient of nn.Embedding, made dense:\ntensor(" in fix
    assert 'print("gradient of nn.Embedding, made dense:")\nprint(table_gradient' in source


def test_what_the_child_proved_is_what_another_process_gives() -> None:
    """The child's values are those that the shown code prints in another process."""
    pairs: list[tuple[str, str]] = []
    for case in NEEDY:
        if kind_of(case) != "settings":
            continue
        proof = proofs_of_child()[case.name]
        if proof.problem is None:
            assert re.search("CUDA|processor|1 thread", proof.not_run)
            continue
        assert proof.holds
        problem, fix = both(proof)
        pairs += [fix] if case.name == "index-backward-varies" else [problem, fix]  # it changes
    assert len(pairs) >= 10
    texts = json.loads(fresh(RUN_ALL, json.dumps([source for source, _ in pairs])))
    for (source, wanted), text in zip(pairs, texts, strict=True):
        assert text == wanted, source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_script_is_what_a_student_would_write(case: Case) -> None:
    """A script has no annotations, needs no package of ours and fits the page."""
    given: dict[str, Any] = {known.name: known.default for known in case.inputs}
    for function, sides in ((case.problem, case.sides), (case.fix, case.sides_of_fix)):
        source = script(function, {**given, "dtype": "float32"}, sides)
        tree = ast.parse(source)
        assert not any(isinstance(node, ast.AnnAssign | ast.FunctionDef) for node in ast.walk(tree))
        for word in ("embviz", "type: ignore", "fmt: ", ": Value", "return ", "\0"):
            assert word not in source
        lines = source.splitlines()
        assert lines[0] in ("import torch", "import math", "import scipy")
        assert max(map(len, lines)) <= WIDTH, max(lines, key=len)
        assert len(lines) <= 34
        assert source.count("\nprint(") == 4
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert imported <= used


def test_a_script_to_the_letter() -> None:
    """A script keeps comments and inputs, and prints an error as its text."""
    case = case_named("negative")
    given = {"id": -2, "dtype": "float64", "unused": 1}
    assert script(case.problem, given, case.sides) == (
        "import torch\n"
        "from torch.nn import functional as F\n"
        "\n"
        "id = -2\n"
        "dtype = torch.float64\n"
        "\n"
        "weight = torch.arange(12, dtype=dtype).reshape(4, 3)\n"
        "ids = torch.tensor([0, id])  # weight[ids] would count from the end\n"
        "try:\n"
        "    lookup = F.embedding(ids, weight)\n"
        "except IndexError as error:\n"
        '    lookup = f"{type(error).__name__}: {error}"\n'
        "try:\n"
        "    matmul = F.one_hot(ids, num_classes=4).to(dtype) @ weight\n"
        "except RuntimeError as error:\n"
        '    matmul = f"{type(error).__name__}: {error}"\n'
        "\n"
        'print("nn.Embedding:")\n'
        "print(lookup)\n"
        'print("one-hot × nn.Linear:")\n'
        "print(matmul)\n"
    )


def declared(number: int) -> Both:
    """A function with everything that a script leaves out."""
    text: str
    text = "a"
    many: list[int] = [
        number,
    ]
    return text, many[0]


def test_a_changed_default_is_an_assignment() -> None:
    """A default value is shown, and a fix that changes it shows its own value instead."""
    case = case_named("adam-enlarges-rounding")
    for function, value in ((case.problem, "1e-08"), (case.fix, "0.01")):
        source = script(function, {"dtype": "float32", "steps": 250}, case.sides)
        assert f"\n\ndtype = torch.float32\nsteps = 250\neps = {value}\n\nweight" in source


def endless() -> Both:
    """A function that returns nothing."""
    raise RuntimeError


def test_annotations_and_docstrings_are_left_out() -> None:
    """Annotations, docstrings and unused inputs are left out."""
    source = script(declared, {"number": 3}, ("a", "b"))
    expected = 'number = 3\n\ntext = "a"\nmany = [\n    number,\n]\n\nprint("a:")\nprint(text)\n'
    assert source == expected + 'print("b:")\nprint(many[0])\n'


def test_a_function_without_two_results_is_refused() -> None:
    """A function that does not end in `return left, right` is refused."""
    with pytest.raises(ValueError, match="endless does not end in"):
        script(endless, {}, ("a", "b"))
