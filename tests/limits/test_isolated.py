import re
import stat
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psutil
import pytest
import torch

from embviz.commands.limits import prove_all
from embviz.core import compiler
from embviz.core.child import ChildError
from embviz.limits import isolated
from embviz.limits.case import Value
from embviz.limits.cases import CASES, case_named
from embviz.limits.isolated import (
    NEEDY,
    Proofs,
    kind_of,
    pack,
    proofs_of_child,
    run_child,
    unpack,
)
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.prove import DTYPES
from tests.limits.test_outcome import tensors

Fake = Callable[[str], None]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Puts a shell script in the place of the child."""

    def put(script: str) -> None:
        program = tmp_path / "child"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(sys, "executable", str(program))

    return put


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts without results."""
    monkeypatch.setattr(isolated, "_results", {})


def processes() -> set[int]:
    """Ids of this process's children, zombies included."""
    return {child.pid for child in psutil.Process().children()}


def some_proofs() -> Proofs:
    """Results that a child of any kind might give."""
    outcome = Outcome(1, 2)
    return {(o.name, d): Proof(o, {}, outcome, outcome) for o in NEEDY for d in DTYPES}


def check_threads(proof: Proof, dtype: torch.dtype) -> None:
    """The calling thread flushes; threads that were started earlier keep their part."""
    if proof.problem is None:
        assert proof.not_run in (isolated.NO_FLUSH, isolated.NO_THREADS)
        return
    one, many = tensors(proof.problem)
    assert not one.any()
    kept = torch.finfo(dtype).smallest_normal / 2
    # With many threads the calling one's part is small, and the sample may miss it.
    assert {kept} <= set(many.flatten().tolist()) <= {0.0, kept}


def test_a_real_child_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child started from any folder proves all its cases with exact bits, and is gone after."""
    monkeypatch.chdir(tmp_path)
    before = processes()
    proofs = run_child()
    here = [case for case in NEEDY if kind_of(case) == "settings"]
    assert set(proofs) == {(case.name, dtype) for case in here for dtype in DTYPES}
    for (name, dtype), proof in proofs.items():
        assert proof.case.name == name
        assert proof.holds in (True, None), (name, proof.line)
        assert (proof.not_run == "") == (proof.holds is True)
        assert proof.given in ({}, {"dtype": dtype})
    for dtype in DTYPES:
        flushed = proofs["flush-to-zero", dtype]
        if flushed.problem is not None:
            left, right = tensors(flushed.problem)
            assert left.dtype == DTYPES[dtype]
            assert left[0, 1] == torch.finfo(left.dtype).smallest_normal / 16
            assert not right.any()
        check_threads(proofs["flush-to-zero-per-thread", dtype], DTYPES[dtype])
    assert processes() <= before


@pytest.mark.parametrize(
    ("capability", "device", "tf32"),
    [(None, isolated.NO_CUDA, isolated.NO_CUDA), ((7, 5), "", isolated.NO_TF32), ((9, 0), "", "")],
)
def test_a_gpu_is_used_for_what_it_can(
    capability: tuple[int, int] | None, device: str, tf32: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case that needs a GPU runs on any; TF32 needs capability 8.0."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: capability is not None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: capability)
    assert isolated._cannot(case_named("different-devices")) == device
    assert isolated._cannot(case_named("tf32-on-a-gpu")) == tf32


def test_each_need_of_a_case_is_known() -> None:
    """Each word of `needs` has a check, and the first one that fails gives the reason."""
    assert {need for case in NEEDY for need in case.needs.split()} == set(isolated.CHECKS)


def test_one_thread_amx_and_a_host_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one thread, without AMX, or on a public server, a case says why it did not run."""
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    assert isolated._cannot(case_named("index-backward-varies")) == isolated.NO_THREADS
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": False})
    assert isolated._cannot(case_named("medium-precision-on-a-cpu")) == isolated.NO_AMX
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert isolated._cannot(case_named("torch-compile")) == f"not run: {compiler.NO_MEMORY}"


def test_without_a_compiler_no_child_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a C++ compiler or Python's header, the case is not run and no process starts."""
    monkeypatch.setattr(isolated, "Child", None)
    monkeypatch.setenv("CXX", "/nowhere/c++")
    (proof,) = proofs_of_child(kind="compiler").values()
    assert (proof.not_run, proof.holds) == (f"not run: {compiler.NO_COMPILER}", None)
    monkeypatch.setenv("CXX", sys.executable)
    monkeypatch.setattr("sysconfig.get_path", lambda _: "/nowhere")
    (proof, _) = run_child("compiler").values()
    assert proof.not_run == f"not run: {compiler.NO_HEADERS}"


@pytest.mark.skipif(bool(isolated._no_compiler()), reason="needs a C++ compiler and Python.h")
def test_the_compiler_keeps_the_product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, the lookup reads by id, the product multiplies the one-hot, no cache is left."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    proof = run_child("compiler")["torch-compile", "float64"]
    assert proof.problem is not None
    assert proof.fixed is not None
    assert (proof.holds, proof.given) == (True, {}), (proof.line, proof.fixed.detail)
    lookup, matmul = str(proof.problem.left), str(proof.problem.right)
    assert re.fullmatch(r"auto tmp\d+ = in_ptr1\[.*x1 \+ 3L+\*tmp\d+\)\];", lookup)
    assert re.search(r"^(buf\d+) = empty_strided_cpu\(\(2, 4\).*\nextern_kernels\.mm\(\1,", matmul)
    assert proof.line == "differ: a text of 1 line and a text of 2 lines"
    # One id and one column are a dot product, which the compiler writes as a sum.
    assert "leaves this `one_hot(ids) @ weight`" in proof.case.claim
    assert not list(tmp_path.iterdir())


def test_many_callers_start_one_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers at the same time wait for one child, and later callers get its results."""
    started = []

    def slow(kind: str) -> Proofs:
        started.append(kind)
        time.sleep(0.2)
        return some_proofs()

    monkeypatch.setattr(isolated, "run_child", slow)
    assert proofs_of_child(wait=False) == {}
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(proofs_of_child, ["float32", "float64"] * 4))
    here = {case.name for case in NEEDY if kind_of(case) == "settings"}
    assert all(set(proofs) == here for proofs in found)
    assert proofs_of_child()
    assert isolated.begin().done()
    assert started == ["settings"]
    assert isolated.started("settings")
    assert not isolated.started("compiler")
    assert not isolated.pending()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("kill -9 $$", "was killed (signal 9)"),
        ("echo one >&2; echo two >&2; exit 3", "ended with exit code 3: two"),
        ("exit 1", "ended with exit code 1: no message"),
        ("exec sleep 60", "took longer than 0.3 s"),
        ("echo nonsense", "ended with exit code 0: no message"),
        ("echo '{}'", "gave an unreadable answer"),
        ("echo '[1]'", "gave an unreadable answer"),
        ('echo \'{"name": "a", "dtype": "", "proof": "!"}\'', "gave an unreadable answer"),
        ("printf '\\377'", "ended with exit code 0: no message"),
        ("exit 0", "ended with exit code 0: no message"),
    ],
)
def test_a_child_that_fails_is_a_sentence(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    """A child that fails or hangs gives each of its cases the reason, and leaves no process."""
    fake(script)
    before = processes()
    run = partial(run_child, timeout_s=0.3 if "sleep" in script else 30)
    with pytest.raises(ChildError) as raised:
        run()
    assert str(raised.value) == f"its own process {words}"
    assert processes() <= before
    monkeypatch.setattr(isolated, "run_child", run)
    proofs = proofs_of_child()
    assert {proof.not_run for proof in proofs.values()} == {f"not run: its own process {words}"}
    assert {proof.holds for proof in proofs.values()} == {None}


def test_a_child_that_cannot_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that starts no more processes gives each of its cases the reason."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert all("did not start" in proof.not_run for proof in proofs_of_child().values())


def test_a_failure_is_shared_and_then_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting callers share a failure; AGAIN_S after its start, a caller starts another child."""
    started = []

    def fails(kind: str) -> Proofs:
        started.append(kind)
        time.sleep(0.2)
        raise ChildError("a bad moment")

    monkeypatch.setattr(isolated, "run_child", fails)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: proofs_of_child(), range(4)))
    assert len(started) == 1
    assert all(p.not_run == "not run: a bad moment" for proofs in found for p in proofs.values())
    monkeypatch.setattr(isolated, "run_child", lambda _: some_proofs())
    assert proofs_of_child()[NEEDY[0].name].not_run == "not run: a bad moment"
    monkeypatch.setattr(isolated, "AGAIN_S", 0.0)
    assert proofs_of_child()[NEEDY[0].name].not_run == ""


def test_all_cases_ask_one_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """`prove_all` proves every case in order, and asks one child a kind."""
    asked = []

    def quick(kind: str) -> Proofs:
        asked.append(kind)
        return some_proofs()

    monkeypatch.setattr(isolated, "run_child", quick)
    proofs = prove_all("float64")
    assert [proof.case for proof in proofs] == list(CASES)
    assert asked == ["settings", "compiler"]
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
    """The sign of a zero, the bits of a NaN and a subnormal survive the way from the child."""
    outcome = unpack(pack(Proof(NEEDY[0], {}, Outcome(value, value), None))).problem
    assert outcome is not None
    back = outcome.left
    assert isinstance(back, torch.Tensor)
    assert (back.dtype, back.shape) == (value.dtype, value.shape)
    assert Outcome(value, back).verdict == "same"


@pytest.mark.parametrize("value", ["a\n·", True, 3, -0.5])
def test_a_plain_value_and_an_error_arrive(value: Value) -> None:
    """A word, a number and an error arrive with their type."""
    error = IndexError("index out of range in self")
    proof = unpack(pack(Proof(NEEDY[0], {"x": value}, Outcome(value, error), None, "why", 0.5)))
    assert (proof.case, proof.given, proof.not_run) == (NEEDY[0], {"x": value}, "why")
    assert proof.problem is not None
    left, right = proof.problem.left, proof.problem.right
    assert (type(left), left) == (type(value), value)
    assert (type(right), str(right)) == (IndexError, "index out of range in self")
