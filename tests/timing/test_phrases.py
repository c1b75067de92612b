import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.timing.phrases import format_time, times
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


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (9.96e-6, "10 µs"),
        (0.9996e-3, "1.0 ms"),
        (999.4e-6, "999 µs"),
        (0.0, "0.0 ns"),
        (1.25, "1.2 s"),
        (9.94e-6, "9.9 µs"),
        (99.6e-6, "100 µs"),
    ],
)
def test_a_time_steps_up_to_the_next_unit(seconds: float, shown: str) -> None:
    """A time that rounds up to 1,000 is written in the next unit."""
    assert format_time(seconds) == shown


def test_ratios_are_short() -> None:
    """A ratio has two significant digits."""
    assert [times(value) for value in (1.0, 1.994, 1.996, 99.6, 684.2, 0.0123)] == [
        "1.00x",
        "1.99x",
        "2.0x",
        "100x",
        "680x",
        "0.012x",
    ]
