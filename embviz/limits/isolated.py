"""Entries that set state of a whole process, proved in another one that lives a few seconds.

`python -m embviz limits --child` proves them all, for float32 and float64, prints one JSON object
a line and ends. Its results are kept for as long as this process lives. A child that fails or
takes too long costs a sentence in place of its results, and the next who asks starts another.
What it runs is fixed: it takes no input, so its memory and its output are bounded by the catalogue.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TextIO

import torch

from embviz.core.wording import printable
from embviz.limits.case import Entry
from embviz.limits.cases import CATALOGUE, entry
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.prove import DTYPES, check_inputs, run, takes_dtype
from embviz.limits.wire import pack, unpack

ROOT = Path(__file__).resolve().parents[2]
CHILD_S = 60.0  # it takes 2 s; a cold or busy machine may need much longer
NO_CUDA = "not run: no CUDA device"
NO_TF32 = "not run: no CUDA device of capability 8.0 or more, which TF32 needs"
NO_FLUSH = "not run: this processor cannot flush subnormal numbers"

Proofs = dict[tuple[str, str], Proof]
_children: set[subprocess.Popen[bytes]] = set()


class ChildError(Exception):
    """The child failed or took too long; the text is a sentence for the reader."""


def proofs_of_child(dtype: str = "float32", timeout: float = CHILD_S) -> dict[str, Proof]:
    """What the child proved, by entry name: kept, or from a child started now.

    Several callers at once wait for one child. Never raises for what the child does: where it
    failed, each proof says so in `not_run`, and the next call tries again.
    """
    try:
        proofs = _kept.get(timeout)
    except ChildError as error:
        return {one.name: _not_run(one, str(error)) for one in CATALOGUE if one.needs}
    return {one.name: proofs[one.name, dtype] for one in CATALOGUE if one.needs}


def run_child(timeout: float = CHILD_S) -> Proofs:
    """Start a child, wait for it and read its results; nothing is kept.

    Returns:
        a proof for each entry with `needs` and each dtype, by (name, dtype).

    Raises:
        ChildError: it did not start, failed, took too long or left something out.
    """
    command = [sys.executable, "-m", "embviz", "limits", "--child"]
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    try:
        child = subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
            command,
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ChildError(f"not run: the process for it did not start ({error})") from error
    with child:
        _children.add(child)
        try:
            stdout, stderr = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            raise ChildError(
                f"not run: the process for it took longer than {timeout:g} s"
            ) from error
        finally:
            child.kill()  # one that takes too long; leaving the block waits until it is gone
            _children.discard(child)
    if child.returncode < 0:
        raise ChildError(f"not run: the process for it was killed (signal {-child.returncode})")
    if child.returncode:
        lines = stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        said = "".join(printable(c) for c in lines[-1][:200])
        raise ChildError(f"not run: the process for it failed ({said})")
    try:
        proofs = _read(stdout.decode("utf-8"))
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:
        raise ChildError("not run: the process for it said something unreadable") from error
    if any((one.name, dtype) not in proofs for one in CATALOGUE if one.needs for dtype in DTYPES):
        raise ChildError("not run: the process for it left something out")
    return proofs


def end_children() -> None:
    """Kill the children that still work: this process is about to end."""
    for child in list(_children):
        child.kill()


def child_main(stdout: TextIO) -> None:
    """The child's work: prove every entry with `needs`, one JSON object a line."""
    for one in CATALOGUE:
        if one.needs:
            for dtype in DTYPES:
                print(json.dumps(_as_line(_prove(one, dtype), dtype)), file=stdout, flush=True)


class _Kept:
    """The results of one child; asked for by many threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._results: Future[Proofs] | None = None

    def get(self, timeout: float) -> Proofs:
        with self._lock:
            results, mine = self._results, self._results is None
            if results is None:
                results = self._results = Future()
        if mine:
            try:
                results.set_result(run_child(timeout))
            except BaseException as error:
                with self._lock:
                    self._results = None  # so that the next who asks tries again
                results.set_exception(error)
        return results.result()

    def forget(self) -> None:
        """Start another child next time."""
        with self._lock:
            self._results = None


_kept = _Kept()


def _prove(one: Entry, dtype: str) -> Proof:
    given = check_inputs(one, {"dtype": dtype} if takes_dtype(one) else {})
    if reason := _cannot(one):
        return _not_run(one, reason, given)
    return run(one, given)


def _cannot(one: Entry) -> str:
    """Why an entry cannot be run on this machine; empty if it can."""
    if one.needs in ("cuda", "tf32"):
        if not torch.cuda.is_available():
            return NO_CUDA
        enough = one.needs == "cuda" or torch.cuda.get_device_capability() >= (8, 0)
        return "" if enough else NO_TF32
    return "" if torch.set_flush_denormal(False) else NO_FLUSH


def _not_run(one: Entry, reason: str, given: dict[str, object] | None = None) -> Proof:
    return Proof(one, given or {}, None, None, reason, one.emulated)


def _as_line(proof: Proof, dtype: str) -> dict[str, Any]:
    line: dict[str, Any] = {
        "name": proof.entry.name,
        "dtype": dtype,
        "given": proof.given,
        "not_run": proof.not_run,
        "seconds": proof.seconds,
    }
    for name, outcome in (("problem", proof.problem), ("fixed", proof.fixed)):
        if outcome is not None:
            line[name] = [pack(outcome.left), pack(outcome.right)]
    return line


def _read(text: str) -> Proofs:
    proofs: Proofs = {}
    for line in map(json.loads, text.splitlines()):
        one = entry(line["name"])
        problem, fixed = (
            Outcome(unpack(line[name][0]), unpack(line[name][1]), tolerance)
            if name in line
            else None
            for name, tolerance in (("problem", 0.0), ("fixed", one.tolerance))
        )
        proofs[one.name, line["dtype"]] = Proof(
            one, line["given"], problem, fixed, line["not_run"], one.emulated, line["seconds"]
        )
    return proofs
