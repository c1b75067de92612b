"""Cases with a process of their own: a real one, and one that fails or hangs."""

import stat
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest
import torch

from embviz.limits import alone
from embviz.limits.alone import begin, done, prove_alone
from embviz.limits.cases import CASES

ALONE = [case for case in CASES if case.alone]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts without results."""
    monkeypatch.setattr(alone, "_started", {})


@pytest.mark.parametrize("case", ALONE, ids=lambda case: case.name)
def test_a_real_process_leaves_this_one_as_it_was(
    case: alone.Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It proves its case where the machine can, is gone after, and is started once for all."""
    before, children = torch.get_float32_matmul_precision(), processes()
    first = begin(case)
    assert begin(case) is first
    assert done() == {}
    proof = first.result(alone.LONGEST_S)
    assert done() == {case.name: proof}
    monkeypatch.setattr(alone, "AGAIN_S", -1.0)
    assert begin(case) is first, "only a failure is tried again"
    able = torch.cpu.get_capabilities().get("amx_bf16", False)
    assert proof.holds is (True if able else None), proof.told
    assert torch.get_float32_matmul_precision() == before
    assert processes() <= children


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("kill -9 $$", "was killed (signal 9)"),
        ("echo one >&2; echo two >&2; exit 3", "ended with exit code 3: two"),
        ("exec sleep 60", "took longer than 0.3 s"),
    ],
)
def test_a_process_that_fails_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    """It fails its case with the reason, leaves no process, and is tried again after a while."""
    program = tmp_path / "child"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(alone, "LONGEST_S", 0.3 if "sleep" in script else 30)
    children, case = processes(), replace(ALONE[0], lacks=lambda: "")
    proof = prove_alone(case)
    assert words in proof.failed
    assert proof.holds is False
    assert words in proof.told
    first = begin(case)
    assert words in first.result(30).failed
    assert begin(case) is first
    monkeypatch.setattr(alone, "AGAIN_S", -1.0)
    again = begin(case)
    assert again is not first
    assert again.result(30).failed
    assert processes() <= children


def test_what_stops_a_process_from_starting_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk fails the case, and no other page that asks for all proofs."""
    monkeypatch.setattr(alone, "Child", Mock(side_effect=OSError("no space left")))
    case = replace(ALONE[0], lacks=lambda: "")
    assert begin(case).result(30).failed == "OSError: no space left"
    assert done()[case.name].holds is False


def processes() -> set[int]:
    """Ids of this process's children, zombies included."""
    return {child.pid for child in psutil.Process().children()}
