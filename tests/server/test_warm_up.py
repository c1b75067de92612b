"""The imports of a start: the first picture waits for no module that it does not use."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import sys
{}
import app

app.first_page()
late = ["pandas", "scipy", "sklearn", "torch._dynamo", "embviz.figures",
        "embviz.bag", "embviz.labs", "embviz.limits.cases", "embviz.training"]
print(*(name for name in late if name in sys.modules))
"""
NO_THREAD = "from embviz.server import warm_up; warm_up.begin = lambda *_: None"


def test_the_first_picture_waits_for_no_module_that_it_does_not_use() -> None:
    """What the shell and the playground's picture import holds no other page's modules."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(NO_THREAD)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.skipif(sys.platform != "linux", reason="the library is loaded early on Linux only")
def test_the_library_that_loads_early_is_the_one_that_pytorch_imports() -> None:
    """After `load_library` the process has PyTorch's library, and its import works."""
    code = """
from pathlib import Path
from embviz.server.warm_up import load_library
load_library()
assert "libtorch_cpu.so" in Path("/proc/self/maps").read_text()
import torch
assert torch.ones(2).sum() == 2
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
