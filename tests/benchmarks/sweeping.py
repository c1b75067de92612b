"""What benchmarks of timing share: the default sweep, and waiting for a sweep's end.

The benchmarks in this folder import it; it is no benchmark itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from embviz.core.cores import default_threads
from embviz.timing.cases import Case, plan
from embviz.timing.methods import DEFAULT_METHODS
from embviz.timing.sweep import Sweep

SWEEP_LIMIT_S = 300.0


def default_sweep(rows: Iterable[int]) -> list[Case]:
    """The cases of the timing page's defaults, at these sizes."""
    fixed = {"embedding_dim": 64, "tokens": 256, "threads": default_threads()}
    return plan("vocab", rows, DEFAULT_METHODS, ["cpu"], **fixed)


def finished(sweep: Sweep) -> Sweep:
    """The sweep, after it is done or stopped."""
    if not sweep.finished.wait(SWEEP_LIMIT_S) or sweep.state == "failed":
        raise RuntimeError(f"the sweep is {sweep.state}: {sweep.error}")
    return sweep
