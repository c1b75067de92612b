"""What keeps the server small: each of these once took tens or hundreds of megabytes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from embviz.server.eager import NAME, StandIn

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = """
import os, sys
from pathlib import Path

from embviz.server import eager, kernels

kernels.keep_few()
import torch

assert not set(kernels.VARIABLES) & set(os.environ), "the measuring process would inherit them"
eager.leave_compiler_out()
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.losses import mse
from embviz.training.optimizers import OPTIMIZERS
from embviz.training.lockstep import Lockstep
from embviz.training.step import one_step

torch.set_num_threads(1)
ids = torch.tensor([1, 2, 1])
one_step(tie(Config("", 9, 4)), ids, mse(0.0))
for name in OPTIMIZERS:
    Lockstep(Config("", 9, 4), ids, optimizer=name, loss=mse(0.0), lr=0.1).advance(2, 60)
assert "sympy" not in sys.modules
assert isinstance(sys.modules["torch._dynamo"], eager.StandIn)

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

layers = tie(Config("", 300, 32, dtype="bfloat16"))
before = None
for tokens in range(20, 220):
    if tokens == 60:  # what is kept is there
        before = resident()
    layers.multiply(torch.arange(tokens))
print((resident() - before) / 1e6)

# Whoever does need the compiler gets it.
eager.let_compiler_in()
eager.let_compiler_in()
import torch._dynamo.decorators
doubled = torch.compile(lambda x: 2 * x, backend="eager")
assert doubled(torch.ones(2)).tolist() == [2, 2]
assert torch._dynamo is sys.modules["torch._dynamo"]
assert not isinstance(torch._dynamo, eager.StandIn)
Lockstep(Config("", 9, 4), ids, optimizer="adam", loss=mse(0.0), lr=0.1).advance(2, 60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_the_server_stays_small() -> None:
    """Training would import a compiler, one gradient all of sympy; each text compile a kernel."""
    own = {name: value for name, value in os.environ.items() if "CACHE_CAPACITY" not in name}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT],
        cwd=ROOT,
        env=own,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 25  # MB; with PyTorch's own caches 80, where bfloat16 is native


def test_the_stand_in_makes_way_by_itself() -> None:
    """Code that asks for the compiler without a word before would get an empty module."""
    code = (
        "import sys, torch; from embviz.server import eager; eager.leave_compiler_out(); "
        "assert torch.compile(lambda x: 2 * x, backend='eager')(torch.ones(1)).tolist() == [2]; "
        "assert torch._dynamo.config is sys.modules['torch._dynamo.config']"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_stand_in_is_no_module_to_inspect() -> None:
    """`inspect` asks every module for its file: that alone would load the real one."""
    stand_in = StandIn()
    assert not hasattr(stand_in, "__file__")
    assert stand_in.disable(len) is len
    assert stand_in.disable(recursive=False)(len) is len
    assert stand_in.graph_break() is None
    assert not isinstance(sys.modules.get(NAME), StandIn), "tests keep the real one"
