"""When a member is much slower than the class.

A member is at the first step without an answer, since the last answer. The member is much slower
than the class after SLOW_TIMES the median time of the step, and after SLOW_S at least. With fewer
than FEWEST answers nobody is slow. Time in which the teacher has paused the class does not count,
nor time before this server first looked at the class.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import defaultdict

SLOW_TIMES = 3
SLOW_S = 60.0
FEWEST = 3


class Pace:
    """How long members took for each step, in seconds."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, step: str, seconds: int) -> None:
        """Add the time that a member took for a step."""
        insort(self._seconds[step], seconds)

    def limit(self, step: str) -> float:
        """The seconds after which a member at this step is slow.

        >>> pace = Pace()
        >>> for seconds in (50, 20, 30):
        ...     pace.add("ids", seconds)
        >>> pace.limit("ids"), pace.limit("why")
        (90, inf)
        """
        known = self._seconds[step]
        if len(known) < FEWEST:
            return math.inf
        return max(SLOW_S, SLOW_TIMES * known[len(known) // 2])
