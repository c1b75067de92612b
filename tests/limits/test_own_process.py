"""Cases with a process of their own: a real one, and one that fails or hangs."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest

from embviz.limits import own_process
from embviz.limits.cases import CASES
from embviz.limits.own_process import begin, main, prove_in_own_process
from embviz.limits.prove import Outcome, Proof

ALONE = [case for case in CASES if case.own_process]


@pytest.fixture(autouse=True)
def no_process_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test starts without results and ends without processes, zombies included."""
    monkeypatch.setattr(own_process, "started", {})
    before = {child.pid for child in psutil.Process().children()}
    yield
    assert {child.pid for child in psutil.Process().children()} <= before


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("kill -9 $$", "was killed (signal 9)"),
        ("echo one >&2; echo two >&2; exit 3", "ended with exit code 3: two"),
        ("exec sleep 60", "took longer than 0.3 s"),
        ("", "OSError: no space left"),
    ],
)
def test_a_process_that_fails_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    """It fails its case with the reason, also without a process, and is tried again later."""
    program = tmp_path / "child"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(own_process, "LONGEST_S", 0.3 if "sleep" in script else 30)
    if not script:
        monkeypatch.setattr(own_process, "Child", Mock(side_effect=OSError("no space left")))
    case = replace(ALONE[0], lacks=lambda: "")
    first = begin(case)
    proof = first.result(30)
    assert words in proof.failed
    assert proof.holds is False
    assert begin(case) is first
    monkeypatch.setattr(own_process, "AGAIN_S", -1.0)
    again = begin(case)
    assert again is not first
    assert again.result(30).failed


def test_the_error_of_a_fix_on_a_layer_comes_from_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The child prints it, and the proof has it."""
    case = replace(ALONE[0], lacks=lambda: "")
    found = Proof(case, Outcome(1, 2), mistyped="KeyError: 'é'")
    monkeypatch.setattr(own_process, "prove", lambda _: found)
    monkeypatch.setattr(own_process.os, "nice", lambda _: 0)
    monkeypatch.setattr(sys, "argv", ["", case.name])
    main()
    program = tmp_path / "child"
    (tmp_path / "said").write_text(capsys.readouterr().out)
    program.write_text(f"#!/bin/sh\ncat '{tmp_path / 'said'}'\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    proof = prove_in_own_process(case)
    assert (proof.failed, proof.mistyped) == ("", "KeyError: 'é'")
    assert proof.holds is False
