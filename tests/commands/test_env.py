import os
import platform

import pytest
import torch

from embviz.core.config import available_devices
from tests.commands import as_json, call


def test_env_describes_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """`env --json` has versions, devices and cores; the hostname can be left out."""
    machine = as_json(capsys, "env")
    assert (machine["python"], machine["torch"]) == (platform.python_version(), torch.__version__)
    assert machine["devices"] == available_devices()
    assert machine["logical_cores"] == os.cpu_count()
    assert machine["hostname"] == platform.node()
    assert as_json(capsys, "env", "--no-hostname")["hostname"] is None


def test_the_readable_form_has_a_line_for_each_field(capsys: pytest.CaptureFixture[str]) -> None:
    """Values of the readable form stand below each other, beside the names of the JSON."""
    machine = as_json(capsys, "env")
    code, out, err = call(capsys, "env")
    lines = out.splitlines()
    width = max(map(len, machine)) + 1
    assert (code, err) == (0, "")
    assert [line[:width].rstrip() for line in lines] == list(machine)
    assert lines[1][width:] == machine["python"]
