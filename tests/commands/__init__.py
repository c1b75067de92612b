"""How the tests of the commands call them in this process."""

import json
from typing import Any

import pytest

from embviz.__main__ import main


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command: exit code, stdout, stderr."""
    try:
        code = main([str(one) for one in arguments])
    except SystemExit as stopped:
        code = int(str(stopped.code))
    return code, *capsys.readouterr()


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """The one line of JSON that a successful command prints."""
    code, out, err = call(capsys, arguments[0], "--json", *arguments[1:])
    assert code == 0
    assert err == ""
    assert out.count("\n") == 1
    return json.loads(out, parse_constant=pytest.fail)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one printable sentence on stderr of a command that exits with code 2."""
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.endswith("\n")
    assert err[:-1].isprintable()
    assert "Traceback" not in err
    return err
