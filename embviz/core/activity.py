"""What else a machine does while one of its processes is measured: load, CPU time, frequency.

Linux gives all of it, other systems give None for what they lack. Nothing is changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import mean

from embviz.core import cores

Facts = dict[str, float | None]


def now() -> Facts:
    """The load average of the last minute, and the mean clock frequency in MHz."""
    load = None
    with suppress(AttributeError, OSError):  # not on Windows
        load = round(os.getloadavg()[0], 2)
    return {"load_1min": load, "mhz": _mhz()}


class Activity:
    """The machine's CPU time beside one process, in the spans that `beside` covers."""

    def __init__(self) -> None:
        self._total = self._stolen = self._seen = self._others = 0

    @contextmanager
    def beside(self, pid: int) -> Iterator[None]:
        """Count the time inside the `with` block; `pid` is the measured process."""
        before, own_before = _machine_ticks(), _ticks_of(pid)
        yield
        after, own_after = _machine_ticks(), _ticks_of(pid)
        if before is None or after is None:
            return
        total, busy, stolen = (b - a for a, b in zip(before, after, strict=True))
        self._total += total
        self._stolen += stolen
        if own_before is not None and own_after is not None:  # else it has ended
            self._seen += total
            self._others += max(0, busy - (own_after - own_before))

    def to_dict(self) -> Facts:
        """`now`, and the shares of all cores' time that others used and that was stolen.

        Steal time is what the hypervisor gave to other virtual machines.
        """
        return {
            **now(),
            "others_cpu_share": round(self._others / self._seen, 4) if self._seen else None,
            "steal_share": round(self._stolen / self._total, 4) if self._total else None,
        }


def governor() -> str | None:
    """The frequency governor of the first usable core, such as `powersave`."""
    return cores.read(_frequency_of(cores.affinity()[0]) / "scaling_governor") or None


def _frequency_of(core: int) -> Path:
    return cores.SYS / "devices" / "system" / "cpu" / f"cpu{core}" / "cpufreq"


def _mhz() -> float | None:
    """The mean over the usable cores; /proc/cpuinfo knows it where /sys does not."""
    found = [cores.read(_frequency_of(n) / "scaling_cur_freq") for n in cores.affinity()]
    with suppress(ValueError):
        if all(found):
            return round(mean(int(one) for one in found) / 1000, 1)
        lines = cores.read(cores.PROC / "cpuinfo").splitlines()
        each = [float(one.split(":")[1]) for one in lines if one.startswith("cpu MHz")]
        return round(mean(each), 1) if each else None
    return None


def _machine_ticks() -> tuple[int, int, int] | None:
    """Clock ticks of all cores since the start of the system: all, busy, stolen."""
    with suppress(ValueError, IndexError):
        # user, nice, system, idle, iowait, irq, softirq, steal; guest is part of user
        given = cores.read(cores.PROC / "stat").splitlines()[0].split()[1:9]
        user, nice, system, idle, wait, irq, soft, stolen = map(int, given)
        busy = user + nice + system + irq + soft
        return busy + idle + wait + stolen, busy, stolen
    return None


def _ticks_of(pid: int) -> int | None:
    """Clock ticks that a process and its ended children have used, or None."""
    # The name in parentheses may hold spaces.
    fields = cores.read(cores.PROC / str(pid) / "stat").rpartition(")")[2].split()
    with suppress(ValueError):
        return sum(map(int, fields[11:15])) if fields else None
    return None
