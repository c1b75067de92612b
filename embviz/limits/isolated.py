"""Cases that set state of a whole process, proved in a child process that lives for seconds.

`python -m embviz limits --child` proves them all, for float32 and float64, and prints one JSON
object a line. It takes no input. This process starts one child at most and shares its results.
After a failure each proof holds the reason, and another child starts AGAIN_S later when asked.
"""

from __future__ import annotations

import base64
import builtins
import io
import json
import threading
import time
from concurrent.futures import Future
from typing import Any, TextIO

import torch

from embviz.core.child import Child, ChildError
from embviz.limits.case import Case, Value
from embviz.limits.cases import CASES, case_named
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.prove import DTYPES, check_inputs, run, takes_dtype

CHILD_S = 60.0  # it takes 2 s; a cold or busy machine may need much longer
AGAIN_S = 30.0  # from a child's start to the start of another, if the first one failed
NO_CUDA = "not run: no CUDA device"
NO_TF32 = "not run: no CUDA device of capability 8.0 or more, which TF32 needs"
NO_FLUSH = "not run: this processor cannot flush subnormal numbers"

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


def proofs_of_child(dtype: str = "float32") -> dict[str, Proof]:
    """What the child proved, by name; waits for it.

    Where the child failed, each proof says so in `not_run`.
    """
    needy = [case for case in CASES if case.needs]
    try:
        found = begin().result()
    except ChildError as error:
        return {case.name: _not_run(case, f"not run: {error}") for case in needy}
    return {case.name: found[case.name, dtype] for case in needy}


def run_child(timeout_s: float = CHILD_S) -> Proofs:
    """Start a child, wait for its proofs and end it; nothing is kept.

    Returns:
        a proof for each case with `needs` and each dtype, by (name, dtype).

    Raises:
        ChildError: it did not start, failed or took too long.
    """
    wanted = {(case.name, dtype) for case in CASES if case.needs for dtype in DTYPES}
    proofs: Proofs = {}
    end = time.monotonic() + timeout_s
    child = Child("its own process", "limits", "--child")
    try:
        while wanted - proofs.keys():
            line = child.receive(end - time.monotonic())
            if line is None:
                raise ChildError(f"its own process took longer than {timeout_s:g} s")
            proofs[line["name"], line["dtype"]] = _read(line)
    except (LookupError, TypeError, ValueError) as error:
        raise ChildError("its own process gave an unreadable answer") from error
    finally:
        child.end()
    return proofs


def child_main(stdout: TextIO) -> None:
    """The child's work: prove every case with `needs`, one JSON object a line."""
    for case in CASES:
        if case.needs:
            for dtype in DTYPES:
                print(json.dumps(_as_line(_prove(case, dtype), dtype)), file=stdout, flush=True)


def pack(value: Value) -> dict[str, str]:
    """A value for JSON, with the bits of its numbers; an error travels as its class and text."""
    if isinstance(value, Exception):
        return {"error": type(value).__name__, "text": str(value)}
    file = io.BytesIO()
    torch.save(value.detach().cpu() if isinstance(value, torch.Tensor) else value, file)
    return {"saved": base64.b64encode(file.getvalue()).decode()}


def unpack(packed: dict[str, str]) -> Value:
    """The value that `pack` was given; an error of a class that is not built in: RuntimeError.

    >>> unpack(pack(torch.tensor([-0.0])))
    tensor([-0.])
    """
    if "error" in packed:
        kind = getattr(builtins, packed["error"], None)
        is_error = isinstance(kind, type) and issubclass(kind, Exception)
        return (kind if is_error else RuntimeError)(packed["text"])  # type: ignore[misc]
    value: Value = torch.load(io.BytesIO(base64.b64decode(packed["saved"])), weights_only=True)
    return value


def _settle(results: Future[Proofs]) -> None:
    try:
        results.set_result(run_child())
    except BaseException as error:  # every caller of `result` must hear of it
        results.set_exception(error)


def _prove(case: Case, dtype: str) -> Proof:
    given = check_inputs(case, {"dtype": dtype} if takes_dtype(case) else {})
    if reason := _cannot(case):
        return _not_run(case, reason, given)
    return run(case, given)


def _cannot(case: Case) -> str:
    """Why a case cannot be run on this machine; empty if it can."""
    if case.needs in ("cuda", "tf32"):
        if not torch.cuda.is_available():
            return NO_CUDA
        enough = case.needs == "cuda" or torch.cuda.get_device_capability() >= (8, 0)
        return "" if enough else NO_TF32
    return "" if torch.set_flush_denormal(False) else NO_FLUSH


def _not_run(case: Case, reason: str, given: dict[str, object] | None = None) -> Proof:
    return Proof(case, given or {}, None, None, reason)


def _as_line(proof: Proof, dtype: str) -> dict[str, Any]:
    values = [
        pack(value)
        for outcome in (proof.problem, proof.fixed)
        if outcome is not None
        for value in (outcome.left, outcome.right)
    ]
    return {
        "name": proof.case.name,
        "dtype": dtype,
        "given": proof.given,
        "not_run": proof.not_run,
        "seconds": proof.seconds,
        "values": values,
    }


def _read(line: dict[str, Any]) -> Proof:
    case, values = case_named(line["name"]), [unpack(packed) for packed in line["values"]]
    problem = Outcome(values[0], values[1]) if values else None
    fixed = Outcome(values[2], values[3], case.tolerance) if values else None
    return Proof(case, line["given"], problem, fixed, line["not_run"], line["seconds"])
