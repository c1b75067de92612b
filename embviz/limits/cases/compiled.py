"""A case of `torch.compile`: what its code does with a negative id.

Inductor, its default, writes C++ and needs a compiler for it, which many machines lack.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from embviz.limits.case import Case

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
        claim="After `torch.compile`, `torch.index_select` takes -1 as the last row, without an "
        "error, and `F.embedding` raises a `RuntimeError`. Without `torch.compile`, both raise "
        "`IndexError`.",
        why="`torch.compile` writes code of its own, with checks of its own. In many places this "
        "code counts negative ids from the end, as `table[-1]` does. Before PyTorch 2.13 it did "
        "so in `F.embedding` too.",
        raises=("", "RuntimeError: … index out of bounds: 0 <= tmp"),
        sides=("compiled torch.index_select", "compiled nn.Embedding"),
        program="""
ids = torch.tensor([-1, 0])
left = torch.compile(torch.index_select)(weight, 0, ids)

right = torch.compile(F.embedding)(ids, weight)
""",
        line="torch.compile(torch.index_select)(weight, 0, ids)",
        fix="Check the ids before the compiled code. If -1 is padding, give it a row of its own.",
        source=(
            "torch.compile",
            "pytorch issue 151918",
            "pytorch issue 183608",
            "pytorch issue 100831",
        ),
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
    Case(
        name="one-hot-in-vmap-and-export",
        title="vmap and export need num_classes",
        claim="Without `num_classes`, `torch.vmap(F.one_hot)` raises, and so does `torch.export` "
        "of a model that calls `F.one_hot`.",
        why="`F.one_hot` looks for the largest id, to know how wide its rows are. Under `vmap`, "
        "`export`, `torch.compile(fullgraph=True)` and on the device `meta` there are no numbers "
        "to look at.",
        raises=(
            "RuntimeError: When vmap-ing torch.nn.functional.one_hot, please provide an explicit "
            "positive num_classes",
            "GuardOnDataDependentSymNode: Could not extract specialized integer",
        ),
        sides=("torch.vmap", "torch.export"),
        program="""
class Rows(nn.Module):
    def forward(self, ids):
        return F.one_hot(ids)
ids = torch.tensor([[0, 2], [1, 3]])
left = torch.vmap(F.one_hot)(ids)

right = torch.export.export(Rows(), (ids,)).module()(ids)
""",
        line="left = torch.vmap(F.one_hot)(ids)",
        fix="Always pass `num_classes`, the number of rows of the table.",
        typed="""
class Rows(nn.Module):
    def forward(self, ids):
        return F.one_hot(ids, num_classes=4)
mapped = torch.vmap(Rows())(ids[None])
exported = torch.export.export(Rows(), (ids[None],)).module()(ids[None])
assert torch.equal(linear(mapped.float()), embedding(ids[None]))
assert torch.equal(mapped, exported)
""",
        source=("torch.vmap", "torch.export", "F.one_hot"),
        messages=(
            "when vmap-ing torch.nn.functional.one_hot",
            "attempted to use `torch.nn.functional.one_hot` with data-dependent output shape",
            "could not extract specialized integer from data-dependent expression … in one_hot)",
            "one_hot\ncould not extract specialized integer from data-dependent expression",
            "one_hot\ntrying to get value out of a tracing tensor",
            "one_hot\ntensor.item() cannot be called on meta tensors",
        ),
        questions=(
            "How do I use F.one_hot under vmap?",
            "torch.export or ONNX export fails at one_hot",
            "GuardOnDataDependentSymNode in one_hot",
            "trying to get value out of a tracing tensor, one_hot",
            "torch.compile graph break at F.one_hot",
        ),
        words="vmap, functorch, torch.func, export, ONNX, dynamo, fullgraph, graph break, meta, "
        "data-dependent, tracing, num_classes, symbolic shapes, FakeTensor",
        own_process=True,
    ),
)
