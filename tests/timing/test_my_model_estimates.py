"""*My model* at sizes that nobody measured: the start of a call counts."""

import pytest

from embviz.timing.my_model import CALL_S, MATTERS, Model, answer, times_of
from embviz.timing.questions import MY_MODEL
from embviz.timing.recorded import recorded


@pytest.mark.parametrize("sizes", [(2, 1, 1, 1), (1, 1, 1, 1), (100, 8, 1, 4)])
def test_small_sizes_take_the_start_of_a_call(sizes: tuple[int, int, int, int]) -> None:
    """No route is said to win there: each time is nearly that of a call that does nothing."""
    model, run = Model(*sizes), recorded(MY_MODEL)
    times = times_of(model, run, run)
    assert times.lookup is not None
    assert times.matmul is not None
    assert times.estimated == {"lookup", "matmul"}
    assert CALL_S <= times.lookup < MATTERS * CALL_S
    assert CALL_S <= times.matmul < MATTERS * CALL_S
    assert answer(model, times).startswith("It hardly matters")
    assert "1 tokens" not in answer(model, times)
