"""`python -m embviz env`: what a run file says of the machine."""

import os
import platform
from argparse import Namespace

import pytest
import torch

from embviz.commands import show
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
    """The readable form has the names of the JSON; values stand below each other, and are short."""
    machine = as_json(capsys, "env")
    code, out, err = call(capsys, "env")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == list(machine)
    show(Namespace(json=False), {"steps": 2000000, "loss": 0.123456789, "why": None})
    assert capsys.readouterr().out == "steps 2000000\nloss  0.123457\nwhy   None\n"
