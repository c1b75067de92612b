"""Cases that set state of a whole process, each run in a process of its own.

`python -m embviz.limits.own_process NAME` runs one and prints the results of its sides as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from concurrent.futures import Future

from embviz.limits.case import Case
from embviz.limits.prove import Outcome, Proof, prove, shown
from embviz.limits.results import from_json, recorded, to_json
from embviz.system.child import Child, ChildError

LONGEST_S = 180.0  # most take 3 s, a C++ compiler 25 s; a busy machine needs much longer
AGAIN_S = 30.0  # after a failure, until a page may start another process

started: dict[str, tuple[float, Future[Proof]]] = {}
_lock = threading.Lock()
# Processes that run at once. Each holds PyTorch, and a hosted start begins with all cases.
_at_once = threading.Semaphore(2)


def prove_in_own_process(case: Case) -> Proof:
    """Run a case in a process of its own, and wait; a process that fails is `Proof.failed`.

    Where this machine lacks what the case needs, the proof is what was recorded elsewhere.
    """
    if lacks := case.lacks():
        return recorded(case, lacks)
    try:
        child = Child("its own process", "embviz.limits.own_process", case.name)
        try:
            line = child.receive(LONGEST_S)
        finally:
            child.end()
    except ChildError as error:
        return Proof(case, failed=str(error))
    if line is None:
        return Proof(case, failed=f"its own process took longer than {LONGEST_S:g} s")
    return Proof(case, Outcome(*map(from_json, line["sides"])), mistyped=line["mistyped"])


def begin(case: Case) -> Future[Proof]:
    """The proof of a case of its own process, which all sessions share; returns at once."""
    with _lock:
        at, proof = started.get(case.name, (0.0, None))
        old = proof and proof.done() and time.monotonic() - at > AGAIN_S
        if proof is None or (old and proof.result().failed):
            proof = Future()
            started[case.name] = time.monotonic(), proof
            if lacks := case.lacks():
                proof.set_result(recorded(case, lacks))
            else:
                # No pool: Python would wait for its thread before it ends.
                threading.Thread(target=_settle, args=(case, proof), daemon=True).start()
        return proof


def _settle(case: Case, proof: Future[Proof]) -> None:
    try:
        with _at_once:
            proof.set_result(prove_in_own_process(case))
    except Exception as error:  # no disk, no thread: a page that waits must hear of it
        proof.set_result(Proof(case, failed=shown(error)))


def main() -> None:
    """The work of the child process."""
    from embviz.limits.cases import case_named

    if hasattr(os, "nice"):  # Windows has none
        os.nice(10)  # PyTorch's import would take the cores from a class
    proof = prove(case_named(sys.argv[1]))
    outcome, sides = proof.problem, []
    if outcome is not None:
        sides = [to_json(outcome.left), to_json(outcome.right)]
    print(json.dumps({"sides": sides, "mistyped": proof.mistyped}))


if __name__ == "__main__":
    main()
