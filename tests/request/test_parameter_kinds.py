"""The kinds of parameter: each reads a usable value, or refuses with a sentence."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.request.parameter_kinds import Choice, Choices, Ends, Number, Parameter, Switch, Text
from embviz.request.parameters import PARAMETERS


@given(
    st.sampled_from([one for one in PARAMETERS.values() if isinstance(one, Number)]),
    st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.booleans()),
)
@settings(deadline=None)
def test_numbers_are_in_range_or_refused(one: Number, raw: object) -> None:
    """A number is within its range, or refused."""
    try:
        value = one.read(raw)
    except ValueError:
        return
    assert isinstance(value, int)
    assert one.low <= value <= one.high


@pytest.mark.parametrize(
    ("one", "raw", "message"),
    [
        (Number("n", (), 1, 1, 9000), "1e3", "n='1e3' is not a whole number from 1 to 9,000"),
        (Choice("n", (), "a", lambda: "ab"), "c", "n='c' is not one of a, b"),
        (Choice("n", (), "0", lambda: map(str, range(99))), "77x", "the 99 there are; nearest"),
        (Choices("n", (), [], lambda: "ab"), ["a", "c"], "n='c' is not one of a, b"),
        (Ends("n", (), ["a", "b"], lambda: "ab"), ["a"], "n='a' is not a smallest and a larg"),
        (Switch("n", (), True), "yes", "n='yes' is neither true nor false"),
        (Text("n", (), ""), ["a"], "is not text"),
    ],
)
def test_a_refusal_quotes_the_value_and_says_what_is_allowed(
    one: Parameter, raw: object, message: str
) -> None:
    """Each kind refuses what it cannot read, in a sentence."""
    with pytest.raises(ValueError, match=re.escape(message)):
        one.read(raw)
