"""Turns to begin reruns: a flood waits behind itself, and a person for nothing."""

import asyncio
import time
from types import SimpleNamespace

import pytest

from embviz.hosting import turns
from embviz.hosting.turns import Line, Turns
from embviz.system import spent


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        """Seconds."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock of a test, with lines that nobody has used."""
    made = Clock()
    for module in (turns, spent):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=made.monotonic))
    everybody = Line(turns.ALL_AT_ONCE, turns.ALL_EACH_SECOND)
    monkeypatch.setattr(turns, "everybody", everybody)
    soon = Line(turns.SOON_AT_ONCE, turns.SOON_EACH_SECOND)
    monkeypatch.setattr(turns, "soon", soon)
    return made


async def has_turn(mine: Turns) -> bool:
    """Whether a message may begin at once."""
    task = asyncio.ensure_future(mine.turn())
    await asyncio.sleep(0)
    if task.done():
        return True
    task.cancel()
    return False


@pytest.mark.parametrize(("times", "apart_s"), [(40, 0.05), (10, 0.0), (10, 0.02), (2_000, 0.5)])
def test_a_person_waits_for_nothing(clock: Clock, times: int, apart_s: float) -> None:
    """Forty keys, ten presses in one blink while the server is slow, an hour of redraws."""

    async def test() -> None:
        mine = Turns()
        for number in range(times):
            clock.now += apart_s if number % turns.ALL_AT_ONCE else 0.1
            assert await has_turn(mine), number

    asyncio.run(test())


def test_a_flood_has_a_line_of_its_own() -> None:
    """It takes few turns in a second, and somebody else waits for nothing."""

    async def test() -> None:
        flood, taken = Turns(), 0

        async def send() -> None:
            nonlocal taken
            while True:
                await flood.turn()
                taken += 1

        sends = asyncio.create_task(send())
        begun = time.monotonic()
        await asyncio.sleep(1.0)
        most = turns.SOON_AT_ONCE + turns.SOON_EACH_SECOND * (1 + time.monotonic() - begun)
        assert turns.SOON_AT_ONCE < taken <= most
        assert await has_turn(Turns())
        sends.cancel()

    asyncio.run(test())


def test_a_person_comes_before_a_flood_of_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick press waits for one turn of a hundred connections that flood, not for all."""
    monkeypatch.setattr(turns, "soon", Line(10, 50))
    monkeypatch.setattr(turns, "everybody", Line(1_000, 1_000))

    async def test() -> None:
        taken = 0

        async def flood() -> None:
            nonlocal taken
            mine = Turns()
            while True:
                await mine.turn()
                taken += 1

        floods = [asyncio.create_task(flood()) for _ in range(100)]
        await asyncio.sleep(2.5)  # each has had its first turn
        person = Turns()
        await person.turn()
        before = taken
        await person.turn()  # It has come too soon, as those of the flood.
        assert taken - before < 20, "it waited for many others"
        for task in floods:
            task.cancel()

    asyncio.run(test())


def test_all_share_a_bound_in_the_order_in_which_they_came() -> None:
    """A hundred connections at once; one that ends before its turn takes none."""

    async def test() -> None:
        line, begun = Line(2, 1_000), list[int]()

        async def one(number: int) -> None:
            await line.turn()
            begun.append(number)

        tasks = [asyncio.create_task(one(number)) for number in range(100)]
        await asyncio.sleep(0)
        assert begun == [0, 1]
        tasks[50].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert begun == [number for number in range(100) if number != 50]

    asyncio.run(test())
