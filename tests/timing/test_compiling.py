import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# aot_eager traces as the compiler does, and writes no C++: it needs no compiler, and 3 s less.
SCRIPT = """
import functools, json
import torch
import torch._dynamo
from embviz.timing.cases import Case
from embviz.timing.methods import METHODS
from embviz.timing.tensors import Ready, learned, statement
from torch.nn import functional as F

torch.compile = functools.partial(torch.compile, backend="aot_eager")
found = {}
compiling = [name for name, method in METHODS.items() if method.compiles]
for name, off in ((name, off) for off in (False, True) for name in compiling):
    torch._dynamo.config.disable = off  # what TORCH_COMPILE_DISABLE=1 sets when torch is imported
    for pass_ in ("forward", "backward"):
        case = Case(name, 50, 6, 70, pass_=pass_)
        ready = Ready(case.point)
        try:
            names = ready.names(case)
        except RuntimeError as error:
            found[f"{name} {pass_}{' off' * off}"] = str(error)
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
        found[f"{name} {pass_}{' off' * off}"] = " ".join(said)
print(json.dumps(found))
"""


def test_a_compiled_function_is_traced_whole_and_only_once() -> None:
    """It gives the lookup's rows, and another size raises instead of compiling in the clock.

    Where compiling is switched off, the case fails and says so: nothing runs instead.
    """
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    assert len(found) == 8
    for kind, said in found.items():
        if kind.endswith("off"):
            nothing = "torch.compile with fullgraph=True found no compiled frames"
            assert said.startswith(nothing), kind
        else:
            assert said == f"True {kind.endswith('backward')} True RecompileError", kind
