"""The cluster that EMBVIZ_CLUSTER names, as all sessions of this server share it.

A look at a cluster may take seconds, so a thread takes it, and pages read what it found last. Dask
is imported where a cluster is named. Nothing is drawn or measured here.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from functools import cache

from embviz.timing import queue
from embviz.timing.cluster import VARIABLE, Cluster
from embviz.timing.cluster_address import ClusterError
from embviz.timing.cluster_sweep import Machine

FRESH_S = 5.0  # what was seen is not looked at again so soon
_LOGGER = logging.getLogger("embviz")


def named() -> bool:
    """Whether a cluster is named."""
    return bool(os.environ.get(VARIABLE))


class Watched:
    """The cluster, and what the last look found.

    Attributes:
        machines: by name; empty before the first look and where there is trouble.
        trouble: why no machine can be used, in one sentence.
        command: for a shell, that helps; it may be empty.
        hopeless: whether another look cannot help: the address is refused, or Dask is missing.
        busy_here: whether a sweep runs or waits on this machine.
        looking: whether a look is under way.
        looks: how many have ended.
    """

    def __init__(self) -> None:
        self.machines: list[Machine] = []
        self.trouble = self.command = ""
        self.hopeless = False
        self.busy_here = self.looking = False
        self.looks = 0
        self._seen: float | None = None
        self._cluster: Cluster | None = None
        self._making, self._lock = threading.Lock(), threading.Lock()

    def cluster(self) -> Cluster:
        """The cluster, made when it is first needed.

        Raises:
            ClusterError: its address is refused, or Dask is not installed.
        """
        with self._making:
            self._cluster = self._cluster or Cluster.named()
            if self._cluster is None:
                raise ClusterError(f"no cluster is named: set {VARIABLE}.")
            return self._cluster

    def look(self) -> None:
        """Begin a look, unless one is under way or the last one is fresh."""
        with self._lock:
            fresh = self._seen is not None and time.monotonic() - self._seen < FRESH_S
            if self.looking or fresh:
                return
            self.looking = True
        threading.Thread(target=self._look, daemon=True).start()

    def changed(self, *_: object) -> None:
        """What was seen is old: a sweep has begun or ended, or the user asks."""
        self._seen = None

    def close(self) -> None:
        """Stop the sweeps of this server and leave the cluster."""
        if self._cluster is not None:
            self._cluster.close()

    def _look(self) -> None:
        machines, trouble, command, busy = list[Machine](), "", "", False
        try:
            machines = self.cluster().machines()
        except ClusterError as error:
            trouble, command = error.sentence, error.command
        except Exception as error:  # the page must not wait for this look
            trouble = f"the cluster cannot be used: {type(error).__name__}: {error}"
            if trouble != self.trouble:  # each look would say it again
                _LOGGER.exception("the look at the cluster failed")
        with contextlib.suppress(OSError):  # Start says why
            busy = queue.busy()
        with self._lock:
            self.machines, self.trouble, self.command = machines, trouble, command
            self.busy_here, self.hopeless = busy, self._cluster is None
            self.looks, self.looking, self._seen = self.looks + 1, False, time.monotonic()


@cache
def watched() -> Watched:
    """That of this server."""
    return Watched()
