"""Timing on other machines: a Dask cluster whose workers offer the resource `embviz`.

Dask carries the work; nothing here discovers machines or moves data. A sweep is one task on one
named machine. Sweeps wait in this process, because Dask does not keep such tasks in order.
`cluster_machine` is the other side. Dask is imported when a cluster is named.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import site
import ssl
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from embviz.core import bounds
from embviz.core.wording import printable, without_paths
from embviz.timing import cluster_machine
from embviz.timing.cases import Case
from embviz.timing.cluster_address import (
    INSTALL,
    Certificates,
    ClusterError,
    checked,
    scheduler_command,
    security,
    worker_command,
)
from embviz.timing.cluster_machine import PROTOCOL
from embviz.timing.cluster_sweep import Machine, RemoteSweep, machine_of
from embviz.timing.queue import QueueFull
from embviz.timing.results import Failure
from embviz.timing.sweep import Sink, Watcher

if TYPE_CHECKING:
    from distributed import Client, Future

VARIABLE = "EMBVIZ_CLUSTER"  # the address of the scheduler, for the timing page
RESOURCE = "embviz"
CONNECT_S = 3
ANSWER_S = 3.0  # a machine answers in milliseconds, also while it measures
SILENT_S = 30.0  # while a sweep runs or waits there; one that measures speaks every two seconds
STOP_S = 5.0  # it ends within a quarter of a second, or is left alone
LOOK_S = 0.1
SOON_S, FREE_S = 0.05, 1.0  # between two looks for a free machine, after a change and later
CLOSE_S = 1.5
# Text, because the scheduler unpickles a task's function, and it may have no embviz.
_MEASURE = "__import__('importlib').import_module('embviz.timing.cluster_machine').measure(asked)"


class Cluster:
    """One cluster, and the sweeps of this process that wait for it or run on it.

    Args:
        address: of the scheduler, such as `tcp://127.0.0.1:8786`.
        certificates: for `tls://`.
        insecure: whether plain TCP to another machine is allowed.

    Raises:
        ClusterError: (a ValueError) the address may not be used, or Dask is not installed.
    """

    def __init__(
        self, address: str, certificates: Certificates | None = None, insecure: bool = False
    ) -> None:
        self.address = checked(address, insecure)
        try:
            import distributed
        except ImportError:
            raise ClusterError(
                "a cluster needs Dask distributed, where embviz is installed. Then start again:",
                INSTALL,
            ) from None
        for name in (distributed.__name__, "distributed.client"):  # its own words reach nobody here
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._security = security(self.address, certificates or Certificates())
        self._client: Client | None = None
        self._connecting = threading.Lock()
        self._change = threading.Condition()
        self._waiting: list[RemoteSweep] = []
        self._running: dict[str, RemoteSweep] = {}  # by address
        self._dispatching = False
        self._news = 0  # counts what `_dispatch` must look at
        self._closed = False
        self._prepared = set[str]()  # addresses of workers that can import embviz

    @classmethod
    def named(cls) -> Cluster | None:
        """The cluster that EMBVIZ_CLUSTER names, or None."""
        address = os.environ.get(VARIABLE, "")
        return cls(address) if address else None

    def machines(self) -> list[Machine]:
        """The workers that offer the resource, by name; takes 3 s at most, 6 s when it connects.

        Raises:
            ClusterError: no scheduler, no worker, or no worker with the resource.
        """
        client = self._connected()

        async def everyone() -> tuple[Mapping[str, Any], list[Any]]:
            found = await client.scheduler.identity(n_workers=-1)
            workers = dict(found["workers"])
            offering = {a: one for a, one in workers.items() if one["resources"].get(RESOURCE)}
            asked = (self._facts(client, address) for address in offering)
            return workers, [*zip(offering.items(), await asyncio.gather(*asked), strict=True)]

        try:
            workers, answers = client.sync(everyone, callback_timeout=2 * ANSWER_S)
        except (OSError, TimeoutError) as error:
            raise self._lost() from error
        start = worker_command(self.address, f"--resources {RESOURCE}=1 --name one")
        if not workers:
            raise ClusterError(
                f"the cluster at {self.address} has no worker. Start one on each machine, in the "
                "folder of embviz, each with a name of its own:",
                start,
            )
        if not answers:
            raise ClusterError(
                f"no worker at {self.address} offers the resource {RESOURCE} (there: "
                f"{len(workers)}). Start each in the folder of embviz, with a name of its own:",
                start,
            )
        machines = [_machine(one["name"], address, facts) for (address, one), facts in answers]
        return sorted(machines, key=lambda machine: machine.name)

    def start(
        self,
        cases: Sequence[Case],
        sink: Sink | None = None,
        watcher: Watcher | None = None,
        processes: int = 1,
        *,
        machine: str = "",
        own_threads: bool = True,
        hostname: bool = True,
        left_out: Sequence[Failure] = (),
    ) -> RemoteSweep:
        """Put a sweep into the queue of this process and return at once.

        Args:
            cases: as of `Engine.start`, and so are the next three.
            sink: given each line of the run file.
            watcher: given the sweep when it waits, begins and is over.
            processes: fresh worker processes.
            machine: name or address; by default the first that is free.
            own_threads: whether the machine's default replaces the cases' number of threads.
            hostname: whether the environment may have the machine's host name.
            left_out: further cases, which are not measured.

        Raises:
            CaseError, QueueFull: (ValueErrors) when it cannot even wait.
        """
        sweep = RemoteSweep(cases, sink, watcher, processes)
        sweep.asked_for, sweep.own_threads, sweep.hostname = machine, own_threads, hostname
        sweep.left_out, sweep.on_stop = list(left_out), self._wake
        with self._change:
            if self._closed:
                raise ClusterError("the server is closing.")
            if len(self._waiting) >= bounds.SWEEPS.value():
                raise QueueFull(
                    f"{len(self._waiting)} sweeps wait for a machine already; "
                    "try again in a minute."
                )
            self._waiting.append(sweep)
            sweep.place = (len(self._waiting),) * 2
            self._wake()
            if not self._dispatching:
                self._dispatching = True
                threading.Thread(target=self._dispatch, daemon=True).start()
        sweep.watch()
        return sweep

    def close(self) -> None:
        """Stop all sweeps and leave the cluster, within a few seconds whatever happens there."""
        with self._change:
            self._closed = True
            sweeps = [*self._waiting, *self._running.values()]
            self._wake()
        end = time.monotonic() + CLOSE_S
        for sweep in sweeps:
            sweep.stop()
        for sweep in sweeps:
            sweep.finished.wait(timeout=max(0.0, end - time.monotonic()))
        with self._connecting:
            client, self._client = self._client, None
        if client is not None:
            _leave(client)

    def _wake(self) -> None:
        """A sweep came, ended or was stopped: look for a free machine."""
        with self._change:
            self._news += 1
            self._change.notify_all()

    def _connected(self) -> Client:
        """The client of this process; a new one where the last one has lost its scheduler.

        Raises:
            ClusterError: no scheduler answers, or TLS fails.
        """
        from distributed import Client
        from distributed.security import Security
        from distributed.versions import VersionMismatchWarning

        with self._connecting:
            if self._client is not None and self._client.status == "running":
                return self._client
            if self._client is not None:
                _leave(self._client)
                self._client = None
            warnings.filterwarnings("ignore", category=VersionMismatchWarning)
            security = self._security or Security()
            try:
                # `Client` waits for ever where something accepts the connection and is silent.
                asyncio.run(_answers(self.address, security.get_connection_args("client")))
                client = Client(
                    self.address,
                    timeout=CONNECT_S,
                    security=security,
                    set_as_default=False,
                    name="embviz",
                )
            except (OSError, ValueError) as error:
                raise _why(self.address, error) from error
            self._client = client
            client.subscribe_topic(client.id, self._heard)
            return client

    def _heard(self, event: tuple[float, Any]) -> None:
        """Hand a message to its sweep; called by Dask's own thread."""
        _, message = event
        if not isinstance(message, Mapping) or "lines" not in message:
            return  # Dask's own events of this client
        for sweep in list(self._running.values()):
            if sweep.run_id == message.get("run"):
                sweep.inbox.put(message)

    async def _facts(self, client: Client, address: str) -> Any:
        """What one machine says of itself, or the error."""
        try:
            async with asyncio.timeout(ANSWER_S):
                if address not in self._prepared:
                    # Dask does not look for modules where `dask worker` was started.
                    await client.run(site.addsitedir, ".", workers=[address])
                found = await client.run(cluster_machine.facts, workers=[address])
            self._prepared.add(address)
            return found[address]
        except Exception as error:  # of any kind: the machine may run anything
            self._prepared.discard(address)
            return error

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler at {self.address} no longer answers.")

    def _dispatch(self) -> None:
        """Give free machines to the sweeps that wait, in their order, until none waits."""
        pause = SOON_S
        while True:
            with self._change:
                for sweep in [one for one in self._waiting if one.stopping.is_set()]:
                    self._waiting.remove(sweep)
                    sweep.finish("stopped")
                if not self._waiting:
                    self._dispatching = False
                    return
                seen = self._news
            machines, why = list[Machine](), ""
            try:
                machines = self.machines()
            except Exception as error:  # all that wait must end, and say why
                why = str(error)
            with self._change:
                for sweep in list(self._waiting):
                    self._place(sweep, machines, why)
                for place, sweep in enumerate(self._waiting):
                    others = [_same_machine(sweep, one) for one in self._waiting]
                    sweep.place = (sum(others[: place + 1]), sum(others))
                if self._waiting and self._news == seen:
                    self._change.wait(pause)
                pause = min(2 * pause, FREE_S) if self._news == seen else SOON_S

    def _place(self, sweep: RemoteSweep, machines: Sequence[Machine], why: str) -> None:
        """Give it a machine that is free; end it where none of `machines` can measure it."""
        wanted = [one for one in machines if sweep.asked_for in ("", *_names(one))]
        usable = [one for one in wanted if not sweep.refusal(one)]
        free = [one for one in usable if one.free and one.address not in self._running]
        now = time.monotonic()
        if usable:
            sweep.usable = now
        if free:
            self._waiting.remove(sweep)
            self._running[free[0].address] = sweep
            sweep.assign(free[0])
            threading.Thread(target=self._run, args=(sweep,), daemon=True).start()
        elif not usable:
            if any(one.silent for one in wanted) and now - sweep.usable < SILENT_S:
                return
            if machines:
                known = [sweep.refusal(one) for one in wanted]
                why = known[0] if known else self._unknown(sweep, machines)
            self._waiting.remove(sweep)
            sweep.finish("failed", why)

    def _unknown(self, sweep: RemoteSweep, machines: Sequence[Machine]) -> str:
        names = ", ".join(one.name for one in machines)
        return f"machine {printable(sweep.asked_for)} is not there now; these are: {names}."

    def _run(self, sweep: RemoteSweep) -> None:
        """Have it measured, and wait for its end."""
        assert sweep.machine is not None
        client: Client | None = None
        future: Future[None] | None = None
        try:
            client = self._connected()
            client.subscribe_topic(
                sweep.machine.address, lambda event: sweep.inbox.put({"event": event[1]})
            )
            future = self._submit(client, sweep)
            self._follow(client, future, sweep)
        except (ClusterError, ValueError) as error:
            self._fail(sweep, str(error))
        except Exception as error:  # a sweep must end, whatever happened, and say so
            self._fail(sweep, f"{type(error).__name__}: {error}")
        finally:
            with self._change:
                self._running.pop(sweep.machine.address, None)
                self._wake()
            with contextlib.suppress(Exception):  # the connection may be gone
                if client is not None and future is not None:
                    future.cancel()
                    client.unsubscribe_topic(sweep.machine.address)

    def _submit(self, client: Client, sweep: RemoteSweep) -> Future[None]:
        assert sweep.machine is not None
        asked = {
            "run": sweep.run_id,
            "topic": client.id,
            "cases": [case.to_dict() for case in sweep.cases],
            "processes": sweep.processes,
            "limit_s": sweep.limit_s,
        }
        return client.submit(
            eval,
            _MEASURE,
            {"asked": json.dumps(asked)},
            key=f"embviz-{sweep.run_id}",
            workers=[sweep.machine.address],
            allow_other_workers=False,
            resources={RESOURCE: 1},
            pure=False,
            retries=0,
        )

    def _follow(self, client: Client, future: Future[None], sweep: RemoteSweep) -> None:
        """Take its lines until the last one.

        Raises:
            ClusterError: the machine, the scheduler or the task is lost.
            ValueError: a line cannot be read.
        """
        asked_to_stop: float | None = None
        machine = sweep.machine
        assert machine is not None
        while sweep.active:
            message = None
            with contextlib.suppress(queue.Empty):
                message = sweep.inbox.get(timeout=LOOK_S)
            if message is not None and "event" in message:
                self._check_event(message["event"], machine)
            elif message is not None:
                sweep.take(message)
                continue
            if client.status != "running":
                raise self._lost()
            if future.status == "error":
                raise ClusterError(f"on machine {machine.name}: {_error_of(future)}")
            if time.monotonic() - sweep.heard > SILENT_S:
                raise ClusterError(f"machine {machine.name} was silent for {SILENT_S:g} s.")
            if sweep.stopping.is_set() and asked_to_stop is None:
                asked_to_stop = time.monotonic()
                if not self._ask_to_stop(client, sweep):  # not begun: cancelling is enough
                    sweep.finish("stopped")
            if asked_to_stop is not None and time.monotonic() - asked_to_stop > STOP_S:
                raise ClusterError(f"machine {machine.name} did not answer to Stop.")

    def _check_event(self, event: Any, machine: Machine) -> None:
        """Refuse to wait for a machine that Dask has given up."""
        if isinstance(event, Mapping) and event.get("action") == "remove-worker":
            raise ClusterError(f"the Dask worker of machine {machine.name} has ended.")

    def _ask_to_stop(self, client: Client, sweep: RemoteSweep) -> bool:
        """Whether the run is measured there and was told to stop."""
        assert sweep.machine is not None
        address = sweep.machine.address

        async def asked() -> Any:
            return await client.run(cluster_machine.stop, sweep.run_id, workers=[address])

        try:
            return bool(client.sync(asked, callback_timeout=ANSWER_S)[address])
        except (OSError, TimeoutError, KeyError):
            return True  # `_follow` waits a little, and says that it did not answer

    def _fail(self, sweep: RemoteSweep, why: str) -> None:
        if sweep.active:
            sweep.finish(*(("stopped",) if self._closed else ("failed", without_paths(why))))


def _machine(name: object, address: str, facts: Any) -> Machine:
    """The machine, with the reason why it cannot be used, if there is one."""
    plain = Machine(str(name)[:100], address, silent=isinstance(facts, TimeoutError))
    if plain.silent:
        why = f"machine {plain.name} does not answer within {ANSWER_S:g} s."
    elif "No module named 'embviz" in str(facts) or "AttributeError" in str(facts):
        why = (
            f"machine {plain.name} has no embviz, or another version of it: start dask worker in "
            "the folder of the same embviz."
        )
    elif isinstance(facts, Exception):
        why = f"machine {plain.name}: {type(facts).__name__}: {facts}"
    else:
        try:
            found = machine_of(name, address, facts)
        except (LookupError, TypeError, ValueError) as error:
            why = f"machine {plain.name} says what cannot be read: {error}."
        else:
            return found if found.protocol == PROTOCOL else _refused(found)
    return replace(plain, trouble=without_paths(why))


def _refused(machine: Machine) -> Machine:
    return replace(
        machine,
        trouble=f"machine {machine.name} speaks version {machine.protocol} of the line protocol "
        f"(embviz {machine.embviz}), and this is version {PROTOCOL}: use the same embviz on both.",
    )


def _same_machine(one: RemoteSweep, other: RemoteSweep) -> bool:
    """Whether both may wait for the same machine."""
    return "" in (one.asked_for, other.asked_for) or one.asked_for == other.asked_for


def _names(machine: Machine) -> tuple[str, str]:
    return machine.name, machine.address


async def _answers(address: str, how: Mapping[str, Any]) -> None:
    """Connect once; raises OSError where nobody answers in time, or TLS fails."""
    from distributed.comm import connect

    async with asyncio.timeout(CONNECT_S):
        (await connect(address, timeout=CONNECT_S, **how)).abort()


def _leave(client: Client) -> None:
    """Close it, whatever its scheduler does."""
    with contextlib.suppress(Exception):  # it has many ways to say that the scheduler is gone
        client.unsubscribe_topic(client.id)  # else the scheduler logs that it cannot send the end
        client.close(timeout=CLOSE_S)


def _why(address: str, error: Exception) -> ClusterError:
    """Why there is no connection, as far as TLS or the system tell."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ClusterError(
                f"the scheduler at {address} has a certificate that is not of our authority "
                f"({cause.verify_message}): check --tls-ca-file."
            )
        if getattr(cause, "reason", "") == "WRONG_VERSION_NUMBER":
            return ClusterError(f"what answers at {address} does not speak TLS: is it tcp://?")
        if "SSL" in repr(cause):  # Dask keeps some reasons only as text
            return ClusterError(
                f"the scheduler at {address} ends the connection, as it does where our "
                "certificate is not of its authority: check --tls-cert and --tls-key."
            )
        if isinstance(cause, ConnectionResetError):
            return ClusterError(f"what answers at {address} ends the connection: is it tls://?")
        cause = cause.__cause__ or cause.__context__
    silent = f"no scheduler answers at {address} within {CONNECT_S} s."
    if address.startswith("tls:"):
        return ClusterError(silent)
    return ClusterError(f"{silent} Start one:", scheduler_command(address))


def _error_of(future: Future[None]) -> str:
    error = future.exception(timeout=ANSWER_S)
    return f"{type(error).__name__}: {error}"
