"""Timing on other machines: the same sweep as a task of Dask, and its lines as Dask's events.

Dask carries the work; nothing here discovers machines, moves data or keeps an order. Workers offer
the resource `embviz`. Dask is imported when a cluster is named. The scheduler needs no embviz.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import re
import secrets
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from embviz.system.machine import is_loopback
from embviz.text.refused import Refused
from embviz.text.wording import printable, quote, without_paths
from embviz.timing.measure.file_lines import read_line
from embviz.timing.measure.sweep import Sink, Sweep
from embviz.timing.measure.task import ClusterError
from embviz.timing.measure.timed import ROUNDS, Line, Timed

if TYPE_CHECKING:
    from distributed import Future

RESOURCE = "embviz"
ANSWER_S = 3  # Seconds for an answer: a machine needs milliseconds, also while it measures.
CLOSE_S = 1.5  # Seconds in which the sweeps of a cluster end when it closes.
IDLE_S = 0.5  # Seconds without a line, after which the workers are looked at.
INSTALL = "pip install distributed==2026.8.0"
SCHEDULER = "python -m dask scheduler --host 127.0.0.1 --port 8786 --dashboard-address 127.0.0.1:0"
WORKER = f"python -m dask worker {{}} --resources {RESOURCE}=1 --name one{{}}"
WORKER += " --dashboard-address 127.0.0.1:0"  # By default it listens on all networks.


class Cluster:
    """One cluster, and the sweeps of this process on it.

    Dask's own configuration has the certificates for TLS.

    Args:
        address: of the scheduler, such as `tcp://127.0.0.1:8786` or `tls://ada:8786`.
        insecure: whether plain TCP to another machine is allowed.

    Raises:
        ClusterError: (a ValueError) the address may not be used, Dask is not installed, or no
            scheduler is there.
    """

    def __init__(self, address: str, insecure: bool = False) -> None:
        self.address = checked(address, insecure)
        self._sweeps = list[Sweep]()
        try:
            import distributed
            from distributed.comm import connect
        except ImportError:
            raise ClusterError(f"a cluster needs Dask: {INSTALL}") from None
        # Nobody here reads the log of Dask.
        for name in (distributed.__name__, "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)

        async def probe() -> None:  # `Client` waits for ever for one that accepts and is silent
            how = distributed.Security().get_connection_args("client")
            (await connect(self.address, timeout=ANSWER_S, **how)).abort()

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Dask warns of versions that differ.
                asyncio.run(asyncio.wait_for(probe(), ANSWER_S + 1))
                self._client = distributed.Client(
                    self.address, timeout=ANSWER_S, set_as_default=False
                )
        except Exception as error:  # TLS fails in many ways.
            raise ClusterError(
                f"the scheduler at {self.address} cannot be used ({_words(error)}) "
                f"Start one here: {SCHEDULER}"
            ) from error

    def machines(self, *names: str) -> list[str]:
        """The names of the workers that offer the resource; takes some seconds at most.

        Args:
            names: which; by default all.

        Raises:
            ClusterError: the scheduler is gone, or nobody offers the resource, or one of these does
                not.
        """
        return [worker for name in names or ("",) for worker in self._offering(name).values()]

    def start(
        self,
        cases: Sequence[Timed],
        sink: Sink | None = None,
        processes: int = 1,
        machine: str = "",
    ) -> Sweep:
        """Send a sweep to a machine and return at once; Dask keeps it until that one is free.

        Args:
            cases: as of `Engine.start`, and so are the next two.
            sink: given each line of the run file.
            processes: fresh worker processes.
            machine: its name.

        Raises:
            Refused: nobody offers the resource, or no such machine is there.
        """
        sweep, (address, *_) = Sweep(cases, sink, processes), self._offering(machine)
        run, inbox = secrets.token_hex(8), queue.SimpleQueue[Line]()
        self._client.subscribe_topic(run, lambda event: inbox.put(event[1]))
        sweep.cancel = partial(inbox.put, {})

        def task(*asked: Any) -> Any:  # Dask sends a local function as code.
            from embviz.timing.measure.task import measure

            return measure(*asked)

        self._sweeps.append(sweep)
        where: Any = {"workers": [address], "resources": {RESOURCE: 1}}
        future = self._client.submit(task, run, [*map(asdict, cases)], processes, key=run, **where)
        job = sweep, inbox, future, address, machine
        threading.Thread(target=self._run, args=job, daemon=True).start()
        return sweep

    def close(self) -> None:
        """Stop all sweeps and leave the cluster, within a few seconds whatever happens there."""
        for sweep in (sweeps := list(self._sweeps)):
            sweep.stop()
        for sweep in sweeps:
            sweep.finished.wait(CLOSE_S)
        with contextlib.suppress(Exception):  # Dask has many ways to say that it is gone.
            self._client.close(timeout=CLOSE_S)

    def _offering(self, machine: str = "") -> dict[str, str]:
        """The names of the workers that offer the resource, by address, in the order of names.

        Raises:
            ClusterError: nobody does, or not this machine, or the scheduler is gone.
        """
        try:
            ask = self._client.scheduler.identity
            found = self._client.sync(ask, n_workers=-1, callback_timeout=ANSWER_S)["workers"]
        except Exception:  # The connection may be gone, with an error of any kind.
            raise ClusterError(f"the scheduler at {self.address} no longer answers.") from None
        offering = {
            address: "".join(map(printable, str(worker["name"])[:100]))
            for address, worker in sorted(found.items(), key=lambda item: str(item[1]["name"]))
            if worker["resources"].get(RESOURCE)
        }
        if not offering:  # Without a host, a worker takes code from all networks.
            here = " --host 127.0.0.1" if self.address.startswith("tcp://127") else ""
            raise ClusterError(
                f"no worker at {self.address} offers the resource {RESOURCE}. Start one on each "
                f"machine, in the folder of embviz: {WORKER.format(self.address, here)}"
            )
        wanted = {address: name for address, name in offering.items() if machine in ("", name)}
        if not wanted:
            names = ", ".join(offering.values())
            raise ClusterError(f"machine {quote(machine)} is not there; these are: {names}.")
        return wanted

    def _run(self, sweep: Sweep, *job: Any) -> None:
        try:
            outcome = take_lines(sweep, self._messages(sweep, *job))
        except Exception as error:  # A sweep must end, whatever happened, and say so.
            outcome = "failed", _words(error)
        self._sweeps.remove(sweep)
        with contextlib.suppress(Exception):  # The connection may be gone.
            job[1].cancel()
            self._client.unsubscribe_topic(job[1].key)
        sweep.finish(*outcome)

    def _messages(
        self,
        sweep: Sweep,
        inbox: queue.SimpleQueue[Line],
        future: Future[Any],
        address: str,
        machine: str,
    ) -> Iterator[Line]:
        """The messages of a machine, then all as the task's result; Stop ends it.

        Raises:
            ClusterError: the machine or the scheduler is gone, or the task has failed.
        """
        while not sweep.stopping.is_set():
            with contextlib.suppress(queue.Empty):
                if message := inbox.get(timeout=IDLE_S):
                    yield message
                continue
            if future.status == "finished":
                yield from future.result(ANSWER_S)
            if future.status in ("finished", "error"):
                raise ClusterError(f"machine {machine}: {_words(future.exception(ANSWER_S))}")
            if address not in self._offering():
                raise ClusterError(f"the Dask worker of machine {machine} has ended.")


def take_lines(sweep: Sweep, messages: Iterable[Line]) -> tuple[str, str]:
    """Take the lines of one attempt, in order, until the last one.

    A line that follows a lost one is left for the task's result, which has all lines.

    Returns:
        the last state, and why.

    Raises:
        Refused: Dask began again, or a line cannot be read.
    """
    attempt, taken = "", 0
    for message in messages:
        attempt = attempt or message["attempt"]
        if message["attempt"] != attempt:
            raise ClusterError("its Dask worker has ended, and Dask began the sweep again.")
        if message["number"] != taken:
            continue
        line = read_line(message["line"])
        taken += 1
        if line["type"] == "end":
            return line["status"], line["reason"]
        if line["type"] == "environment":
            sweep.begin()
        elif line["type"] == "times":
            sweep.done = max(sweep.done, line["process"] * ROUNDS + line["round"])
        sweep.add(line)
    return "stopped", ""


def checked(address: str, insecure: bool = False) -> str:
    """The address with its protocol; Dask runs code for whoever reaches it.

    Raises:
        ClusterError: it cannot be read, or may not be used so.

    >>> [checked(one) for one in ("localhost:8786", "tcp://[::1]:8786", "tls://10.0.0.7:8786")]
    ['tcp://localhost:8786', 'tcp://[::1]:8786', 'tls://10.0.0.7:8786']
    >>> checked("tcp://10.0.0.7:8786", insecure=True)
    'tcp://10.0.0.7:8786'
    >>> checked("tcp://10.0.0.7:8786")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    embviz.timing.measure.task.ClusterError: cluster 'tcp://10.0.0.7:8786' is on another ...
    >>> checked("tcp://1270000000:8786")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    embviz.timing.measure.task.ClusterError: cluster 'tcp://1270000000:8786' is on another ...
    >>> checked("ucx://127.0.0.1:1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    embviz.timing.measure.task.ClusterError: cluster 'ucx://127.0.0.1:1' is not like ...
    >>> checked("tcp://127.0.0.1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    embviz.timing.measure.task.ClusterError: cluster 'tcp://127.0.0.1' is not like ...
    """
    whole = address if "://" in address else f"tcp://{address}"
    if not re.fullmatch(r"(tcp|tls)://[\w.:\[\]-]+:\d+", whole):
        raise ClusterError(f"cluster {quote(address)} is not like tcp://127.0.0.1:8786 or tls://.")
    protocol, _, rest = whole.partition("://")
    host = rest.rpartition(":")[0].strip("[]")
    if protocol == "tcp" and not insecure and not is_loopback(host):
        raise ClusterError(
            f"cluster {quote(address)} is on another machine, and Dask runs code for whoever "
            "reaches it. Use tls:// with certificates of both sides in Dask's configuration."
        )
    return whole


def _words(error: BaseException) -> str:
    """An error as a sentence without paths."""
    kind = "" if isinstance(error, Refused) else f"{type(error).__name__}: "
    return f"{kind}{without_paths(str(error)).rstrip('.')}."
