"""Turns to begin what a browser's message asks for.

Streamlit begins a thread for each message, on the event loop, which takes it 2 ms: a thousand small
messages would stop everybody for two seconds. So all connections share a bound. And where a message
was there before the turn of the one before it came, nobody has read an answer: such messages share
a second, smaller bound, in which the connection with the fewest of late comes first. So a flood
waits behind itself, also one of a hundred connections.
"""

from __future__ import annotations

import asyncio
import time
from heapq import heappop, heappush
from itertools import count

from embviz.system.spent import Spent

# Turns at once, and in each second from then on. A class of 100 takes 50 in a second, and computing
# what they begin takes longer than beginning it.
ALL_AT_ONCE, ALL_EACH_SECOND = 6, 80
SOON_S = 0.03  # seconds after a turn within which the next message was sent before it
# Messages that come so soon, of all connections together. At once they are those of quick presses
# while the server is slow.
SOON_AT_ONCE, SOON_EACH_SECOND = 30, 15
# Messages of one connection that come so soon and are forgotten in each second: fewer than each of
# a hundred that flood gets, so that somebody with quick presses comes before all of them.
FORGOTTEN = 0.05


class Line:
    """Connections that wait for turns of a bound that they share."""

    def __init__(self, at_once: float, each_second: float) -> None:
        self._at_once, self._spent = at_once, Spent(each_second)
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    async def turn(self, taken: float = 0.0) -> None:
        """Wait for a turn, and take it. Each connection waits for one at a time.

        Args:
            taken: turns that the connection took of late. The fewest come first, then the first.
        """
        if not self._waiting and not self._wait_s():
            self._spent.add()
            return
        granted = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (taken, next(self._numbers), granted))
        if len(self._waiting) == 1:
            self._grant_later()
        await granted

    def _wait_s(self) -> float:
        """Seconds until there is a turn."""
        return self._spent.wait_s(self._at_once)

    def _grant_later(self) -> None:
        asyncio.get_running_loop().call_later(self._wait_s(), self._grant)

    def _grant(self) -> None:
        while self._waiting and not self._wait_s():
            *_, granted = heappop(self._waiting)
            is_waiting = not granted.done()  # A connection that has ended takes no turn.
            if is_waiting:
                self._spent.add()
                granted.set_result(None)
        if self._waiting:
            self._grant_later()


everybody = Line(ALL_AT_ONCE, ALL_EACH_SECOND)
soon = Line(SOON_AT_ONCE, SOON_EACH_SECOND)


class Turns:
    """The turns of one connection."""

    def __init__(self) -> None:
        self._soon = Spent(FORGOTTEN)
        self._last = 0.0  # when its last turn came

    async def turn(self) -> None:
        """Wait until the message that has come may begin."""
        if time.monotonic() - self._last < SOON_S:
            await soon.turn(self._soon.amount)
            self._soon.add()
        await everybody.turn()
        self._last = time.monotonic()
