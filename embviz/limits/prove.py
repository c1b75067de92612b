"""Runs one case now.

A case without `needs` changes no global generator, default dtype, flag or warning filter, which all
sessions of a server share. The others change one: only `isolated` runs them, in another process.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from embviz.limits.case import Both, Case, Value
from embviz.limits.outcome import Outcome, Proof


def prove(case: Case) -> Proof:
    """Run a case's problem and its fix."""
    start = time.perf_counter()
    with torch.inference_mode(False), torch.enable_grad():
        problem = Outcome(*_call(case.problem))
        fixed = Outcome(*_call(case.fix), case.tolerance)
    return Proof(case, problem, fixed, seconds=time.perf_counter() - start)


def _call(function: Callable[..., Both]) -> Both:
    try:
        left, right = function()
    except Exception as error:  # another PyTorch may raise where this one does not: a result too
        left = right = error
    return _detached(left), _detached(right)


def _detached(value: Value) -> Value:
    """The value; an error without its traceback, which would keep all tensors of its frames."""
    if isinstance(value, Exception):
        value = value.with_traceback(None)
        value.__context__ = value.__cause__ = None
    return value
