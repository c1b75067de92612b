"""Cases that set state of a whole process, proved in child processes that live for seconds.

`python -m embviz limits --child KIND` proves all cases of one kind, for float32 and float64, and
prints one JSON object a line. It takes no input. The kind "compiler" has a child of its own, which
takes 0.8 GB. This process keeps the results of one child of each kind. After a failure each proof
has the reason, and the first caller after AGAIN_S starts another child.
"""

from __future__ import annotations

import base64
import json
import pickle
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TextIO

import torch

from embviz.core import compiler
from embviz.core.child import Child, ChildError
from embviz.limits.case import Case
from embviz.limits.cases import CASES
from embviz.limits.outcome import Proof
from embviz.limits.prove import DTYPES, check_inputs, run

AGAIN_S = 30.0  # from a child's start to the start of another, if the first one failed
NO_CUDA = "not run: no CUDA device"
NO_TF32 = "not run: no CUDA device of capability 8.0 or more, which TF32 needs"
NO_FLUSH = "not run: this processor cannot flush subnormal numbers"
NO_THREADS = "not run: PyTorch has 1 thread here, and the case needs 2"
NO_AMX = "not run: this processor has no AMX units for bfloat16"


def _no_compiler() -> str:
    reason = compiler.why_none()
    return f"not run: {reason}" if reason else ""


def _unless(there: bool, reason: str) -> str:
    return "" if there else reason


# Why a case with that need cannot run on this machine; empty if it can.
CHECKS: dict[str, Callable[[], str]] = {
    "process": str,
    "flush": lambda: _unless(torch.set_flush_denormal(False), NO_FLUSH),
    "threads": lambda: _unless(torch.get_num_threads() > 1, NO_THREADS),
    "amx": lambda: _unless(torch.cpu.get_capabilities().get("amx_bf16", False), NO_AMX),
    "cuda": lambda: _unless(torch.cuda.is_available(), NO_CUDA),
    "tf32": lambda: _unless(torch.cuda.get_device_capability() >= (8, 0), NO_TF32),
    "compiler": _no_compiler,
}
NEEDY = [case for case in CASES if case.needs]
CHILD_S = {"settings": 60.0, "compiler": 300.0}  # 3 s and 15 s; a busy machine needs much longer
Proofs = dict[tuple[str, str], Proof]

_lock = threading.Lock()
_results: dict[str, Future[Proofs]] = {}
_started_at: dict[str, float] = {}


def kind_of(case: Case) -> str:
    """The kind of child that proves a case of NEEDY: a key of CHILD_S."""
    return "compiler" if "compiler" in case.needs else "settings"


def begin(kind: str = "settings") -> Future[Proofs]:
    """The results of this process's child, by (name, dtype); starts the child if need be.

    Returns at once. The future holds a ChildError if the child failed.
    """
    with _lock:
        last = _results.get(kind)
        again = time.monotonic() - _started_at.get(kind, 0.0) > AGAIN_S
        if last is None or (again and last.done() and last.exception()):
            results: Future[Proofs] = Future()
            # No pool: Python would wait for its thread, and so for the child, before it ends.
            threading.Thread(
                target=_settle, args=(results, kind), name=f"embviz-limits-{kind}", daemon=True
            ).start()
            _results[kind], _started_at[kind] = results, time.monotonic()
        return _results[kind]


def started(kind: str) -> bool:
    """Whether the child of a kind runs, or has given its proofs."""
    results = _results.get(kind)
    return results is not None and not (results.done() and results.exception())


def pending() -> set[str]:
    """The kinds of the children that run now."""
    return {kind for kind, results in list(_results.items()) if not results.done()}


def proofs_of_child(
    dtype: str = "float32", wait: bool = True, kind: str = "settings"
) -> dict[str, Proof]:
    """The proofs of a kind's child by name; without `wait`, none while the child runs.

    If the child failed, each proof has the reason in `not_run`.
    """
    cases = [case for case in NEEDY if kind_of(case) == kind]
    results = begin(kind)
    if not wait and not results.done():
        return {}
    try:
        found = results.result()
    except Exception as error:  # most often a ChildError; the page shows any of them
        return {case.name: Proof(case, {}, None, None, f"not run: {error}") for case in cases}
    return {case.name: found[case.name, dtype] for case in cases}


def run_child(kind: str = "settings", timeout_s: float | None = None) -> Proofs:
    """Start a child, wait for its proofs and end it; nothing is kept.

    Args:
        kind: of its cases, a key of CHILD_S. Without a compiler, no child of that kind starts.
        timeout_s: the most that it may take; None for CHILD_S.

    Returns:
        a proof for each case of that kind and each dtype, by (name, dtype).

    Raises:
        ChildError: it did not start, failed or took too long.
    """
    cases = [case for case in NEEDY if kind_of(case) == kind]
    wanted = {(case.name, dtype) for case in cases for dtype in DTYPES}
    if kind == "compiler" and (reason := _no_compiler()):
        proofs = {case.name: Proof(case, {}, None, None, reason) for case in cases}
        return {(name, dtype): proofs[name] for name, dtype in wanted}
    seconds = CHILD_S[kind] if timeout_s is None else timeout_s
    with tempfile.TemporaryDirectory(prefix="embviz-", ignore_cleanup_errors=True) as folder:
        child = Child(
            "its own process",
            *("limits", "--child", kind),
            environment={
                **compiler.ENVIRONMENT,
                "TMPDIR": folder,
                "TORCHINDUCTOR_CACHE_DIR": folder,
            },
        )
        try:
            return _received(child, wanted, seconds)
        except (LookupError, TypeError, ValueError, EOFError, pickle.UnpicklingError) as error:
            raise ChildError("its own process gave an unreadable answer") from error
        finally:
            child.end()


def _received(child: Child, wanted: set[tuple[str, str]], seconds: float) -> Proofs:
    """All wanted proofs of a child."""
    proofs: Proofs = {}
    end = time.monotonic() + seconds
    while wanted - proofs.keys():
        line = child.receive(end - time.monotonic())
        if line is None:
            raise ChildError(f"its own process took longer than {seconds:g} s")
        proofs[line["name"], line["dtype"]] = unpack(line["proof"])
    return proofs


def child_main(kind: str, stdout: TextIO) -> None:
    """The child's work: prove every case of a kind, one JSON object a line."""
    for case in NEEDY:
        if kind_of(case) != kind:
            continue
        proof = None
        for dtype in DTYPES:
            given = check_inputs(case, {"dtype": dtype})
            if proof is None or given:  # a case without dtype is proved once
                proof = _prove(case, given)
            line = {"name": case.name, "dtype": dtype, "proof": pack(proof)}
            print(json.dumps(line), file=stdout, flush=True)


def pack(proof: Proof) -> str:
    """A proof as a text, with the bits of its numbers."""
    return base64.b64encode(pickle.dumps(proof)).decode()


def unpack(text: str) -> Proof:
    """The proof that `pack` was given, in a process that trusts the writer."""
    proof = pickle.loads(base64.b64decode(text))  # noqa: S301 - written by our own child
    assert isinstance(proof, Proof)
    return proof


def _settle(results: Future[Proofs], kind: str) -> None:
    try:
        results.set_result(run_child(kind))
    except BaseException as error:  # every caller of `result` must hear of it
        results.set_exception(error)


def _prove(case: Case, given: dict[str, object]) -> Proof:
    if reason := _cannot(case):
        return Proof(case, given, None, None, reason)
    return run(case, given)


def _cannot(case: Case) -> str:
    """Why a case cannot run on this machine; empty if it can."""
    return next(filter(None, (CHECKS[need]() for need in case.needs.split())), "")
