import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.timing.phrases import format_time
from tests.timing.made_results import QUICK


@given(st.floats(1e-12, 1e6))
@QUICK
def test_a_time_keeps_its_value(seconds: float) -> None:
    """A formatted time keeps its value up to the last shown digit."""
    value, unit = format_time(seconds).replace(",", "").split()
    shown = float(value) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
    assert shown == pytest.approx(seconds, rel=0.053, abs=0.051e-9)
    value, unit = format_time(seconds, 4).replace(",", "").split()
    if seconds >= 1e-10:
        shown = float(value) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
        assert shown == pytest.approx(seconds, rel=0.006)
