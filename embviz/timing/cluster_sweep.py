"""A sweep on another machine, as the rest of embviz sees it: a `Sweep` fed by lines.

The lines come from `cluster_machine`. They are read as strictly as a run file. Nothing is sent
from here, and nothing is measured.
"""

from __future__ import annotations

import json
import math
import queue
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from embviz.core.wording import without_paths
from embviz.timing.cases import Case, quoted
from embviz.timing.phrases import describe
from embviz.timing.results import Failure
from embviz.timing.runs import NAME_LIMIT, Run, read_result
from embviz.timing.sweep import Sink, Sweep, Watcher

MOST_GPUS = 16
LAST = ("done", "stopped", "failed")


@dataclass(frozen=True)
class Machine:
    """One Dask worker that offers the resource `embviz`.

    Attributes:
        name: as `dask worker --name` gave it.
        address: of the worker process; not for strangers.
        cpu: the processor's name.
        cores: physical ones that it may use.
        threads: its default number of threads in a sweep.
        most_threads: the largest number that it allows.
        gpus: their names.
        torch: its version.
        embviz: its version.
        protocol: of the lines.
        busy: whether a sweep runs or waits there.
        silent: whether it did not answer in time; a busy machine may miss one answer.
        trouble: the sentence that says why no sweep can run there; empty where one can.
    """

    name: str
    address: str
    cpu: str = ""
    cores: int = 0
    threads: int = 0
    most_threads: int = 0
    gpus: tuple[str, ...] = ()
    torch: str = ""
    embviz: str = ""
    protocol: int = 0
    busy: bool = False
    silent: bool = False
    trouble: str = field(default="", compare=False)

    @property
    def free(self) -> bool:
        """Whether a sweep can begin at once."""
        return not (self.busy or self.trouble)


class RemoteSweep(Sweep):
    """One sweep on one machine of a cluster.

    Attributes:
        run_id: names it in all lines.
        asked_for: name or address of the machine, or empty for any.
        own_threads: whether the machine's default number of threads is used.
        hostname: whether the environment may have the machine's host name.
        left_out: cases that are not measured; they are results once the machine has begun.
        machine: on which it runs; None while it waits.
        place: position among the sweeps that wait in this process for the same machine, and their
            number.
        inbox: messages of its machine; None wakes its thread.
        on_stop: called when it is asked to end.
        heard: when the last message came.
        usable: when a machine that can measure it was last seen, by the monotonic clock.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        sink: Sink | None = None,
        watcher: Watcher | None = None,
        processes: int = 1,
    ) -> None:
        super().__init__(cases, sink, watcher, processes)
        self.planned = 0  # the machine says it: how many it is depends on its memory budget
        self.run_id = secrets.token_hex(8)
        self.asked_for, self.own_threads, self.hostname = "", True, True
        self.left_out = list[Failure]()
        self.machine: Machine | None = None
        self.inbox: queue.SimpleQueue[Mapping[str, Any] | None] = queue.SimpleQueue()
        self.heard = time.monotonic()
        self.usable = -math.inf
        self.on_stop: Callable[[], object] = lambda: None
        self._attempt = ""
        self._end: dict[str, Any] = {}
        self._known: set[Case] = set()

    def refusal(self, machine: Machine) -> str:
        """Why this machine cannot measure it, in one sentence; empty where it can."""
        least = min(case.threads for case in self.cases)
        if machine.trouble or self.own_threads or least <= machine.most_threads:
            return machine.trouble
        return (
            f"machine {machine.name} has at most {machine.most_threads} threads; "
            f"{least} were asked for."
        )

    def stop(self) -> None:
        """Ask it to end; its results stay."""
        super().stop()
        self.inbox.put(None)
        self.on_stop()

    def assign(self, machine: Machine) -> None:
        """It begins on this machine; cases with more threads than it has will be failures."""
        self.machine, self.state = machine, "starting"
        if self.own_threads:
            self.cases = [replace(case, threads=machine.threads) for case in self.cases]
        for case in [one for one in self.cases if one.threads > machine.most_threads]:
            needs = f"needs {describe('threads', case.threads)}"
            most = f"this machine allows at most {machine.most_threads}"
            self.left_out.append(Failure(case, f"{needs}, and {most}."))
            self.cases.remove(case)
        self._known = set(self.cases)
        self.heard = time.monotonic()

    def take(self, message: Mapping[str, Any]) -> None:
        """Take the lines of one message.

        Raises:
            ValueError: they are not what a machine sends; the sweep cannot go on.
        """
        assert self.machine is not None
        attempt, lines = message.get("attempt"), message.get("lines")
        self._attempt = self._attempt or str(attempt)
        if attempt != self._attempt:
            raise ValueError(
                f"the Dask worker of machine {self.machine.name} has ended, "
                "and Dask began the sweep again; what arrived before is kept."
            )
        self.heard = time.monotonic()
        try:
            for line in lines or ():
                self._take(json.loads(line))
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"a line that cannot be read: {quoted(str(error))}.") from None

    def _take(self, line: Mapping[str, Any]) -> None:
        kind = line["type"]
        if kind == "state":
            first, second = line["place"]
            self.state = "queued" if line["state"] == "queued" else "starting"
            self.place = (int(first), int(second))
        elif kind == "environment":
            assert self.machine is not None
            facts = {name: value for name, value in line.items() if name != "type"}
            named = {"worker": self.machine.name}
            self.opened(facts | named | ({} if self.hostname else {"hostname": None}))
            for failure in self.left_out:
                self.add(failure)
        elif kind == "batch":
            if line["count"] > self.batches:
                self.next_batch(int(line["process"]))
            self.planned = int(line["planned"])
        elif kind == "end":
            self._end = {name: value for name, value in line.items() if name != "error"}
            self.cut = str(line.get("reason", ""))
            state = line["status"] if line["status"] in LAST else "failed"
            self.finish(state, without_paths(str(line.get("error", ""))))
        else:
            result = read_result(line)
            if result.case not in self._known:
                raise ValueError(f"a time of {result.case.method} that was not asked for.")
            self.add(result)

    def end_line(self) -> dict[str, Any]:
        """The last line of its run file: that of the machine, where it came."""
        reason = {"reason": self.error} if self.error else {}
        return super().end_line() | reason | self._end | {"status": self.state}

    def run(self, name: str = "") -> Run:
        """The run so far, by default with its machine's name."""
        return super().run(name or (self.machine.name if self.machine else self.asked_for))


def machine_of(name: object, address: str, facts: Mapping[str, Any]) -> Machine:
    """A machine from what it says about itself, as short printable text.

    Raises:
        LookupError, TypeError, ValueError: it says something else.
    """
    return Machine(
        _short(name),
        address,
        cpu=_short(facts["cpu"]),
        cores=int(facts["cores"]),
        threads=int(facts["threads"]),
        most_threads=int(facts["most_threads"]),
        gpus=tuple(map(_short, facts["gpus"][:MOST_GPUS])),
        torch=_short(facts["torch"]),
        embviz=_short(facts["embviz"]),
        protocol=int(facts["protocol"]),
        busy=bool(facts["busy"]),
    )


def _short(text: object) -> str:
    return "".join(c for c in str(text)[:NAME_LIMIT] if c.isprintable())
