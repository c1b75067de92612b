"""Paces: how often an address, and all together, may try something, and what the log says."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from embviz.classes import pace
from embviz.classes.pace import BusyError, Tries
from embviz.system import spent


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands still until `now` is set."""
    made = SimpleNamespace(now=1e6)
    made.monotonic = lambda: made.now
    monkeypatch.setattr(spent, "time", made)
    return made


def waited(tries: Tries, address: str, count: int) -> list[float]:
    """What each of so many tries from an address waits for itself, then for all; -1: refused."""
    found = list[float]()
    for _ in range(count):
        try:
            found += [round(wait_s, 3) for wait_s in tries.waits(address)]
        except BusyError:
            found.append(-1)
    return found


def test_an_address_waits_for_itself(
    clock: SimpleNamespace, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten tries at once, then two a second; further ones are refused, and stand in the log."""
    monkeypatch.setattr(pace, "MOST_WAIT_S", 1.0)
    monkeypatch.setattr(pace, "ALL_EACH_SECOND", 1_000)
    tries = Tries()
    assert waited(tries, "10.0.0.1", 10)[::2] == [0] * 10
    assert waited(tries, "10.0.0.1", 2)[::2] == [0.5, 1]
    assert caplog.messages == []
    assert waited(tries, "10.0.0.1", 2) == [-1, -1]
    assert "Many wrong words or codes of classes" in caplog.text
    for other in ("10.0.0.2", "2001:db8::1"):
        assert waited(tries, other, 1)[0] == 0
    clock.now += 0.5
    assert waited(tries, "10.0.0.1", 2)[::2] == [1, -1]
    tries.right("10.0.0.1")  # gives its turn back
    assert waited(tries, "10.0.0.1", 1)[0] == 1
    clock.now += 1000  # a pause saves no more than may come at once
    assert waited(tries, "10.0.0.1", 11)[::2] == [0] * 10 + [0.5]


def test_all_addresses_together_are_twenty_a_second(clock: SimpleNamespace) -> None:
    """However many there are; a network of IPv6 is one."""
    tries = Tries()
    waits = [waited(tries, f"10.0.{at // 250}.{at % 250}", 1)[-1] for at in range(1_000)]
    most = pace.AT_ONCE + pace.MOST_WAIT_S * pace.ALL_EACH_SECOND
    assert len([wait_s for wait_s in waits if wait_s >= 0]) == pytest.approx(most, abs=1)
    assert waits[pace.AT_ONCE + 20] == pytest.approx(21 / pace.ALL_EACH_SECOND)
    other = Tries()
    waited(other, "2001:db8::1", pace.AT_ONCE)
    assert waited(other, "2001:db8::ffff:1", 1)[0] == 1 / pace.EACH_SECOND
    assert waited(other, "2001:db8:0:1::1", 1)[0] == 0


def test_a_class_is_not_filled_in_a_blink(
    clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class of 30 joins at once, one of 100 within 20 s; further ones are refused, and told."""
    monkeypatch.setattr(pace, "_rows", {})
    assert [pace.row_wait("a") for _ in range(30)] == pytest.approx([0] * 30, abs=1e-6)
    assert (pace.is_rushed("a"), pace.is_rushed("b")) == (True, False)
    assert 10 < max(pace.row_wait("a") for _ in range(70)) < 20
    assert pace.row_wait("b") == 0
    with pytest.raises(BusyError, match="Wait half a minute"):
        [pace.row_wait("a") for _ in range(200)]
    clock.now += 60
    assert not pace.is_rushed("a")
