"""Every limit that hosting changes, in one table.

The defaults fit a large laptop, and with `EMBVIZ_HOSTED=1` a small free host; an environment
variable overrides each of them. A value is read whenever it is needed, so that a test or the
command line can set it; that costs about a microsecond.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from embviz.core.refused import Refused

MIB = 1024**2


class ConfigError(Refused):
    """A setting that cannot be used."""


class BoundError(ConfigError):
    """An environment variable whose value is no limit; the message quotes it."""


def hosted() -> bool:
    """Whether this server is public (`EMBVIZ_HOSTED=1`); then it keeps nothing."""
    return os.environ.get("EMBVIZ_HOSTED") == "1"


def classes_on() -> bool:
    """Whether teachers can start classes: `EMBVIZ_CLASSES=on`, or not set and not hosted."""
    return os.environ.get("EMBVIZ_CLASSES", "off" if hosted() else "on") != "off"


@dataclass(frozen=True)
class Bound:
    """One limit.

    Attributes:
        variable: the environment variable that changes it.
        words: what is limited, for the table in the documents.
        unit: of the numbers; may be empty.
        local: the limit on a private machine.
        hosted: the limit on a public server.

    >>> Bound("NO_SUCH_VARIABLE", "tokens of a text", "", 9, 5).value()
    9
    """

    variable: str
    words: str
    unit: str
    local: int
    hosted: int

    @property
    def default(self) -> int:
        """The limit without the variable."""
        return self.hosted if hosted() else self.local

    def value(self) -> int:
        """The limit in force.

        Raises:
            BoundError: the variable is not a whole number from 1 to 999,999,999.
        """
        raw = os.environ.get(self.variable)
        if raw is None:
            return self.default
        if not (raw.isascii() and raw.isdigit() and len(raw) < 10 and int(raw) > 0):
            of = f" of {self.unit}" if self.unit else ""
            raise BoundError(
                f"{self.variable}={raw!r} is not a whole number{of}, such as {self.local}."
            )
        return int(raw)


TABLE = Bound(
    "EMBVIZ_TABLE_BUDGET_MIB",
    "memory of one configuration: both tables, both outputs, what training adds",
    "MiB",
    1024,
    64,
)
TOKENS = Bound("EMBVIZ_MAX_TOKENS", "tokens of one text, or ids", "", 100_000, 10_000)
LIVE = Bound(
    "EMBVIZ_LIVE_KB",
    "one request of the route `live`: text and settings",
    "KB",
    2000,
    250,
)
CELLS = Bound("EMBVIZ_MAX_CELLS", "stored cells of a sparse matrix", "", 20_000_000, 1_000_000)
STEPS = Bound(
    "EMBVIZ_MAX_STEPS",
    "steps of one training; of characters 20,000 at most",
    "",
    100_000,
    5_000,
)
SWEEP_S = Bound(
    "EMBVIZ_SWEEP_SECONDS",
    "measuring time of one sweep, which then ends with what it has",
    "s",
    3600,
    60,
)
TIMING = Bound(
    "EMBVIZ_TIMING_BUDGET_MIB",
    "memory of one timed point: table, one-hot, gradients",
    "MiB",
    2048,
    96,
)
SWEEPS = Bound(
    "EMBVIZ_SWEEPS_IN_LINE",
    "sweeps in the queue of a machine, with the running one",
    "",
    32,
    16,
)
IDLE_S = Bound(
    "EMBVIZ_WORKER_IDLE_S",
    "time after which an unused measuring process ends",
    "s",
    300,
    300,
)
SESSIONS = Bound(
    "EMBVIZ_MAX_SESSIONS", "visitors connected at once, each tab is one", "", 1_000, 120
)
CLASSES = Bound(
    "EMBVIZ_MAX_CLASSES", "classes kept at once, those that have ended too", "", 100, 50
)
MEMBERS = Bound("EMBVIZ_MAX_MEMBERS", "members of one class", "", 200, 200)
ANSWERS = Bound(
    "EMBVIZ_MAX_ANSWERS",
    "answers of one member that are kept in a minute",
    "",
    60,
    60,
)
BOUNDS = (
    SESSIONS,
    TABLE,
    TOKENS,
    LIVE,
    CELLS,
    STEPS,
    SWEEP_S,
    TIMING,
    SWEEPS,
    IDLE_S,
    CLASSES,
    MEMBERS,
    ANSWERS,
)
