import base64
import json
import os
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.labs.exercises import LABS, lab
from embviz.labs.progress import (
    MAX_CODE,
    MAX_SECONDS,
    MAX_TRIES,
    MAX_TYPED,
    Progress,
    ProgressError,
    decode,
    encode,
)
from tests.labs.lab_student import peak_bytes

ROW = lab("row")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TRIES = st.lists(st.tuples(TEXT, st.integers(0, MAX_SECONDS)), min_size=1, max_size=4).map(tuple)


def some() -> Progress:
    """Two attempts at one step, and a text in another."""
    start = Progress("row", "Ada")
    return (
        start.add("ids", "1 2", 30)
        .add("ids", "0 1 2", 61.9)
        .add("why", "Zeros add <nothing>.", 300)
    )


@given(
    st.sampled_from(LABS),
    st.data(),
    st.sampled_from(["Ada", "李雷", "O'Neil <b>", "=1+1"]),
)
@settings(max_examples=60, deadline=None)
def test_progress_comes_back_as_it_was(one: Any, data: st.DataObject, name: str) -> None:
    """An address gives back exactly the progress that was written."""
    steps = [step.name for step in one.steps]
    answers = data.draw(st.dictionaries(st.sampled_from(steps), TRIES, max_size=4))
    dropped = dict.fromkeys(list(answers)[:1], 7)
    progress = Progress(one.code, name, answers, dropped, frozenset(list(answers)[:1]))
    text = encode(progress)
    assert len(text) <= MAX_CODE
    assert text.replace("-", "").replace("_", "").isalnum()
    assert decode(text) == progress


def test_work_from_before_a_step_was_added_opens() -> None:
    """An address of the lab without its step `pieces` gives all its answers back."""
    found = decode(
        "eNqLNtRRKsovV9JRckxJVNKJjlbKTClW0jEAQiDbUMFIScc0NjZWJ1opKbMEIZGXr6RjZgCRKM-ohIs7KgANU8gsVk"
        "jOL8hMTdFT0rG0jAUBALIlHNI"
    )
    assert {step: found.latest(step) for step in found.answers} == {
        "ids": "1 2",
        "bits": "no",
        "why": "A row is copied.",
    }
    assert found.latest("pieces") is None


def test_an_address_drops_the_oldest_attempts_and_counts_them() -> None:
    """Attempts that do not fit are dropped, the oldest first, and counted."""
    progress = Progress("row", "Ada")
    for number in range(MAX_TRIES + 20):
        progress = progress.add("ids", os.urandom(20).hex(), number)
    progress = progress.add("zeros", "35", 500)
    assert progress.attempts("ids") == MAX_TRIES + 20
    found = decode(encode(progress))
    assert found.attempts("ids") == MAX_TRIES + 20
    assert 1 < len(found.answers["ids"]) < MAX_TRIES
    assert found.answers["ids"] == progress.answers["ids"][-len(found.answers["ids"]) :]
    assert found.answers["zeros"] == progress.answers["zeros"]
    assert not found.cut


def incompressible(seed: int) -> str:
    """A long text that does not compress well."""
    drawn = np.random.default_rng(seed).integers(0x4E00, 0x9FFF, MAX_TYPED)
    return "".join(map(chr, drawn.tolist()))


def test_texts_that_do_not_fit_lose_their_end_and_say_so() -> None:
    """Texts that do not fit are cut at their end and marked as cut."""
    progress = Progress("row", "Ada").add("ids", "1 2", 1)
    texts = {step: incompressible(seed) for seed, step in enumerate(("why", "bits"))}
    for step, text in texts.items():
        progress = progress.add(step, text, 9)
    found = decode(encode(progress))
    assert len(encode(progress)) <= MAX_CODE
    assert found.cut
    assert found.cut <= texts.keys()
    assert all(texts[step].startswith(found.latest(step) or "-") for step in found.cut)
    assert found.latest("ids") == "1 2"
    assert not found.add("why", "short", 10).cut & {"why"}


def test_a_text_that_packs_well_is_bounded_too() -> None:
    """A long, compressible progress stays within the bound on unpacked bytes."""
    progress = Progress(
        "row",
        "Ada",
        {step.name: tuple(("a" * MAX_TYPED, n) for n in range(MAX_TRIES)) for step in ROW.steps},
    )
    found = decode(encode(progress))
    assert found.attempts("ids") == MAX_TRIES
    assert found.latest("ids") == "a" * MAX_TYPED


def test_a_small_address_does_not_unpack_to_a_large_text() -> None:
    """Decoding an address never unpacks more than its bound."""
    bomb = packed(b" " * 2_900_000 + b"[]")
    assert len(bomb) <= MAX_CODE
    assert peak_bytes(lambda: decode(bomb)) < 1_500_000


def packed(given: Any) -> str:
    """Any JSON in the form of an address."""
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    return base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "!!",
        "A" * 5000,
        "é",
        encode(some())[:-8],
        encode(some()) + "AAAA",
        packed([]),
        packed({}),
        packed(None),
        packed(b"\xff"),
        packed("[" * 5000),
        packed(b"[" * 100_000),
        packed(b" " * 300_000 + b"[]"),
        packed([1, "row", "Ada", [["ids", 0, 0, []]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["1", -1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["1", True]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [[1, 1]]]]]),
        packed([1, "row", "Ada", [["ids", -1, 0, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 2, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["1", 1]]]] * 2]),
        packed([1, "row", "Ada", [[["ids"], 0, 0, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["nope", 0, 0, [["1", 1]]]]]),
        packed([1, "row", "Ada", [["ids", 0, 0, [["\ud800", 1]]]]]),
        packed([1, "nope", "Ada", []]),
        packed([1, "row", "", []]),
        packed([1, "row", " Ada", []]),
        packed([2, "row", "Ada", []]),
        packed([1, ["row"], "Ada", []]),
        packed([1, "row", 5, []]),
        packed(b'[1,"row","Ada",[["ids",0,0,[["1",' + b"9" * 5000 + b"]]]]]"),
        packed(b'[1,"row","Ada",[["ids",0,0,[["1",NaN]]]]]'),
        packed(b'[1,"row","Ada",[["ids",0,0,[["1",1.0]]]]]'),
    ],
)
def test_an_address_that_is_no_progress_is_refused(text: str) -> None:
    """An invalid address is refused with a short sentence."""
    with pytest.raises(ProgressError) as refusal:
        decode(text)
    assert len(str(refusal.value)) < 300


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


def test_an_attempt_is_cut_to_its_bounds() -> None:
    """An attempt is cut to valid text and time; an unknown step is refused."""
    progress = Progress("row", "Ada").add("ids", "\ud800" + "x" * 9999, -5).add("ids", "1", 1e300)
    assert progress.answers["ids"][0] == ("?" + "x" * (MAX_TYPED - 1), 0)
    assert progress.answers["ids"][1] == ("1", MAX_SECONDS)
    assert decode(encode(progress)) == progress
    with pytest.raises(ProgressError, match="'nope' is not a step"):
        progress.add("nope", "1", 1)
