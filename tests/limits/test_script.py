import ast
import json
import subprocess
import sys

import pytest

from embviz.limits.case import Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.isolated import run_child
from embviz.limits.outcome import Outcome, Proof, shown
from embviz.limits.prove import prove
from embviz.limits.script import script
from tests.limits.cases.test_cases import HERE

WIDTH = 72  # characters of code that the page shows at 1440 px
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


def printed(outcome: Outcome | None, sides: tuple[str, str]) -> str:
    """The exact text that the script of an outcome must print."""
    assert outcome is not None
    return f"{sides[0]}:\n{shown(outcome.left)}\n{sides[1]}:\n{shown(outcome.right)}\n"


def both(proof: Proof) -> list[tuple[str, str]]:
    """The scripts of a proof, and what each must print."""
    case = proof.case
    return [
        (script(case.problem, case.sides), printed(proof.problem, case.sides)),
        (script(case.fix, case.sides_of_fix), printed(proof.fixed, case.sides_of_fix)),
    ]


def test_every_script_prints_what_the_page_shows() -> None:
    """The code to copy runs without this project and prints the values on the page."""
    pairs = [pair for case in HERE for pair in both(prove(case))]
    for proof in run_child().values():
        if proof.problem is not None:
            problem, fix = both(proof)
            pairs += [fix] if proof.case.name == "index-backward-varies" else [problem, fix]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-I", "-c", RUN_ALL],
        input=json.dumps([source for source, _ in pairs]),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    for (source, wanted), text in zip(pairs, json.loads(done.stdout), strict=True):
        assert text == wanted, source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_script_is_what_a_student_would_write(case: Case) -> None:
    """A script has no annotations, needs no package of ours and fits the page."""
    for function, sides in ((case.problem, case.sides), (case.fix, case.sides_of_fix)):
        source = script(function, sides)
        tree = ast.parse(source)
        assert not any(isinstance(node, ast.AnnAssign | ast.FunctionDef) for node in ast.walk(tree))
        for word in ("embviz", "type: ignore", ": Value", "return "):
            assert word not in source
        lines = source.splitlines()
        assert max(map(len, lines)) <= WIDTH, max(lines, key=len)
        assert len(lines) <= 34


def test_a_script_to_the_letter() -> None:
    """A script keeps comments, shows a value as an assignment, and prints an error as its text."""
    case = case_named("one-hot-without-classes")
    assert script(case.fix, case.sides) == (
        "import torch\n"
        "from torch.nn import functional as F\n"
        "\n"
        "num_classes = 4\n"
        "\n"
        "weight = torch.arange(12.0).reshape(4, 3)\n"
        "ids = torch.tensor([0, 2])  # id 3, the last row, does not occur\n"
        "lookup = F.embedding(ids, weight)\n"
        "try:\n"
        "    one_hot = F.one_hot(ids, num_classes).float()\n"
        "    matmul = one_hot @ weight\n"
        "except RuntimeError as error:\n"
        '    matmul = f"{type(error).__name__}: {error}"\n'
        "\n"
        'print("nn.Embedding:")\n'
        "print(lookup)\n"
        'print("one-hot × nn.Linear:")\n'
        "print(matmul)\n"
    )
