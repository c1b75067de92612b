"""How often a visitor may try what a program would try in a loop.

A cookie can be forged at will, so tries are counted by the address that they come from, and all
together. Who must wait does so before the word is compared; a right one gives its turn back.
Behind a proxy on this machine the address is the one that it gives (`X-Forwarded-For`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from ipaddress import IPv6Address

from cachetools import TTLCache

from embviz.classes.room import ClassError
from embviz.system.spent import Spent

# Tries at once, and in each second from then on: from one address, and of all together.
AT_ONCE, EACH_SECOND, ALL_EACH_SECOND = 10, 2, 20
MOST_WAIT_S = 30.0  # seconds of the longest wait; further turns are refused at once
ADDRESSES = 2_000  # addresses that are known
_LOGGER = logging.getLogger("embviz")
# Guards all that is spent: pages and routes have threads of their own.
_lock = threading.RLock()


class BusyError(ClassError):
    """Too many wait already; the sentence says what to do."""


def take_turn(spent: Spent, at_once: float, refusal: str) -> float:
    """Take the next turn.

    Args:
        spent: turns that were taken of late.
        at_once: how much may be spent at once after a pause.
        refusal: the sentence for whoever would wait for over `MOST_WAIT_S`.

    Returns:
        Seconds until it.

    Raises:
        BusyError: too many wait; then no turn is taken.
    """
    with _lock:
        wait_s = spent.wait_s(at_once)
        if wait_s <= MOST_WAIT_S:
            spent.add()
            return wait_s
    _LOGGER.warning("A visitor was refused: %s", refusal)
    raise BusyError(refusal)


class Tries:
    """Tries of the class word, or of codes of classes, by the address that they come from."""

    def __init__(self) -> None:
        self._all = Spent(ALL_EACH_SECOND)
        # An address whose turns are over is as one that never came.
        self._spent: TTLCache[str, Spent] = TTLCache(ADDRESSES, 2 * MOST_WAIT_S)

    def waits(self, address: str) -> Iterator[float]:
        """Seconds to wait before a try is compared: for its address, then for all.

        Raises:
            BusyError: too many wait.
        """
        for spent in (self._of(address), self._all):
            yield take_turn(
                spent,
                AT_ONCE,
                "Many wrong words or codes of classes come from your network just now. Wait some "
                "seconds, and try again.",
            )

    def right(self, address: str) -> None:
        """Give both turns of a try back: it was right."""
        with _lock:
            self._of(address).add(-1)
            self._all.add(-1)

    def _of(self, address: str) -> Spent:
        network = network_of(address)
        with _lock:
            # Again in the cache: it is kept as long as it is used.
            self._spent[network] = found = self._spent.get(network) or Spent(EACH_SECOND)
        return found


def network_of(address: str) -> str:
    """An address; of IPv6 its network, because one visitor has all addresses in it.

    >>> network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:10.0.0.1"), network_of("unix")
    ('2001:db8:1:2::', '10.0.0.1', 'unix')
    """
    try:
        found = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> 64 << 64))


words, codes = Tries(), Tries()

# New rows of a class, so that a program does not fill it before anybody sees it: a class of 30 at
# once, then so many a second.
ROWS_AT_ONCE, ROWS_EACH_SECOND = 30, 5
MOST_CLASSES = 200  # classes whose rows are counted
RUSH_S = 3600.0  # seconds after which they are forgotten
_rows: TTLCache[str, Spent] = TTLCache(MOST_CLASSES, RUSH_S)


def row_wait(code: str) -> float:
    """Seconds until the next row of a class may be made; that turn is taken.

    Raises:
        BusyError: so many wait that it would take over half a minute.
    """
    refusal = "Very many join this class just now. Wait half a minute, and reload."
    with _lock:
        return take_turn(_rows.setdefault(code, Spent(ROWS_EACH_SECOND)), ROWS_AT_ONCE, refusal)


def is_rushed(code: str) -> bool:
    """Whether new rows of a class wait for their turn."""
    with _lock:
        spent = _rows.get(code)
    return spent is not None and spent.wait_s(ROWS_AT_ONCE) > 0
