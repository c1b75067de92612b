"""Run one case now, and say whether its claim holds.

The inputs are checked first: a wrong one is refused with a sentence, and nothing runs. What an
case does stays its own: no global generator, default dtype, flag or filter is touched, so that
other sessions of a server never notice. Cases that cannot promise that are not run here (`child`
runs them).
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable

import torch

from embviz.core.dtypes import WIDE
from embviz.limits.case import Both, Case, Input, Value
from embviz.limits.outcome import Outcome, Proof

DTYPES = {name: one.torch for name, one in WIDE.items()}


def prove(case: Case, **given: object) -> Proof:
    """What a case's problem and fix give here, now.

    Args:
        case: which one; one that needs a process of its own must be asked of `child`.
        given: inputs by name, the rest at their defaults; `dtype` is "float32" or "float64", and
            is left out where the case is about dtypes of its own.

    Raises:
        ValueError: an input is unknown or out of bounds, or the case needs its own process.
    """
    if case.needs:
        raise ValueError(f"{case.name} sets state of the whole process; its child proves it.")
    return run(case, check_inputs(case, given))


def run(case: Case, given: dict[str, object]) -> Proof:
    """The same without any check: for `prove`, and for the child, which may run every case."""
    start = time.perf_counter()
    with torch.inference_mode(False), torch.enable_grad():
        left, right = _call(case.problem, given)
        fixed_left, fixed_right = _call(case.fix, given)
    seconds = time.perf_counter() - start
    return Proof(
        case,
        given,
        Outcome(left, right),
        Outcome(fixed_left, fixed_right, case.tolerance),
        emulated=case.emulated,
        seconds=seconds,
    )


def check_inputs(case: Case, given: dict[str, object]) -> dict[str, object]:
    """All inputs of a case, those not given at their defaults.

    Raises:
        ValueError: one is unknown, of the wrong kind or out of bounds.
    """
    known = {known.name: known for known in case.inputs}
    for name in given:
        if name not in known and name != "dtype":
            allowed = ", ".join([*known, "dtype"])
            raise ValueError(f"{case.name} has no input {name!r}; it has: {allowed}.")
    dtype = given.get("dtype", "float32")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"dtype={_quoted(dtype)} is not one of: {', '.join(DTYPES)}.")
    checked = {name: _checked(one, given.get(name, one.default)) for name, one in known.items()}
    return {**checked, "dtype": dtype} if takes_dtype(case) else checked


def takes_dtype(case: Case) -> bool:
    """Whether a case can be proved for float32 and for float64."""
    return any("dtype" in inspect.signature(f).parameters for f in (case.problem, case.fix))


def _checked(known: Input, value: object) -> object:
    if known.options:
        for option in known.options:
            if type(option) is type(value) and option == value:
                return option
        allowed = "one of: " + ", ".join(map(str, known.options))
    else:
        assert known.low is not None
        assert known.high is not None
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and known.low <= value <= known.high:  # type: ignore[operator]
            return value
        allowed = f"a whole number from {known.low} to {known.high}"
    raise ValueError(f"{known.name}={_quoted(value)} is not {allowed}.")


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
    return _kept(left), _kept(right)


def _kept(value: Value) -> Value:
    """A value that holds on to nothing else: an error would keep every frame it passed."""
    if isinstance(value, Exception):
        value = value.with_traceback(None)
        value.__context__ = value.__cause__ = None
    return value
