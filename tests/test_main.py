import os
import subprocess
import sys
from pathlib import Path

import pytest

from embviz.core.config import BUDGET_VARIABLE
from tests.commands import call, refusal

ROOT = Path(__file__).resolve().parents[1]
# PYTHONUNBUFFERED would hide what happens at the last flush of a user's console.
UNSET = {"PYTHONUNBUFFERED", BUDGET_VARIABLE}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}


def start(*arguments: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run `python -m embviz` as a user does, but with warnings as errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "embviz", *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_result_as_a_user_gets_it() -> None:
    """A command prints its result alone, with exit code 0."""
    done = start("env", "--json")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


def test_a_refusal_as_a_user_sees_it() -> None:
    """A refusal is one sentence on stderr, with exit code 2."""
    done = start("compare", "naïve", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("embviz: 'ï' (U+00EF) at position 2")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["hello", "a" * 5000], ids=["short", "long"])
def test_a_closed_pipe_is_no_error(text: str) -> None:
    """`python -m embviz compare ... | head` ends without an exception."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = start("compare", text, "--json", stdout=closed.fileno())
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["env", "--help"]])
def test_help_is_printed_on_request(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` prints the usage and exits with 0."""
    code, out, err = call(capsys, *arguments)
    assert (code, err) == (0, "")
    assert "python -m embviz" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "command"),
        (["nonsense"], "nonsense"),
        (["compare", "a", "b"], "b"),
        (["compare", "a", "b\nc"], "unrecognized"),
        (["env", "extra"], "extra"),
    ],
)
def test_wrong_arguments_are_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arguments that no command takes give exit code 2 and one sentence."""
    assert words in refusal(capsys, *arguments)
