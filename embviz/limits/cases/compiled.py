"""A case of `torch.compile`: what its code does with a negative id.

Inductor, its default, writes C++ and needs a compiler for it, which many machines lack.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from embviz.limits.case import Case, docs, issue

COMPILERS = {"darwin": "clang++", "win32": "cl"}


def no_compiler() -> str:
    """The sentence that there is no C++ compiler, or no header of Python for it, or ""."""
    compiler = os.environ.get("CXX") or COMPILERS.get(sys.platform, "g++")
    if not shutil.which(compiler):
        return f"torch.compile needs the C++ compiler {compiler}, which is not here"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "torch.compile needs Python's header files, which are not here"
    return ""


CASES = (
    Case(
        name="compile-negative-ids",
        title="torch.compile and negative ids",
        claim="Compiled, `torch.index_select` takes -1 as the last row, without an error. "
        "`F.embedding` raises a `RuntimeError`. Not compiled, both raise `IndexError`.",
        why="`torch.compile` writes code of its own, with checks of its own. In many places it "
        "counts negative ids from the end, as `table[-1]` does. Before PyTorch 2.13 it did so in "
        "`F.embedding` too.",
        raises=("", "RuntimeError: … index out of bounds: 0 <= tmp"),
        sides=("compiled torch.index_select", "compiled nn.Embedding"),
        breaks="""
ids = torch.tensor([-1, 0])
left = torch.compile(torch.index_select)(weight, 0, ids)

right = torch.compile(F.embedding)(ids, weight)
""",
        line="torch.compile(torch.index_select)(weight, 0, ids)",
        fix="Check the ids before the compiled code. If -1 is padding, give it a row of its own.",
        mends="""
ids, weight = torch.tensor([-1, 0]), torch.cat([weight, torch.zeros(1, 3)])
ids = ids.where(ids >= 0, 4)  # row 4 is the padding
left = torch.compile(torch.index_select)(weight, 0, ids)

right = F.embedding(ids, weight)
""",
        fixed_sides=("compiled torch.index_select", "nn.Embedding"),
        source=(docs("torch.compile"), issue(151918), issue(183608), issue(100831)),
        typed="""
embedding = nn.Embedding(5, 3, padding_idx=4)
compiled = torch.compile(embedding)
ids = torch.tensor([-1, 0])
with torch.no_grad():
    rows = compiled(ids.where(ids >= 0, 4))  # row 4 is the padding
assert torch.equal(rows, embedding.weight[[4, 0]])
""",
        messages=("index out of bounds: 0 <=",),
        questions=(
            "Why does torch.compile not raise for an id that is out of range?",
            "negative index wraps around in compiled code",
            "compiled and eager embedding give different results for -1",
            "Inductor: no bounds check in embedding lookup",
            "another error message for a wrong id after torch.compile",
            "masked tokens with id -1 or -100 in a compiled model",
            "torch.compile no longer raises error for index -1",
            "negative index embedding inductor assert",
        ),
        words="torch.compile, compile, compiled, Inductor, TorchInductor, Dynamo, Triton, eager, "
        "negative id, negative index, -1, wraps around, last row, bounds check, silently, "
        "index_select, backend, mismatch",
        lacks=no_compiler,
        own_process=True,
    ),
)
