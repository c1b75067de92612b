"""One sweep in a Dask worker: the task that `cluster` sends. Its lines go out as Dask's events.

The worker's own process does not import PyTorch; it measures with an `Engine`.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from embviz.text.refused import Refused
from embviz.timing.measure.sweep import Engine
from embviz.timing.measure.timed import Line, Timed

EXIT_S = 5.0  # Seconds in which a Dask worker ends by itself.
OVER = ("closing", "closed", "failed")  # States of a Dask worker.
LOOK_S = 0.1  # Seconds between two looks of a machine at its sweep.


class ClusterError(Refused):
    """The sentence that says why a cluster, or a machine of it, cannot be used."""


def measure(topic: str, cases: Sequence[Mapping[str, Any]], processes: int) -> list[Line]:
    """One sweep in a Dask worker: the task that `Cluster.start` sends.

    Returns:
        all messages that were sent, for those that were lost.
    """
    from distributed import get_worker

    worker, attempt, sent = get_worker(), secrets.token_hex(4), list[Line]()

    def send(line: Line) -> None:
        place = {"attempt": attempt, "number": len(sent)}
        named = {"worker": str(worker.name)} if line["type"] == "environment" else {}
        sent.append({**place, "line": json.dumps(line | named)})
        worker.log_event(topic, sent[-1])

    sweep = _engine(worker).start([Timed(**fields) for fields in cases], send, processes)
    while not sweep.finished.wait(LOOK_S):
        task = worker.state.tasks.get(topic)
        if worker.status.name in OVER or not task or task.state in ("cancelled", "resumed"):
            sweep.stop()
    if not sent:
        raise ClusterError(sweep.reason or sweep.state)
    return sent


@cache
def _engine(worker: Any) -> Engine:
    """The engine of a Dask worker.

    Its measuring process lacks the variables of Dask's nanny: with `MALLOC_TRIM_THRESHOLD_` a large
    allocation takes two to three times as long.
    """
    import dask.config

    threading.Thread(target=_end_in_time, args=(worker,), daemon=True).start()
    given = dask.config.get("distributed.nanny.pre-spawn-environ", {})
    own: dict[str, str | None] = {
        name: None for name, value in given.items() if os.environ.get(name) == str(value)
    }
    return Engine(variables=own)


def _end_in_time(worker: Any) -> None:
    """End this process soon after its Dask worker.

    A worker that loses its scheduler in the moment of its own SIGTERM may else wait for ever.
    """
    while worker.status.name not in OVER:
        time.sleep(LOOK_S)
    time.sleep(EXIT_S)
    os._exit(1)
