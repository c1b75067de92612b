import contextlib
import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.config import max_tokens
from embviz.core.ids import MAX_RANK, TYPED, IdsError, parse_ids

QUICK = settings(deadline=None, max_examples=100)

GOOD = [
    ("\u30002 3 1\u00a0", [2, 3, 1]),
    ("2 3,1", [2, 3, 1]),
    ("  2\n3\t1 ", [2, 3, 1]),
    ("[7]", [7]),
    ("[[1 3]\n [0 1]]", [[1, 3], [0, 1]]),
    ("[ [1 , 3 ] ,\n[0, 1] ]", [[1, 3], [0, 1]]),
    ("[[[1],[2]]]", [[[1], [2]]]),
]

BAD = [
    ("[[1,2],[3]]", "shapes (2,), (1,)"),
    ("[[1],2]", "ragged"),
    ("[[[1],[2]],[[1,2],[3,4]]]", "shapes (2, 1), (2, 2)"),
    ("[1, 2.0]", "'2.0' is not an id"),
    ("3e0", "is not an id"),
    ("[[0],[-7]]", "Id -7 is negative"),
    ("[[1,2],[3,1000]]", "Id 1,000 at position 3 is too large"),
    ("1 2 x", "'x' at position 4 is not an id"),
    ("true", "'true' is not an id"),
    ("NaN", "'NaN' is not an id"),
    ('{"a": 1}', "is not an id"),
    ("1\x1b[31m", "is not an id"),
    ("[1,\n[2", "2 [ and 0 ]"),
    ("][", "cannot be read as ids"),
    ("1,,2", "cannot be read as ids"),
    ("007", "cannot be read as ids"),
    ("[" * (MAX_RANK + 1) + "1" + "]" * (MAX_RANK + 1), f"{MAX_RANK} levels are allowed"),
    ("[" * 5_000 + "]" * 5_000, f"{MAX_RANK} levels are allowed"),
    ("9" * 5_000, "'99999"),
    ("9" * 4_000, "of more than 18 digits at position 0 is too large"),
    ("0 " * (max_tokens() + 1), "100,001 ids are more than the 100,000 allowed"),
    ("0" * (max_tokens() * TYPED + 1), f"{max_tokens() * TYPED + 1:,} characters"),
]


@pytest.mark.parametrize(("typed", "ids"), GOOD)
def test_ids_are_read_as_typed(typed: str, ids: list[object]) -> None:
    """Typed ids keep their values and their shape."""
    parsed = parse_ids(typed, 10)
    assert parsed.dtype is torch.int64
    assert parsed.tolist() == ids
    assert parsed.shape == torch.tensor(ids).shape


@pytest.mark.parametrize(
    ("typed", "shape"), [("", (0,)), (" \n", (0,)), ("[]", (0,)), ("[[],[]]", (2, 0))]
)
def test_no_ids_are_an_empty_tensor(typed: str, shape: tuple[int, ...]) -> None:
    """No ids give an empty int64 tensor."""
    parsed = parse_ids(typed, 10)
    assert parsed.dtype is torch.int64
    assert tuple(parsed.shape) == shape


@pytest.mark.parametrize(("typed", "said"), BAD, ids=[typed[:20] for typed, _ in BAD])
def test_bad_ids_are_refused_in_a_sentence(typed: str, said: str) -> None:
    """Bad ids are refused in one short, printable line."""
    with pytest.raises(IdsError) as refused:
        parse_ids(typed, 10)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 300
    assert str(refused.value).isprintable()


def test_the_largest_allowed_inputs_are_read() -> None:
    """Input at the limits of ids, rank and rows is read."""
    assert parse_ids("0 " * max_tokens(), 1).shape == (max_tokens(),)
    assert parse_ids("[" * MAX_RANK + "1" + "]" * MAX_RANK, 2).shape == (1,) * MAX_RANK
    with pytest.raises(IdsError, match="ids run from 0 to 0"):
        parse_ids("1", 1)


@pytest.mark.parametrize(
    "typed",
    [
        "9" * 25_000 + "x",
        "1" + " " * 800_000 + ",",
        "[" * 800_000,
        "[1]," * 200_000,
        "1 " * 400_000,
    ],
    ids=["digits", "spaces", "brackets", "lists", "ids"],
)
def test_long_nonsense_is_refused_at_once(typed: str) -> None:
    """Long nonsense is refused within seconds."""
    start = time.perf_counter()
    with pytest.raises(IdsError):
        parse_ids(typed, 10)
    assert time.perf_counter() - start < 10


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet=st.characters()),
        st.text(alphabet="[] ,\n0123456789.-+eE"),
        st.text(alphabet='[]{}:"\\,1 truefalsnNI'),
    ),
    st.integers(1, 1000),
)
def test_any_text_gives_ids_or_a_refusal_and_nothing_else(typed: str, rows: int) -> None:
    """Any text gives ids of the table or an IdsError."""
    with contextlib.suppress(IdsError):
        parsed = parse_ids(typed, rows)
        assert parsed.dtype is torch.int64
        assert ((parsed >= 0) & (parsed < rows)).all()
