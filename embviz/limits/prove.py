"""Runs one case now.

The inputs are checked first: a wrong one is refused with a sentence, and nothing runs. A case here
changes no global generator, default dtype, flag or warning filter, which all sessions of a server
share. A case that must change one is refused here; `isolated` runs it in another process.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable

import torch

from embviz.limits.case import Both, Case, Input, Value
from embviz.limits.outcome import Outcome, Proof

DTYPES = {"float32": torch.float32, "float64": torch.float64}
DTYPE = Input("dtype", "dtype", "float32", options=tuple(DTYPES))


def prove(case: Case, **given: object) -> Proof:
    """Run a case that needs no process of its own.

    Args:
        case: which one.
        given: inputs by name, the rest at their defaults; `dtype` is "float32" or "float64", and
            is ignored if the case has dtypes of its own.

    Raises:
        ValueError: an input is unknown or out of bounds, or the case needs its own process.
    """
    if case.needs:
        raise ValueError(f"{case.name} sets state of the whole process; its child proves it.")
    return run(case, check_inputs(case, given))


def run(case: Case, given: dict[str, object]) -> Proof:
    """Run a case with checked inputs; in a child process, any case may run."""
    start = time.perf_counter()
    with torch.inference_mode(False), torch.enable_grad():
        problem = Outcome(*_call(case.problem, given))
        fixed = Outcome(*_call(case.fix, given), case.tolerance)
    return Proof(case, given, problem, fixed, seconds=time.perf_counter() - start)


def check_inputs(case: Case, given: dict[str, object]) -> dict[str, object]:
    """All inputs of a case, those not given at their defaults.

    Raises:
        ValueError: one is unknown, of the wrong kind or out of bounds.
    """
    inputs = {known.name: known for known in (*case.inputs, DTYPE)}
    for name in given:
        if name not in inputs:
            raise ValueError(f"{case.name} has no input {name!r}; it has: {', '.join(inputs)}.")
    checked = {name: _checked(one, given.get(name, one.default)) for name, one in inputs.items()}
    return {known.name: checked[known.name] for known in inputs_of(case)}


def inputs_of(case: Case) -> list[Input]:
    """The inputs of a case, with DTYPE if it can be run for float32 and for float64."""
    takes_dtype = any("dtype" in inspect.signature(f).parameters for f in (case.problem, case.fix))
    return [*case.inputs, DTYPE] if takes_dtype else [*case.inputs]


def _checked(known: Input, value: object) -> object:
    if known.options:
        for option in known.options:
            if type(option) is type(value) and option == value:
                return option
        choice = "one of: " + ", ".join(map(str, known.options))
    else:
        assert known.low is not None
        assert known.high is not None
        if type(value) is int and known.low <= value <= known.high:
            return value
        choice = f"a whole number from {known.low} to {known.high}"
    raise ValueError(f"{known.name}={_quoted(value)} is not {choice}.")


def _quoted(value: object) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**18 else "a huge number"
    return text if len(text) <= 40 else f"{text[:39]}…"


def _call(function: Callable[..., Both], given: dict[str, object]) -> Both:
    takes = inspect.signature(function).parameters
    values = {name: value for name, value in given.items() if name in takes}
    if "dtype" in values:
        values["dtype"] = DTYPES[str(values["dtype"])]
    try:
        left, right = function(**values)
    except Exception as error:  # another PyTorch may raise where this one does not: a result too
        left = right = error
    return _detached(left), _detached(right)


def _detached(value: Value) -> Value:
    """The value; an error without its traceback, which would keep all tensors of its frames."""
    if isinstance(value, Exception):
        value = value.with_traceback(None)
        value.__context__ = value.__cause__ = None
    return value
