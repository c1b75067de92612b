"""The settings: each record reads a usable value, or refuses with a sentence."""

import re

import pytest

from embviz.fact.inputs import read_inputs
from embviz.settings.given import asked_of, base, defaults, fits_link, named, read
from embviz.settings.kinds import Choice, Choices, Number, Setting, Switch, Text
from embviz.settings.worlds import EXAMPLE
from embviz.text.refused import Refused
from embviz.text.wording import quote


def test_defaults_are_what_the_public_contract_says() -> None:
    """An old link that leaves them out shows the same table."""
    found = defaults()
    assert (found.pop("text"), found.pop("chars")) == ("hello embeddings", "abcdefghij")
    short = " ".join(str(value) for name, value in found.items() if name != "weights")
    assert short == "text 2 3 1 printable 2000 100 10 123 normal auto float32 cpu unk characters"


LETTERS = {"world": "letters"}
NUMBER = Number("n", 1, 1, 9000)
WRONG = ["1e4", 0, 9001, "²", "1_0", 2.5, "2.5", True, None, "1e9999", "1e-1"]
WRONG += [float("nan"), float("inf"), "9" * 5000]


@pytest.mark.parametrize(
    ("one", "raw", "message"),
    [
        *((NUMBER, one, f"n={quote(str(one))} is not a whole number from 1") for one in WRONG),
        (Choice("n", "a", lambda: "ab"), "c", "n='c' is not one of a, b"),
        (Choice("n", "0", lambda: map(str, range(21))), "20x", "the 21 there are; nearest: 20"),
        (
            Choice("n", "none", lambda: ("none", "a", "b"), nothing="none"),
            "c",
            "is not one of a, b",
        ),
        (Choices("n", [], lambda: "ab"), [["a"]], "is not one of a, b"),  # forged
        (Switch("n", True), "Yes", "n='Yes' is not one of true, false"),
        (Switch("n", True), "yes", "n='yes' is not one of true, false"),
        (Text("n", "", most=lambda: 3), ["a"], "is not text"),
        (Text("n", "", most=lambda: 3), "abcd", "4 characters of n are more than the 3 allowed"),
    ],
)
def test_a_refusal_quotes_the_value_and_says_what_is_allowed(
    one: Setting, raw: object, message: str
) -> None:
    """Each kind refuses what it cannot read, in a sentence."""
    with pytest.raises(Refused, match=re.escape(message)):
        one.read(raw)


@pytest.mark.parametrize(
    "raw", ["5700", "5_700", "5.7e3", "5700.0", 5700.0, "٥٧٠٠", "５７００", " 5700 "]
)
def test_a_whole_number_is_read_in_each_spelling(raw: object) -> None:
    """An address, a request and an option may have what Python prints for it."""
    assert NUMBER.read(raw) == 5700
    assert type(NUMBER.read(raw)) is int
    seed = Number("n", 0, 0, 2**63)  # it has more digits than a float
    assert seed.read(f"{2**53 + 1}.0") == seed.read(str(2**53 + 1)) == 2**53 + 1


def test_what_each_kind_reads() -> None:
    """Both ends are in a range; lists have each value once; a switch reads either case."""
    assert [NUMBER.read(raw) for raw in ("1", 9000, "0" * 19 + "7")] == [1, 9000, 7]
    assert [Number("n", 0, -9, 0).read(raw) for raw in (" -9 ", "−９", "+0")] == [-9, -9, 0]
    given = {"methods": ["lookup", "matmul", "lookup", ""], "cache": [""]}
    assert read(given) == given | {"methods": ["lookup", "matmul"], "cache": []}
    assert [Switch("n", True).read(raw) for raw in ("True", "false", False)] == [True, False, False]
    assert (Switch("n", True).written(False), Choices("n", [], list).written([])) == ("false", [""])


def test_the_example_is_usual_while_nothing_is_typed() -> None:
    """An address names what differs from it, and always a text; on other pages it is unknown."""
    for given in ({}, {"dim": 4}, {"input": "text"}, {"ids": "1"}):
        assert base(given) == EXAMPLE
    for given in ({"text": ""}, {"text": "cab", "dim": 4}, {"input": "ids"}):
        assert base(given) == {}
    assert base({"text": "bad", "world": "letters"}) == EXAMPLE
    assert base({"world": "letters"}, example=False) == EXAMPLE
    assert base({}, example=False) == {}
    assert named({"dim": 3, "rows": 100}, example=True) == {"rows": 100}
    assert read_inputs(defaults() | EXAMPLE).ids.tolist() == [[2, 0, 1]]


def test_a_question_to_the_model_is_the_same_wherever_it_is_asked() -> None:
    """It names the world of the bare address, and the example of a page that has another one."""
    assert asked_of({"dim": 4, "lesson": "step", "token": 2}, "cab") == {"dim": 4} | LETTERS
    assert asked_of({"dim": 4}, "deed") == {"text": "deed", "dim": 4} | LETTERS
    for example in ("cab", "deed", ""):
        assert asked_of({"text": "abc"}, example) == {"text": "abc"}
    assert asked_of({"text": "bad", **LETTERS}, "") == {"text": "bad"} | LETTERS
    assert asked_of({"dim": 4}, "") == {"dim": 4}


def test_the_link_carries_six_thousand_encoded_bytes() -> None:
    """A text fits a link up to 6,000 URL-encoded bytes."""
    for sign, most in (("a", 6000), ("é", 1000)):
        assert [fits_link(sign * number) for number in (most, most + 1)] == [True, False]
