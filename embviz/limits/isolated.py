"""Cases that set state of a whole process, proved in a child process that lives for seconds.

`python -m embviz limits --child` proves them and prints one JSON object on one line. A server keeps
the results of one child. After a failure, the first caller after AGAIN_S starts another.
"""

from __future__ import annotations

import base64
import json
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TextIO

import torch

from embviz.core.child import Child, ChildError
from embviz.limits.case import Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.outcome import Proof
from embviz.limits.prove import prove

AGAIN_S = 30.0  # from a child's start to the start of another, if the first one failed
CHILD_S = 60.0  # it takes 3 s; a busy machine needs much longer
NO_FLUSH = "not run: this processor cannot flush subnormal numbers"
NO_THREADS = "not run: PyTorch has 1 thread here, and the case needs 2"
NO_AMX = "not run: this processor has no AMX units for bfloat16"

# Whether a case with that need can run on this machine, and what the page says if it cannot.
CHECKS: dict[str, tuple[Callable[[], bool], str]] = {
    "process": (lambda: True, ""),
    "flush": (lambda: torch.set_flush_denormal(False), NO_FLUSH),
    "threads": (lambda: torch.get_num_threads() > 1, NO_THREADS),
    "amx": (lambda: torch.cpu.get_capabilities().get("amx_bf16", False), NO_AMX),
}
NEEDY = [case for case in CASES if case.needs]
Proofs = dict[str, Proof]

_lock = threading.Lock()
_results: Future[Proofs] | None = None
_started_at = 0.0


def begin() -> Future[Proofs]:
    """The results of this process's child, by name; starts the child if need be.

    Returns at once. The future holds a ChildError if the child failed.
    """
    global _results, _started_at
    with _lock:
        again = time.monotonic() - _started_at > AGAIN_S
        if _results is None or (again and _results.done() and _results.exception()):
            _results, _started_at = Future(), time.monotonic()
            # No pool: Python would wait for its thread, and so for the child, before it ends.
            threading.Thread(
                target=_settle, args=(_results,), name="embviz-limits", daemon=True
            ).start()
        return _results


def proof_of_child(case: Case) -> Proof | None:
    """The proof of a case of NEEDY; None while the child runs.

    If the child failed, the proof has the reason in `not_run`.
    """
    results = begin()
    if not results.done():
        return None
    if error := results.exception():
        return Proof(case, None, None, f"not run: {error}")
    return results.result()[case.name]


def run_child() -> Proofs:
    """Start a child, wait for its proofs and end it; nothing is kept.

    Raises:
        ChildError: it did not start, failed or took too long.
    """
    child = Child("its own process", "embviz", "limits", "--child")
    try:
        line = child.receive(CHILD_S)
    finally:
        child.end()
    if line is None:
        raise ChildError(f"its own process took longer than {CHILD_S:g} s")
    found = pickle.loads(base64.b64decode(line["proofs"]))  # noqa: S301 - written by our own child
    return {name: Proof(case_named(name), *values) for name, values in found.items()}


def child_main(stdout: TextIO) -> None:
    """The child's work: prove every case of NEEDY, and print their values with exact bits."""
    proofs = map(_prove, NEEDY)
    found = {one.case.name: (one.problem, one.fixed, one.not_run, one.seconds) for one in proofs}
    print(json.dumps({"proofs": base64.b64encode(pickle.dumps(found)).decode()}), file=stdout)


def _settle(results: Future[Proofs]) -> None:
    try:
        results.set_result(run_child())
    except BaseException as error:  # every caller of `result` must hear of it
        results.set_exception(error)


def _prove(case: Case) -> Proof:
    can, reason = CHECKS[case.needs]
    return prove(case) if can() else Proof(case, None, None, reason)
