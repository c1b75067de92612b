"""Before the server starts: invalid limits are refused, a missing host name is named."""

import pytest
import streamlit as st

from embviz.core.bounds import BOUNDS
from embviz.server import preflight


def test_an_invalid_limit_ends_the_process(hosted: pytest.MonkeyPatch) -> None:
    """Each variable is checked at the start; the sentence quotes what was given."""
    preflight.refuse_invalid_limits()
    for bound in BOUNDS:
        with hosted.context() as changed:
            changed.setenv(bound.variable, "many")
            with pytest.raises(SystemExit, match=f"{bound.variable}='many'"):
                preflight.refuse_invalid_limits()


def test_a_short_word_for_classes_ends_the_process(hosted: pytest.MonkeyPatch) -> None:
    """It can be guessed; 8 characters are enough, and none is no word."""
    hosted.setenv("EMBVIZ_CLASS_WORD", "1234567")
    with pytest.raises(SystemExit, match="EMBVIZ_CLASS_WORD has 7 characters"):
        preflight.refuse_invalid_limits()
    for word in ("12345678", ""):
        hosted.setenv("EMBVIZ_CLASS_WORD", word)
        preflight.refuse_invalid_limits()


@pytest.mark.parametrize(("where", "names"), [("1", []), ("1", ["a.org"]), ("0", [])])
def test_a_hosted_server_without_a_host_name_says_so(
    where: str, names: list[str], hosted: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on stderr where hosted, and none elsewhere."""
    hosted.setenv("EMBVIZ_HOSTED", where)
    hosted.setattr(st, "get_option", {"server.allowedHosts": names}.__getitem__)
    preflight.warn()
    assert capsys.readouterr().err.count("\n") == (where == "1" and not names)
