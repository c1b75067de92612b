"""What is spent is forgotten with time, and says how long the next one waits."""

from types import SimpleNamespace

import pytest

from embviz.system import spent
from embviz.system.spent import Spent


def test_what_is_spent_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three at once, then one every 2 s; what is given back may be spent again, and no more."""
    clock = SimpleNamespace(now=1e6, monotonic=lambda: clock.now)
    monkeypatch.setattr(spent, "time", clock)
    shared = Spent(0.5)
    for wait_s in (0, 0, 0, 2, 4):
        assert shared.wait_s(3) == wait_s
        shared.add()
    assert (shared.amount, shared.wait_s(3, 0.5)) == (5, 5)
    clock.now += 3
    shared.add(-1)
    assert (shared.amount, shared.wait_s(3)) == (2.5, 1)
    clock.now += 1_000
    shared.add(-1)  # it was forgotten already
    shared.add()
    assert shared.amount == 1
