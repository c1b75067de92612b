import os
import stat
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from embviz.limits import isolated
from embviz.limits.case import Value
from embviz.limits.cases import CATALOGUE, entry
from embviz.limits.isolated import ChildError, Proofs, proofs_of_child, run_child
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.prove import DTYPES
from embviz.limits.report import prove_all
from embviz.limits.wire import pack, unpack

NEEDY = [one for one in CATALOGUE if one.needs]
Fake = Callable[[str], None]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Puts a shell script in the place of the child."""

    def put(script: str) -> None:
        program = tmp_path / "child"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(isolated.sys, "executable", str(program))

    return put


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test keeps its own results."""
    monkeypatch.setattr(isolated, "_kept", isolated._Kept())


def children() -> set[str]:
    """Ids of this process's children, dead ones included."""
    found = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return {line.strip() for line in found.splitlines() if not line.strip().endswith(" ps")}


def some_proofs() -> Proofs:
    """What a child might have said."""
    outcome = Outcome(1, 2)
    return {(o.name, d): Proof(o, {}, outcome, outcome) for o in NEEDY for d in DTYPES}


def test_a_real_child_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server would find no child when started elsewhere, or show other bits than it had."""
    monkeypatch.chdir(tmp_path)
    before = children()
    proofs = run_child()
    assert set(proofs) == {(one.name, dtype) for one in NEEDY for dtype in DTYPES}
    for (name, dtype), proof in proofs.items():
        assert proof.entry.name == name
        assert proof.holds in (True, None)
        assert (proof.not_run == "") == (proof.holds is True)
        assert proof.given in ({}, {"dtype": dtype})
    for dtype in DTYPES:
        flushed = proofs["flush-to-zero", dtype]
        if flushed.problem is not None:
            left, right = flushed.problem.left, flushed.problem.right
            assert isinstance(left, torch.Tensor)
            assert isinstance(right, torch.Tensor)
            assert left.dtype == DTYPES[dtype]
            assert left[0, 1] == torch.finfo(left.dtype).smallest_normal / 16
            assert not right.any()
    assert children() == before


@pytest.mark.parametrize(
    ("capability", "device", "tf32"),
    [(None, isolated.NO_CUDA, isolated.NO_CUDA), ((7, 5), "", isolated.NO_TF32), ((9, 0), "", "")],
)
def test_a_gpu_is_used_for_what_it_can(
    capability: tuple[int, int] | None, device: str, tf32: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case that needs any GPU would wait for one with TF32, or TF32 be claimed of one without."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: capability is not None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: capability)
    assert isolated._cannot(entry("different-devices")) == device
    assert isolated._cannot(entry("tf32-on-a-gpu")) == tf32


def test_many_callers_start_one_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten visitors of a fresh server would start ten processes."""
    started = []

    def slow(_timeout: float) -> Proofs:
        started.append(threading.get_ident())
        time.sleep(0.2)
        return some_proofs()

    monkeypatch.setattr(isolated, "run_child", slow)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(proofs_of_child, ["float32", "float64"] * 4))
    assert len(started) == 1
    assert all(set(proofs) == {one.name for one in NEEDY} for proofs in found)
    assert proofs_of_child()
    assert len(started) == 1


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("kill -9 $$", "was killed (signal 9)"),
        ("echo one >&2; echo two >&2; exit 3", "failed (two)"),
        ("exit 1", "failed (no message)"),
        ("exec sleep 60", "took longer than 0.3 s"),
        ("echo nonsense", "said something unreadable"),
        ("echo '{}'", "said something unreadable"),
        ('echo \'{"name": "no such"}\'', "said something unreadable"),
        ("printf '\\377'", "said something unreadable"),
        ("exit 0", "left something out"),
    ],
)
def test_a_child_that_fails_is_a_sentence(fake: Fake, script: str, words: str) -> None:
    """The page would end in a traceback, wait for ever, or leave a dead process behind."""
    fake(script)
    before = children()
    with pytest.raises(ChildError, match="not run: the process for it") as raised:
        run_child(timeout=0.3 if "sleep" in script else 30)
    assert words in str(raised.value)
    assert children() == before
    proofs = proofs_of_child(timeout=0.3 if "sleep" in script else 30)
    assert {proof.not_run for proof in proofs.values()} == {str(raised.value)}
    assert {proof.holds for proof in proofs.values()} == {None}


def test_a_child_that_cannot_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine out of processes would show a traceback."""
    monkeypatch.setattr(isolated.sys, "executable", "/nowhere/python")
    assert all("did not start" in proof.not_run for proof in proofs_of_child().values())


def test_a_failure_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bad moment would hide these cases until the server is started anew."""

    def fails(_timeout: float) -> Proofs:
        raise ChildError("not run: a bad moment")

    monkeypatch.setattr(isolated, "run_child", fails)
    assert proofs_of_child()[NEEDY[0].name].not_run == "not run: a bad moment"
    monkeypatch.setattr(isolated, "run_child", lambda _timeout: some_proofs())
    assert proofs_of_child()[NEEDY[0].name].not_run == ""


def test_waiters_share_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each who waited for a child that failed would start another and wait again."""
    started = []

    def fails(_timeout: float) -> Proofs:
        started.append(1)
        time.sleep(0.2)
        raise ChildError("not run: too slow")

    monkeypatch.setattr(isolated, "run_child", fails)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: proofs_of_child(), range(4)))
    assert len(started) == 1
    assert all(p.not_run == "not run: too slow" for proofs in found for p in proofs.values())


def test_the_whole_catalogue_asks_one_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line would leave the child's cases out, or start it for each."""
    asked = []

    def quick(_timeout: float) -> Proofs:
        asked.append(1)
        return some_proofs()

    monkeypatch.setattr(isolated, "run_child", quick)
    done: list[tuple[int, int]] = []
    proofs = prove_all("float64", lambda *step: done.append(step))
    assert [proof.entry for proof in proofs] == list(CATALOGUE)
    assert done == [(i + 1, len(CATALOGUE)) for i in range(len(CATALOGUE))]
    assert asked == [1]
    with pytest.raises(ValueError, match="float16"):
        prove_all("float16")


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([[-0.0, 0.0, float("inf")], [1e-45, -1e-45, 2.0]]),
        torch.tensor([0x7FC00001, -1], dtype=torch.int32).view(torch.float32),
        torch.tensor([5e-324, -0.0], dtype=torch.float64),
        torch.tensor([1.0, 6e-8], dtype=torch.float16),
        torch.arange(6).reshape(2, 3).T.bfloat16(),
        torch.tensor([True, False]),
        torch.tensor([2**62, -1]),
        torch.zeros(0, 3),
        torch.tensor(4),
    ],
    ids=str,
)
def test_a_tensor_arrives_with_its_bits(value: torch.Tensor) -> None:
    """A sign of zero, a NaN or a subnormal would be lost on the way, and with it the case."""
    back = unpack(pack(value))
    assert isinstance(back, torch.Tensor)
    assert (back.dtype, back.shape) == (value.dtype, value.shape)
    assert Outcome(value, back).verdict == "same"


@pytest.mark.parametrize("value", ["a\n·", True, 3, -0.5])
def test_a_plain_value_arrives_as_it_is(value: Value) -> None:
    """A word or a number would arrive as something else."""
    back = unpack(pack(value))
    assert (type(back), back) == (type(value), value)


def test_an_error_arrives_as_what_it_was() -> None:
    """An error would arrive as another, or a forged line make something else than an error."""
    back = unpack(pack(IndexError("index out of range in self")))
    assert (type(back), str(back)) == (IndexError, "index out of range in self")
    for name in ("NoSuchError", "print", "SystemExit"):
        assert type(unpack({"error": name, "text": "x"})) is RuntimeError
