"""The step at which a browser in a class is, as its page said last; `visits.py` keeps it."""

from __future__ import annotations

import time
from dataclasses import dataclass

HERE_S = 10.0  # Seconds after its last question until a page counts as closed.


@dataclass(frozen=True)
class Visit:
    """The page of a student.

    Attributes:
        seen: when it asked last, on `time.monotonic`.
        lab: the lab that it shows.
        step: counted from 1.
        kept: how many answers of this browser were kept since the server began.
        refused: the last texts that could not be read as an answer to this step.
    """

    seen: float
    lab: str
    step: int
    kept: int = 0
    refused: tuple[str, ...] = ()


def is_here(visit: Visit) -> bool:
    """Whether the page is open: it asks for the version every 3 s."""
    return time.monotonic() - visit.seen < HERE_S
