"""A student's work as text for an address: it comes back whole, and nothing else is read."""

import base64
import json
import tracemalloc
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.answers import MAX_TYPED
from embviz.labs.exercises import LABS
from embviz.labs.progress import MAX_CODE, MAX_SECONDS, Progress, ProgressError, decode, encode

SOME = Progress("row", "ada").add("ids", "1 2", 30).add("ids", " 0\t1  2", 61.9)


def packed(given: Any) -> str:
    """Any JSON in the form of an address."""
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    return base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")


@pytest.mark.parametrize("one", LABS, ids=lambda one: one.code)
@pytest.mark.parametrize("student", ["ada", "李雷", "o'neil <b>", "=1+1"])
def test_progress_comes_back_as_it_was(one: Any, student: str) -> None:
    """An address gives back the last answer, the tries and the time of each step, and is short."""
    progress = Progress(one.code, student)
    for number, step in enumerate(one.steps):
        for _ in range(number):
            long = "".join(chr(0x4E00 + 97 * number * k % 20_000) for k in range(MAX_TYPED))
            progress = progress.add(step.name, long, 1e300)
    text = encode(progress)
    assert len(text) <= MAX_CODE
    assert text.replace("-", "").replace("_", "").isalnum()
    assert decode(text) == progress
    last = one.steps[-1].name
    assert (progress.attempts(last), progress.answers[last].seconds) == (7, MAX_SECONDS)


def test_the_last_answer_counts() -> None:
    """The last text stays, with single spaces; attempts are counted; a new step has none."""
    assert decode(encode(SOME)).answers == {"ids": ("0 1 2", 2, 61)}
    assert (SOME.attempts("bits"), SOME.latest("bits")) == (0, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "!!",
        "A" * 5000,
        "é",
        encode(SOME)[:-8],
        encode(SOME) + "AAAA",
        packed(None),
        packed(b"\xff"),
        packed(b"[" * 20_000),
        packed(["row", "ada", {"ids": []}]),
        packed(["row", "ada", {"ids": ["1", 0, 1]}]),
        packed(["row", "ada", {"ids": ["1", 1, True]}]),
        packed(["row", "ada", {"ids": ["1" * 500, 1, 1]}]),
        packed(["row", "ada", {"ids": ["\ud800", 1, 1]}]),
        packed(["row", "ada", {"nope": ["1", 1, 1]}]),
        packed(["nope", "ada", {}]),
        packed(["row", " Ada", {}]),
        packed(["row", 5, {}]),
        packed(b'["row","ada",{"ids":["1",' + b"9" * 5000 + b",1]}]"),
    ],
)
def test_an_address_that_is_no_progress_is_refused(text: str) -> None:
    """An address that was cut or changed is refused with a short sentence."""
    with pytest.raises(ProgressError, match=r"^.{1,200}$"):
        decode(text)


@given(
    st.one_of(
        st.text(max_size=200),
        st.binary(max_size=200).map(packed),
        st.recursive(st.none() | st.integers() | st.text(max_size=9), st.lists).map(packed),
    )
)
@settings(max_examples=100, deadline=None)
def test_garbage_in_an_address_is_refused_and_nothing_else(text: str) -> None:
    """Garbage in an address raises ProgressError and nothing else."""
    with pytest.raises(ProgressError):
        decode(text)


def test_a_small_address_does_not_unpack_to_a_large_text() -> None:
    """Decoding an address never unpacks more than its bound."""
    bomb = packed(b" " * 2_900_000 + b"[]")
    assert len(bomb) <= MAX_CODE
    tracemalloc.start()
    try:
        with pytest.raises(ProgressError):
            decode(bomb)
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()
