import stat
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
import torch

from embviz.core.child import ChildError
from embviz.limits import isolated
from embviz.limits.case import Case
from embviz.limits.cases import case_named
from embviz.limits.isolated import NEEDY, Proofs, begin, proof_of_child, run_child
from embviz.limits.outcome import Outcome, Proof
from tests.limits.test_outcome import tensors


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts without results."""
    monkeypatch.setattr(isolated, "_results", None)


def processes() -> set[int]:
    """Ids of this process's children, zombies included."""
    return {child.pid for child in psutil.Process().children()}


def some_proofs() -> Proofs:
    """Results that a child might give."""
    outcome = Outcome(1, 2)
    return {case.name: Proof(case, outcome, outcome) for case in NEEDY}


def arrived(case: Case) -> Proof:
    """The proof of a case, once the child has ended."""
    begin().exception()
    proof = proof_of_child(case)
    assert proof is not None
    return proof


def test_a_real_child_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child started from any folder proves all its cases with exact bits, and is gone after."""
    monkeypatch.chdir(tmp_path)
    before = processes()
    proofs = run_child()
    assert [proof.case for proof in proofs.values()] == NEEDY
    for name, proof in proofs.items():
        assert proof.holds in (True, None), (name, proof.line)
        assert (proof.not_run == "") == (proof.holds is True)
    flushed = proofs["flush-to-zero"]
    if flushed.problem is not None:
        left, right = tensors(flushed.problem)
        assert left[0, 1] == torch.finfo(torch.float32).smallest_normal / 16
        assert not right.any()
    assert processes() <= before


def test_what_a_machine_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each need has a check; with one thread or without AMX, a case says why it did not run."""
    assert {case.needs for case in NEEDY} == set(isolated.CHECKS)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    assert isolated._prove(case_named("index-backward-varies")).not_run == isolated.NO_THREADS
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": False})
    assert isolated._prove(case_named("medium-precision-on-a-cpu")).not_run == isolated.NO_AMX


def test_many_callers_start_one_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers at the same time share one child, nobody waits, and later callers get its results."""
    started = []

    def slow() -> Proofs:
        started.append(1)
        time.sleep(0.2)
        return some_proofs()

    monkeypatch.setattr(isolated, "run_child", slow)
    assert proof_of_child(NEEDY[0]) is None
    with ThreadPoolExecutor(8) as pool:
        assert all(proof.holds is not None for proof in pool.map(arrived, NEEDY * 2))
    assert started == [1]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("kill -9 $$", "was killed (signal 9)"),
        ("echo one >&2; echo two >&2; exit 3", "ended with exit code 3: two"),
        ("exec sleep 60", "took longer than 0.3 s"),
    ],
)
def test_a_child_that_fails_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    """A child that fails or hangs gives each of its cases the reason, and leaves no process."""
    program = tmp_path / "child"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(isolated, "CHILD_S", 0.3 if "sleep" in script else 30)
    before = processes()
    for case in NEEDY:
        proof = arrived(case)
        assert (proof.not_run, proof.holds) == (f"not run: its own process {words}", None)
    assert processes() <= before


def test_a_failure_is_shared_and_then_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers share a failure; AGAIN_S after its start, a caller starts another child."""
    bad = ChildError("a bad moment")

    def fails() -> Proofs:
        raise bad

    monkeypatch.setattr(isolated, "run_child", fails)
    assert arrived(NEEDY[0]).not_run == "not run: a bad moment"
    monkeypatch.setattr(isolated, "run_child", some_proofs)
    assert arrived(NEEDY[0]).not_run == "not run: a bad moment"
    monkeypatch.setattr(isolated, "AGAIN_S", 0.0)
    assert arrived(NEEDY[0]).not_run == ""
