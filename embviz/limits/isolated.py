"""Cases that set state of a whole process, proved in a child process that lives for seconds.

`python -m embviz limits --child` proves them all, for float32 and float64, and prints one JSON
object a line. It takes no input. This process keeps the results of one child. After a failure each
proof has the reason, and the first caller after AGAIN_S starts another child.
"""

from __future__ import annotations

import base64
import json
import pickle
import threading
import time
from concurrent.futures import Future
from typing import TextIO

import torch

from embviz.core.child import Child, ChildError
from embviz.limits.case import Case
from embviz.limits.cases import CASES
from embviz.limits.outcome import Proof
from embviz.limits.prove import DTYPES, check_inputs, run

CHILD_S = 60.0  # it takes 2 s; a cold or busy machine may need much longer
AGAIN_S = 30.0  # from a child's start to the start of another, if the first one failed
NO_CUDA = "not run: no CUDA device"
NO_TF32 = "not run: no CUDA device of capability 8.0 or more, which TF32 needs"
NO_FLUSH = "not run: this processor cannot flush subnormal numbers"

NEEDY = [case for case in CASES if case.needs]
Proofs = dict[tuple[str, str], Proof]

_lock = threading.Lock()
_results: Future[Proofs] | None = None
_started_at = 0.0


def begin() -> Future[Proofs]:
    """The results of this process's child, by (name, dtype); starts the child if need be.

    Returns at once. The future holds a ChildError if the child failed.
    """
    global _results, _started_at
    with _lock:
        again = time.monotonic() - _started_at > AGAIN_S
        if _results is None or (again and _results.done() and _results.exception()):
            results: Future[Proofs] = Future()
            # No pool: Python would wait for its thread, and so for the child, before it ends.
            threading.Thread(
                target=_settle, args=(results,), name="embviz-limits", daemon=True
            ).start()
            _results, _started_at = results, time.monotonic()
        return _results


def proofs_of_child(dtype: str = "float32", wait: bool = True) -> dict[str, Proof]:
    """The child's proofs by name; without `wait`, none while the child runs.

    If the child failed, each proof has the reason in `not_run`.
    """
    results = begin()
    if not wait and not results.done():
        return {}
    try:
        found = results.result()
    except Exception as error:  # most often a ChildError; the page shows any of them
        return {case.name: Proof(case, {}, None, None, f"not run: {error}") for case in NEEDY}
    return {case.name: found[case.name, dtype] for case in NEEDY}


def run_child(timeout_s: float = CHILD_S) -> Proofs:
    """Start a child, wait for its proofs and end it; nothing is kept.

    Returns:
        a proof for each case of NEEDY and each dtype, by (name, dtype).

    Raises:
        ChildError: it did not start, failed or took too long.
    """
    wanted = {(case.name, dtype) for case in NEEDY for dtype in DTYPES}
    proofs: Proofs = {}
    end = time.monotonic() + timeout_s
    child = Child("its own process", "limits", "--child")
    try:
        while wanted - proofs.keys():
            line = child.receive(end - time.monotonic())
            if line is None:
                raise ChildError(f"its own process took longer than {timeout_s:g} s")
            proofs[line["name"], line["dtype"]] = unpack(line["proof"])
    except (LookupError, TypeError, ValueError, EOFError, pickle.UnpicklingError) as error:
        raise ChildError("its own process gave an unreadable answer") from error
    finally:
        child.end()
    return proofs


def child_main(stdout: TextIO) -> None:
    """The child's work: prove every case with `needs`, one JSON object a line."""
    for case in NEEDY:
        for dtype in DTYPES:
            line = {"name": case.name, "dtype": dtype, "proof": pack(_prove(case, dtype))}
            print(json.dumps(line), file=stdout, flush=True)


def pack(proof: Proof) -> str:
    """A proof as a text, with the bits of its numbers."""
    return base64.b64encode(pickle.dumps(proof)).decode()


def unpack(text: str) -> Proof:
    """The proof that `pack` was given, in a process that trusts the writer."""
    proof = pickle.loads(base64.b64decode(text))  # noqa: S301 - written by our own child
    assert isinstance(proof, Proof)
    return proof


def _settle(results: Future[Proofs]) -> None:
    try:
        results.set_result(run_child())
    except BaseException as error:  # every caller of `result` must hear of it
        results.set_exception(error)


def _prove(case: Case, dtype: str) -> Proof:
    given = check_inputs(case, {"dtype": dtype})
    if reason := _cannot(case):
        return Proof(case, given, None, None, reason)
    return run(case, given)


def _cannot(case: Case) -> str:
    """Why a case cannot run on this machine; empty if it can."""
    if case.needs in ("cuda", "tf32"):
        if not torch.cuda.is_available():
            return NO_CUDA
        enough = case.needs == "cuda" or torch.cuda.get_device_capability() >= (8, 0)
        return "" if enough else NO_TF32
    return "" if torch.set_flush_denormal(False) else NO_FLUSH
