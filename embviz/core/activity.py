"""How busy and how fast a machine is: load, clock frequency, governor.

Linux gives all of it, other systems give None for what they lack. Nothing is changed.
"""

from __future__ import annotations

import os
from contextlib import suppress
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
