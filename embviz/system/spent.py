"""A bound that refills with time: an amount that was spent, and is forgotten bit by bit.

It counts anything: tries, reruns, seconds of a processor. It takes no lock, and it does not wait.
"""

from __future__ import annotations

import time


class Spent:
    """An amount that was spent of late.

    Args:
        each_second: the amount that is forgotten in each second.
    """

    def __init__(self, each_second: float) -> None:
        self._each_second, self._amount, self._at = each_second, 0.0, 0.0

    @property
    def amount(self) -> float:
        """The part that is not forgotten yet."""
        return max(0.0, self._amount - self._each_second * (time.monotonic() - self._at))

    def wait_s(self, at_once: float, more: float = 1) -> float:
        """Seconds until so much more may be spent, where `at_once` may be spent after a pause."""
        return max(0.0, (self.amount + more - at_once) / self._each_second)

    def add(self, amount: float = 1) -> None:
        """Spend it now; below 0 gives back what was not needed."""
        self._amount, self._at = self.amount + amount, time.monotonic()
