import pytest

from embviz.training.stepwise import Stepwise


class Counting(Stepwise[int]):
    """A training whose step 4 fails, if it may come so far."""

    def __init__(self) -> None:
        self.history, self.failed = [], ""

    def _step(self) -> None:
        if self.steps == 3:
            self.failed = "no fourth step"
        else:
            self.history.append(self.steps)


def test_it_ends_at_the_budget_the_limit_or_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call returns the steps it took, and none once training is finished."""
    one = Counting()
    assert (one.advance(0), one.advance(9, budget_s=0.0), one.advance(1)) == (0, 1, 1)
    assert not one.finished
    assert (one.advance(9), one.steps, one.finished, one.advance(9)) == (1, 3, True, 0)
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "2")
    limited = Counting()
    assert (limited.advance(9), limited.failed, limited.finished) == (2, "", True)
