import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# aot_eager traces as the compiler does, and writes no C++: it needs no compiler, and 3 s less.
SCRIPT = """
import functools, json
import torch
from embviz.timing.cases import Case
from embviz.timing.methods import METHODS
from embviz.timing.tensors import Ready, learned, statement
from torch.nn import functional as F

torch.compile = functools.partial(torch.compile, backend="aot_eager")
found = {}
for name in (name for name, method in METHODS.items() if method.compiles):
    for pass_ in ("forward", "backward"):
        case = Case(name, 50, 6, 70, pass_=pass_)
        ready = Ready(case.point)
        try:
            names = ready.names(case)
        except RuntimeError as error:
            found[f"{name} {pass_}"] = str(error)
            continue
        table = ready._shared("table")
        weight = learned(case, names)
        output = names["compiled"](names["ids"], weight)
        said = [str(torch.equal(output, F.embedding(names["ids"], table)))]
        said.append(str(output.requires_grad))
        said.append(str(ready.compile_s[case] > 0))
        try:
            names["compiled"](names["ids"][:3], weight)
        except Exception as error:
            said.append(type(error).__name__)
        found[f"{name} {pass_}"] = " ".join(said)
print(json.dumps(found))
"""


def run(**variables: str) -> dict[str, str]:
    """What the script says of each compiled method and pass."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        check=False,
        capture_output=True,
        env={**os.environ, **variables},
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    assert len(found) == 4
    return found


def test_a_compiled_function_is_traced_whole_and_only_once() -> None:
    """It gives the lookup's rows, and another size raises instead of compiling in the clock."""
    for kind, said in run().items():
        assert said == f"True {kind.endswith('backward')} True RecompileError", kind


def test_nothing_runs_without_the_compiler_instead() -> None:
    """Where a variable switches compiling off, the case fails and says so."""
    for said in run(TORCH_COMPILE_DISABLE="1").values():
        assert said.startswith("torch.compile with fullgraph=True found no compiled frames")
