"""What `compiled` is in a statement: a function that torch.compile makes before the clock starts.

What cannot be compiled raises. Nothing runs without the compiler instead, and nothing is compiled
again inside the clock.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch

from embviz.core import compiler
from embviz.timing.methods import Method


def compile_into(
    names: dict[str, Any], constants: dict[str, Any], method: Method, statement: str
) -> float:
    """Put `compiled` into the globals of a statement, and call the statement once.

    Nothing that was compiled earlier is used again.

    Args:
        names: globals of the statement, all but `compiled`.
        constants: those of them that are no tensors: what is compiled would keep them.
        method: says what is compiled.
        statement: all that is timed; a backward pass is compiled too.

    Returns:
        seconds of that call, nearly all of them spent in compiling.

    Raises:
        Exception: whatever torch.compile raises, also where a variable told it not to compile.
    """
    os.environ.update(compiler.ENVIRONMENT)  # read when the compiler is imported
    import torch._inductor.compile_fx  # the whole compiler: seconds that are no compilation
    from torch._inductor.utils import fresh_cache

    torch._dynamo.config.suppress_errors = False
    torch._dynamo.config.error_on_recompile = True
    function = plain(method, constants)
    names["compiled"] = torch.compile(function, fullgraph=True, dynamic=False)
    # On an error, PyTorch would keep its folder.
    with tempfile.TemporaryDirectory(prefix="embviz-") as folder, fresh_cache(dir=folder):
        start = time.perf_counter()
        exec(statement, names)  # noqa: S102 - our own records
        return time.perf_counter() - start


def plain(method: Method, constants: dict[str, Any]) -> Callable[..., torch.Tensor]:
    """The function that is compiled for a method, not compiled."""
    arguments = method.source.partition("(")[2].removesuffix(")")
    made: Callable[..., torch.Tensor]
    made = eval(f"lambda {arguments}: {method.compiles}", constants)  # noqa: S307 - our own records
    return made
