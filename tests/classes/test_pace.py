"""Paces: how often all visitors together may try something, and what the log says."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace

import pytest

from embviz.classes import pace
from embviz.classes.pace import BusyError, Guesses, Pace


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands still until `now` is set."""
    made = SimpleNamespace(now=1e6)
    made.monotonic = lambda: made.now
    monkeypatch.setattr(pace, "time", made)
    return made


def test_turns_lie_apart(clock: SimpleNamespace) -> None:
    """Some at once, then one every 2 s; whoever would wait for too long takes no turn."""
    one = Pace()
    assert [one.turn(2, 4, burst=3) for _ in range(7)] == [0, 0, 0, 2, 4, None, None]
    clock.now += 3
    assert [one.turn(2, 4, burst=3) for _ in range(3)] == [3, None, None]
    clock.now += 1000  # a pause saves no more than the burst
    assert [one.turn(2, 4, burst=3) for _ in range(5)] == [0, 0, 0, 2, 4]


def test_wrong_ones_are_answered_one_a_second(clock: SimpleNamespace) -> None:
    """Few wait; the next are refused at once, until there is room again."""
    tries = Guesses()
    tries.check_free()
    assert [tries.wrong() for _ in range(pace.MOST_WAIT + 1)] == [1, 2, 3, 4, 5, 6]
    for ask in (tries.wrong, tries.check_free):
        with pytest.raises(BusyError, match="Wait some seconds"):
            ask()
    clock.now += 2
    assert [tries.wrong(), tries.wrong()] == [5, 6]


def test_the_log_has_a_line_after_twenty(
    clock: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    """At most one a minute; few in an hour are mistakes."""
    tries = Guesses()

    def wrong(count: int) -> int:
        for _ in range(count):
            with suppress(BusyError):
                tries.wrong()
        return len(caplog.records)

    assert [wrong(19), wrong(1), wrong(1_000)] == [0, 1, 1]
    clock.now += pace.QUIET_S
    assert [wrong(1), wrong(19)] == [2, 2]
    assert "1001 wrong words or codes" in caplog.messages[1]
    for _ in range(3):
        clock.now += pace.WITHIN_S + 1
        assert wrong(19) == 2
