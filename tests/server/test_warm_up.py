"""The imports of a start: the first picture waits for no module that it does not use."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import sys
from pathlib import Path
from embviz.server import warm_up

warm_up.begin = lambda *_: None
import app

warm_up.load_library()
if sys.platform == "linux":
    assert "libtorch_cpu.so" in Path("/proc/self/maps").read_text()
assert "torch" not in sys.modules
app.first_page()
late = ["pandas", "scipy", "sklearn", "torch._dynamo", "embviz.figures",
        "embviz.bag", "embviz.labs", "embviz.limits.cases", "embviz.training"]
print(*(name for name in late if name in sys.modules))
"""


def test_the_first_picture_waits_for_no_module_that_it_does_not_use() -> None:
    """Shell and picture import no other page's modules; PyTorch's library loads before PyTorch."""
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
