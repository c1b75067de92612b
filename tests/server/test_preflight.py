"""Before the server starts: invalid limits are refused, a missing host name is named."""

from typing import Any

import pytest
import streamlit as st

from embviz.core import bounds
from embviz.server import preflight


@pytest.mark.parametrize("bound", bounds.BOUNDS, ids=lambda bound: bound.variable)
def test_an_invalid_limit_ends_the_process(bound: bounds.Bound, hosted: pytest.MonkeyPatch) -> None:
    """Each variable is checked at the start; the sentence quotes what was given."""
    preflight.refuse_invalid_limits()
    hosted.setenv(bound.variable, "many")
    with pytest.raises(SystemExit, match=f"^embviz does not start: {bound.variable}='many' is not"):
        preflight.refuse_invalid_limits()


@pytest.mark.parametrize(
    ("where", "names", "warned"), [("1", [], True), ("1", ["a.org"], False), ("0", [], False)]
)
def test_a_hosted_server_without_a_host_name_says_so(
    where: str,
    names: list[str],
    warned: bool,
    hosted: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line on stderr where hosted, and none elsewhere."""
    hosted.setenv("EMBVIZ_HOSTED", where)

    def option(name: str) -> Any:
        assert name == "server.allowedHosts"
        return names

    hosted.setattr(st, "get_option", option)
    preflight.warn()
    printed = capsys.readouterr().err
    assert printed.startswith("embviz, not safe to host: server.allowedHosts is []") is warned
    assert bool(printed) is warned
