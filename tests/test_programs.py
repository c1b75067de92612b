"""The programs that measure: no test runs most of them, so all are imported."""

import subprocess
import sys

from tests.load.server import ROOT

FILES = [*ROOT.glob("tests/load/*.py"), *ROOT.glob("tests/benchmarks/*.py")]
PROGRAMS = sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES)


def test_each_program_has_what_it_imports() -> None:
    """In a process of its own, as each runs."""
    assert len(PROGRAMS) > 10
    command = [sys.executable, "-W", "error", "-c", f"import {', '.join(PROGRAMS)}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
