import os
import platform

import numpy
import pytest
import torch

from embviz.core.config import available_devices
from tests.commands import as_json, call


def test_env_describes_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """`env --json` names the versions, devices and cores of this machine."""
    machine = as_json(capsys, "env")
    assert machine["python"] == platform.python_version()
    assert (machine["torch"], machine["numpy"]) == (torch.__version__, numpy.__version__)
    assert machine["devices"] == available_devices()
    assert machine["logical_cores"] == os.cpu_count()


def test_env_without_json_names_the_same_fields(capsys: pytest.CaptureFixture[str]) -> None:
    """The readable form has a line for each field of the JSON."""
    machine = as_json(capsys, "env")
    code, out, err = call(capsys, "env")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == list(machine)
