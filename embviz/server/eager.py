"""PyTorch's compiler stays out of a server that compiles nothing: that saves 73 MB and a second.

The first optimizer of a process imports `torch._dynamo`, only to tell it what not to compile. A
stand-in takes that note instead, and makes way for the real module as soon as anybody asks it for
anything else. Where PyTorch changes what it asks, the real module is loaded, as it always was.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

NAME = "torch._dynamo"


class StandIn(ModuleType):
    """`torch._dynamo`, as far as code that is never compiled needs it."""

    def __init__(self) -> None:
        super().__init__(NAME, __doc__)
        self._giving_way = threading.RLock()

    @staticmethod
    def graph_break(msg: str = "") -> None:
        """Where a compiler would have to stop; there is none."""

    @staticmethod
    def disable(
        fn: Callable[..., Any] | None = None, recursive: bool = True, **_: Any
    ) -> Callable[..., Any]:
        """What a compiler must leave alone, as it is."""
        return fn if fn is not None else lambda given: given

    def __getattr__(self, name: str) -> Any:
        """Anything else is asked of the real module, which from now on is there."""
        # Whoever lists modules looks for these of all of them; only an import asks for the path.
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        with self._giving_way:
            if sys.modules.get(NAME) is self:
                del sys.modules[NAME]
        return getattr(importlib.import_module(NAME), name)


def leave_compiler_out() -> None:
    """Put the stand-in where `torch._dynamo` would be, unless that is there already."""
    sys.modules.setdefault(NAME, StandIn())


def let_compiler_in() -> None:
    """Load the real module now: for libraries that begin by importing one of its submodules.

    Python would ask the stand-in for its path and then run that submodule a second time.
    """
    if isinstance(stand_in := sys.modules.get(NAME), StandIn):
        stand_in.config  # noqa: B018
