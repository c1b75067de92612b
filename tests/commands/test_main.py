"""`python -m embviz` as a user calls it: exit codes, closed pipes, full disks, quick help.

Without it a script that calls a command could get a traceback, or wait for seconds.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from embviz.system.bounds import TABLE
from tests.load.server import ROOT

# PYTHONUNBUFFERED would hide what happens at the last flush of a user's console.
UNSET = {"PYTHONUNBUFFERED", TABLE.variable}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}


def start(
    *arguments: str,
    stdout: int = subprocess.PIPE,
    python: tuple[str, ...] = ("-W", "error"),
    **more: str,
) -> subprocess.CompletedProcess[str]:
    """Run `python -m embviz` as a user does, but with warnings as errors."""
    return subprocess.run(
        [sys.executable, *python, "-m", "embviz", *arguments],
        cwd=ROOT,
        env=ENVIRONMENT | more,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=200,
        check=False,
    )


def test_a_result_as_a_user_gets_it() -> None:
    """A result alone, with exit code 0; what the console cannot show is printed as its escape.

    Tests of each command have its refusals.
    """
    done = start("compare", " ", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\xb7" in done.stdout


def test_a_closed_pipe_is_no_error() -> None:
    """`python -m embviz compare ... | head` ends without an exception."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = start("compare", "a" * 5000, "--json", stdout=closed.fileno())
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_an_error_and_no_refusal() -> None:
    """A result that cannot be written gives one sentence and exit code 1."""
    with Path("/dev/full").open("w") as full:
        done = start("env", stdout=full.fileno())
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("embviz: stdout: No space")


def test_help_imports_neither_torch_nor_numpy() -> None:
    """`--help` names every command, and is quick."""
    done = start("--help", python=("-X", "importtime"))
    assert done.returncode == 0
    named = [path.stem for path in (ROOT / "embviz" / "commands").iterdir()]
    assert [name for name in named if name[0] != "_" and f"    {name} " not in done.stdout] == []
    imported = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    assert "argparse" in imported
    assert {"torch", "numpy"}.isdisjoint(imported)
