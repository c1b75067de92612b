"""`python -m embviz env`: what a run file says of the machine."""

from argparse import Namespace

import pytest

from embviz.commands import show
from tests.commands import as_json, call


def test_the_readable_form_has_a_line_for_each_field(capsys: pytest.CaptureFixture[str]) -> None:
    """The readable form has the names of the JSON; values stand below each other, and are short."""
    _, out, err = call(capsys, "env")
    assert err == ""
    assert [line.split()[0] for line in out.splitlines()] == [*as_json(capsys, "env")]
    show(Namespace(json=False), {"steps": 2000000, "loss": 0.123456789, "why": None})
    assert capsys.readouterr().out == "steps 2000000\nloss  0.123457\nwhy   None\n"
