"""Every limit that hosting changes: on a large laptop, and with `EMBVIZ_HOSTED=1` on a small host.

An environment variable overrides a `Bound`; nothing overrides a `Fixed`. The variables are read
whenever a limit is checked, so that a test or the command line can set them; that costs about a
microsecond. Only the cache of tables (`fact/shared_layers.py`) takes its size once, at import.
"""

import os
import re
from dataclasses import dataclass

from embviz.text.refused import Refused
from embviz.text.wording import counted, format_bytes

MIB = 1024**2
LEAST_WORD = 16  # characters of a class word


class OverLimitError(Refused):
    """Settings that need more memory or tokens than a limit allows."""


def hosted() -> bool:
    """Whether this server is public (`EMBVIZ_HOSTED=1`); then it keeps nothing."""
    return _is_on("EMBVIZ_HOSTED", "0", "1", "0")


def classes_on() -> bool:
    """Whether teachers can start classes: `EMBVIZ_CLASSES=on`, or not set and not hosted."""
    return _is_on("EMBVIZ_CLASSES", "off", "on", "off" if hosted() else "on")


def class_word() -> str:
    """The word that starts a class from another machine (`EMBVIZ_CLASS_WORD`); `""` for none.

    Raises:
        Refused: it has less than LEAST_WORD characters.
    """
    word = os.environ.get("EMBVIZ_CLASS_WORD", "")
    if 0 < len(word) < LEAST_WORD:
        raise Refused(
            f"EMBVIZ_CLASS_WORD has {counted(len(word), 'character')}; it needs at least "
            f"{LEAST_WORD}, because strangers may try 20 in a second. Without one a hosted server "
            "makes its own, and prints it."
        )
    return word


def _is_on(variable: str, off: str, on: str, usual: str) -> bool:
    raw = os.environ.get(variable, usual)
    if raw not in (off, on):  # `EMBVIZ_HOSTED=yes` must not start a server that is not hosted
        raise Refused(f"{variable}={raw!r} is neither {off} nor {on}.")
    return raw == on


@dataclass(frozen=True)
class Bound:
    """One limit.

    Attributes:
        variable: the environment variable that changes it.
        local: the limit on a private machine.
        hosted: the limit on a public server.
        unit: of the numbers; may be empty.

    >>> Bound("NO_SUCH_VARIABLE", 9, 5).value()
    9
    """

    variable: str
    local: int
    hosted: int
    unit: str = ""

    def value(self) -> int:
        """The limit in force.

        Raises:
            Refused: the variable is not a whole number from 1 to 999,999,999.
        """
        raw = os.environ.get(self.variable)
        if raw is None:
            return self.hosted if hosted() else self.local
        if not re.fullmatch("0*[1-9][0-9]{0,8}", raw):
            raise Refused(f"{self.variable}={raw!r} is not a whole number from 1 to 999,999,999.")
        return int(raw)


@dataclass(frozen=True)
class Fixed:
    """One limit that no host changes: on a private machine, and on a public server.

    The limits of a public server are chosen so that a rerun takes less than half a second of a
    processor, and a tab less than 10 MiB. `tests/load/slow_links.py` measures the first for the
    links that it lists; other input may take longer.
    """

    local: int
    hosted: int

    def value(self) -> int:
        """The limit in force."""
        return self.hosted if hosted() else self.local


# Visitors connected at once; each tab is one.
SESSIONS = Bound("EMBVIZ_MAX_SESSIONS", 1_000, 120)
# Memory of one configuration: both tables, both outputs, what training adds.
TABLE = Bound("EMBVIZ_TABLE_BUDGET_MIB", 1024, 64, "MiB")
# Tokens of one text, or ids.
TOKENS = Bound("EMBVIZ_MAX_TOKENS", 100_000, 10_000)
# One request of the route `live`: text and settings.
LIVE = Bound("EMBVIZ_LIVE_KB", 2000, 250, "KB")
# Stored cells of a sparse matrix.
CELLS = Fixed(20_000_000, 1_000_000)
# Steps of one training; an address asks for 5,000 at most.
STEPS = Fixed(100_000, 5_000)
# Measuring time of one sweep, which then ends with what it has.
SWEEP_S = Bound("EMBVIZ_SWEEP_SECONDS", 3600, 60, "s")
# Memory of one timed point: table, one-hot, gradients.
TIMING = Bound("EMBVIZ_TIMING_BUDGET_MIB", 2048, 96, "MiB")
# Sweeps in the queue of a machine, with the running one.
SWEEPS = Fixed(32, 16)
# Seconds after which an unused measuring process ends.
IDLE_S = Fixed(300, 300)
# Classes kept at once, those that have ended too.
CLASSES = Bound("EMBVIZ_MAX_CLASSES", 100, 50)
# Members of one class.
MEMBERS = Bound("EMBVIZ_MAX_MEMBERS", 200, 200)
# Characters of a table, of a matrix, or of documents, as somebody pastes them.
PASTED = Fixed(5_000_000, 100_000)
# Characters of one id: seven digits, a comma and a space.
ID_CHARACTERS = 9
# Characters around all ids: brackets, line breaks, blanks.
AROUND_IDS = Fixed(1_000_000, 0)
# Numbers that a product of one-hot rows and a table reads and multiplies: see `check_product`.
PRODUCT = Fixed(10**15, 3 * 10**9)
# Numbers of a table that both layers are trained on.
TRAINED = Fixed(2_000_000, 500_000)
# Numbers of the one-hot of one step of a training.
STEP_ONE_HOT = Fixed(8_000_000, 2_000_000)
# Bytes of a training that a session holds.
TRAINING = Fixed(1024 * MIB, 3 * MIB)
# Products of a bag's outputs with its counts and rows, by one route.
BAG = Fixed(10**12, 2_000_000)
# Columns of a table under a Transformer layer, which has 12 times their square in weights.
LAYER_DIM = Fixed(1024, 512)
# Cases of one sweep.
SWEEP_CASES = Fixed(2_000, 200)
# Numbers in a file that a page makes.
FILE_NUMBERS = Fixed(100_000_000, 200_000)
# Bytes of the long texts that a session keeps, all together.
TEXTS = Fixed(64 * MIB, 2 * MIB)
# Bytes of all values that a session's widgets hold.
WIDGETS = Fixed(64 * MIB, 2 * MIB)


def id_characters() -> int:
    """Characters that typed ids may have, all together."""
    return AROUND_IDS.value() + ID_CHARACTERS * TOKENS.value()


def budget_bytes() -> int:
    """Bytes one configuration may allocate (EMBVIZ_TABLE_BUDGET_MIB)."""
    return TABLE.value() * MIB


def check_budget(needed: int, what: str, about: str = "") -> None:
    """Refuse what needs more bytes than `budget_bytes()`.

    Args:
        needed: bytes.
        what: first part of the message, with the arithmetic.
        about: the setting at fault, for the refusal.

    Raises:
        OverLimitError: it is over the budget.
    """
    if needed > (most := budget_bytes()):
        said = f"{what}, over the budget of {format_bytes(most)} ({TABLE.variable})."
        raise OverLimitError(said, about=about)


def check_count(count: int, what: str, about: str = "") -> None:
    """Refuse more tokens or ids than EMBVIZ_MAX_TOKENS allows; `about` is the setting at fault.

    Raises:
        OverLimitError: `count` and `what` in one sentence.
    """
    if count > (most := TOKENS.value()):
        said = f"{count:,} {what} are more than the {most:,} allowed."
        raise OverLimitError(said, about=about)


BOUNDS = [value for value in list(vars().values()) if isinstance(value, Bound)]


KB = 1000
