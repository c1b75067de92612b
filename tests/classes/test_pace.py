"""Paces: how often an address, and all together, may try something, and what the log says."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from embviz.classes import pace
from embviz.classes.pace import BusyError, Tries, take_turn
from embviz.system import spent
from embviz.system.spent import Spent


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands still until `now` is set."""
    made = SimpleNamespace(now=1e6)
    made.monotonic = lambda: made.now
    monkeypatch.setattr(spent, "time", made)
    return made


def test_turns_lie_apart(clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some at once, then one every 2 s; whoever would wait for too long takes no turn."""
    monkeypatch.setattr(pace, "MOST_WAIT_S", 4)
    shared = Spent(0.5)

    def turns(count: int) -> list[float | None]:
        found = list[float | None]()
        for _ in range(count):
            try:
                found.append(take_turn(shared, 3, "busy"))
            except BusyError:
                found.append(None)
        return found

    assert turns(7) == [0, 0, 0, 2, 4, None, None]
    clock.now += 3
    assert turns(3) == [3, None, None]
    clock.now += 1000  # a pause saves no more than may come at once
    assert turns(5) == [0, 0, 0, 2, 4]


def waited(tries: Tries, address: str, count: int) -> list[float | None]:
    """What each of so many tries from an address waits in all; None for one that is refused."""
    found = list[float | None]()
    for _ in range(count):
        try:
            found.append(sum(tries.waits(address)))
        except BusyError:
            found.append(None)
    return found


def test_an_address_waits_for_itself(clock: SimpleNamespace) -> None:
    """Some tries at once, then two a second; further ones are refused, and nobody else waits."""
    tries, more = Tries(), int(pace.MOST_WAIT_S * pace.EACH_SECOND)
    assert waited(tries, "10.0.0.1", pace.AT_ONCE) == pytest.approx([0] * pace.AT_ONCE, abs=1e-6)
    waits = waited(tries, "10.0.0.1", more + 9)
    compared = [one for one in waits if one is not None]
    assert len(compared) in (more, more + 1)
    assert all(at / pace.EACH_SECOND <= one + 1e-6 for at, one in enumerate(compared, start=1))
    assert waited(tries, "10.0.0.1", 2) == [None, None]
    clock.now += 2 * more / pace.ALL_EACH_SECOND
    for other in ("10.0.0.2", "2001:db8::1"):
        assert waited(tries, other, 2) == pytest.approx([0, 0], abs=1e-6)


def test_all_addresses_together_are_twenty_a_second(clock: SimpleNamespace) -> None:
    """However many there are; a network of IPv6 is one."""
    tries = Tries()
    waits = [waited(tries, f"10.0.{at // 250}.{at % 250}", 1)[0] for at in range(1_000)]
    compared = [one for one in waits if one is not None]
    assert len(compared) == pytest.approx(
        pace.AT_ONCE + pace.MOST_WAIT_S * pace.ALL_EACH_SECOND, abs=1
    )
    assert compared[pace.AT_ONCE + 20] == pytest.approx(21 / pace.ALL_EACH_SECOND)
    other = Tries()
    waited(other, "2001:db8::1", pace.AT_ONCE)
    assert waited(other, "2001:db8::ffff:1", 1) == pytest.approx(
        [1 / pace.EACH_SECOND + 1 / pace.ALL_EACH_SECOND]
    )
    assert waited(other, "2001:db8:0:1::1", 1) == pytest.approx([2 / pace.ALL_EACH_SECOND])


def test_a_right_one_gives_its_turn_back(clock: SimpleNamespace) -> None:
    """A teacher who starts many classes waits for nothing."""
    tries = Tries()
    for _ in range(100):
        assert waited(tries, "10.0.0.1", 1) == [0]
        tries.right("10.0.0.1")
    assert clock.now == 1e6


def test_a_refusal_stands_in_the_log(
    clock: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever waits, or gets a turn, is not there; `server/log.py` drops lines that repeat."""
    tries, most = Tries(), int(pace.AT_ONCE + pace.MOST_WAIT_S * pace.EACH_SECOND)
    waited(tries, "10.0.0.1", most)
    assert caplog.messages == []
    waited(tries, "10.0.0.1", 1)
    assert "Many wrong words or codes of classes" in caplog.text


def test_a_class_is_not_filled_in_a_blink(
    clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class of 30 joins at once, one of 100 within 20 s; further ones are refused, and told."""
    monkeypatch.setattr(pace, "_rows", {})
    assert [pace.row_wait("a") for _ in range(30)] == pytest.approx([0] * 30, abs=1e-6)
    assert (pace.is_rushed("a"), pace.is_rushed("b")) == (True, False)
    assert max(pace.row_wait("a") for _ in range(70)) < 20
    assert pace.row_wait("b") == 0
    with pytest.raises(BusyError, match="Wait half a minute"):
        [pace.row_wait("a") for _ in range(200)]
    clock.now += 60
    assert not pace.is_rushed("a")
