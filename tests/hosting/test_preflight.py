"""Before the server starts: invalid variables and host names are refused."""

import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from starlette.requests import Request

from embviz.hosting import preflight
from embviz.server.incoming import is_allowed
from embviz.system.bounds import BOUNDS, LEAST_WORD, class_word
from embviz.text.refused import Refused
from embviz.text.wording import quote

ROOT = Path(__file__).resolve().parents[2]


def test_an_invalid_variable_ends_the_process(hosted: pytest.MonkeyPatch) -> None:
    """Limits and switches are checked at the start, and a word for classes that can be guessed."""
    names = [*(bound.variable for bound in BOUNDS), "EMBVIZ_HOSTED", "EMBVIZ_CLASSES"]
    wrong = [(name, "yes", "='yes' is ") for name in names]
    for variable, value, said in [*wrong, ("EMBVIZ_CLASS_WORD", "x" * 15, " has 15 characters")]:
        with hosted.context() as changed:
            changed.setenv(variable, value)
            with pytest.raises(SystemExit, match=variable + said):
                preflight.refuse_invalid_variables()
    for word in ("x" * 16, ""):
        hosted.setenv("EMBVIZ_CLASS_WORD", word)
        preflight.refuse_invalid_variables()


@pytest.mark.parametrize(
    "host",
    [
        "localhost,127.0.0.1",
        '["a","b"]',
        "localhost:8622",
        "http://localhost",
        "a b",
        "",
        "[::1]",
        "0:0:0:0:0:0:0:1",  # a browser sends ::1
        "bücher.example",  # a browser sends xn--bcher-kva.example
        "a*.example.org",  # Streamlit refuses its connection
        "*.*",
        7,
    ],
)
def test_a_host_name_that_no_request_has_is_refused(host: object) -> None:
    """It would lock everybody out; the sentence quotes it, and says what is right."""
    with pytest.raises(Refused) as caught:
        preflight.check_hosts(["localhost", host])
    assert f"has {quote(str(host))}, which is no host name" in str(caught.value)
    assert "spaces separate them, no commas" in str(caught.value)


def test_a_text_in_place_of_a_list_is_refused() -> None:
    """A file may have it; each of its letters would be a name."""
    with pytest.raises(Refused, match="A file has a list of them"):
        preflight.check_hosts("localhost")


@pytest.mark.parametrize(
    ("host", "asked"),
    [
        ("*", "anything.example"),
        ("*.example.org", "me.example.org"),
        ("embviz.example.org", "EMBVIZ.example.org:8501"),
        ("my_host-1.", "my_host-1"),
        ("::1", "[::1]:8501"),
        (" localhost ", "localhost:8501"),
    ],
)
def test_names_patterns_and_addresses_are_answered(
    host: str, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the start takes, the gate answers."""
    preflight.check_hosts([host])
    monkeypatch.setattr(st, "get_option", {"server.allowedHosts": [host]}.get)
    scope = {"type": "http", "headers": [(b"host", asked.encode())], "path": "/"}
    assert is_allowed(Request(scope | {"server": None, "scheme": "http"}).url.hostname or "")


def test_a_server_with_two_names_and_a_comma_does_not_start() -> None:
    """The process ends with the sentence."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", "0", "--server.allowedHosts", "a.example,b.example"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    said = "embviz does not start: server.allowedHosts has 'a.example,b.example'"
    assert said in done.stderr


def test_a_hosted_server_without_a_word_says_that_nobody_can_start_a_class(
    hosted: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, and only where classes are on."""
    hosted.setattr(st, "get_option", {"server.allowedHosts": ["a.example"]}.get)
    hosted.delenv("EMBVIZ_CLASSES", raising=False)
    hosted.setenv("EMBVIZ_CLASS_WORD", "is put back at the end")
    hosted.delenv("EMBVIZ_CLASS_WORD")
    preflight.warn()
    assert capsys.readouterr().err == ""
    hosted.setenv("EMBVIZ_CLASSES", "on")
    preflight.warn()
    made = class_word()
    assert f"the class word is {made} until" in capsys.readouterr().err
    assert len(made) > LEAST_WORD
    preflight.warn()
    assert (class_word(), capsys.readouterr().err) == (made, "")  # printed once
    hosted.setenv("EMBVIZ_CLASS_WORD", "correct horse battery")
    preflight.warn()
    assert capsys.readouterr().err == ""
