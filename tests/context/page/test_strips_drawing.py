"""The bytes of the strips: the numbers that are drawn, and the words that are computed."""

import base64
import json
from typing import Any

import numpy as np
import pytest
import torch

from embviz.fact.inputs import read_inputs
from embviz.fact.layers import TiedLayers
from embviz.live.parts import PARTS
from embviz.picture.part import part_json
from embviz.settings.given import defaults
from embviz.settings.pages import SETTINGS


def shown(part: str, text: str = "abca", **own: Any) -> dict[str, Any]:
    """What the part sends for a text in a table of 4 columns; of each text the bands as arrays."""
    asked = defaults() | {"text": text, "dim": 4, "unknown": "error"}
    asked |= {name: one for name, one in own.items() if name in asked}
    given, values = read_inputs(asked), defaults(SETTINGS) | asked | own
    found: dict[str, Any] = json.loads(part_json(PARTS[part], given, values.__getitem__))
    for one in filter(None, (found, found["then"])):
        raw = [base64.b64decode(band["values"]) for band in one["bands"]]
        one["bands"] = [np.frombuffer(band, "<f4").reshape(-1, 4) for band in raw]
        one["said"] = "".join(one["said"])
    return found


def test_a_strip_moves_with_its_letter() -> None:
    """The shuffled text's own lookup gives each letter the row that it had before."""
    found = shown("static")
    then = found["then"]
    assert np.array_equal(found["bands"][0][then["origin"]], then["bands"][0])
    assert "each strip is bit for bit what it was" in then["said"]
    assert then["seed"] == 0
    assert not then["open"]
    assert found["alt"] == "4 tokens, each with its strip"
    assert found["lit"] is None
    assert shown("static", shuffle=3)["then"]["open"]


def test_both_texts_are_there() -> None:
    """The first one above the other, with a sentence on what both have."""
    both = shown("static", edit="hab")
    assert both["then"] is None
    found = [both[name] for name in ("labels", "lines", "numbers")]
    assert found == [[*"abcahab"], [4, 3], [1, 2]]
    (rows,) = both["bands"]
    assert np.array_equal(rows[[0, 1, 3]], rows[[5, 6, 5]])
    assert both["largest"] == [pytest.approx(np.abs(rows).max())]
    assert both["said"].startswith("2 of 3 tokens kept, 2 moved, each kept strip is bit for bit")
    told = {token: "".join(words) for token, words in both["alike"].items()}
    where = "text 1, places 0 and 3; text 2, place 1, from 0: one row."
    assert told["10"] == f"a (id 10) in {where}"
    assert told["17"] == "h (id 17) in text 2, place 0, from 0: row 17."


def test_the_origin_of_the_numbers_is_told() -> None:
    """Below the strips: random, or what they are else."""
    origin = "The table: 100 × 4, random (seed 5): nothing is learnt yet."
    assert shown("static", seed=5)["about"].endswith(origin)
    origin = "The table: 100 × 4, random whole numbers: nothing is learnt yet."
    assert shown("static", init="integers")["about"].endswith(origin)


STATES = [
    ("abca", places, attention, mask)
    for places in (False, True)
    for attention in (False, True)
    for mask in ("full", "causal")
]


@pytest.mark.parametrize(("text", "places", "attention", "mask"), [*STATES, ("abc", 1, 1, "full")])
def test_what_is_not_trained_says_so_and_every_count_is_true(
    text: str, places: bool, attention: bool, mask: str
) -> None:
    """The sentences are true in every state that a link can give."""
    found = shown("contextual", text, places=places, attention=attention, mask=mask)
    has_random = places or attention
    assert ("untrained" in found["said"]) == (has_random and text == "abca")
    told = "Random weights on top (seed 123): sizes mean nothing yet."
    assert (told in found["about"]) == has_random
    rows, out = found["bands"][0], found["bands"][-1]
    assert np.array_equal(rows, out) == (not has_random)
    assert found["largest"] == pytest.approx([np.abs(rows).max(), np.abs(out).max()])
    if text == "abc":
        assert found["said"] == "No two tokens are equal here: type one twice."
        return
    apart = np.abs(out[0] - out[3]).max() > 1e-4 * np.abs(out).max()
    assert apart == (places or (attention and mask == "causal"))
    ending = "differ" if apart else "stay the same"
    assert found["said"].endswith(f", both equal tokens {ending}.")


def test_a_difference_is_told_of_the_route_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that depend on their place are seen, by the route where they do."""
    own = TiedLayers.multiply
    places = torch.arange(5)[:, None]
    monkeypatch.setattr(TiedLayers, "multiply", lambda *a: own(*a) + places[: len(a[1])])
    assert shown("static", "abcd", edit="xabcd")["said"] == (
        "4 of 5 tokens kept, 4 moved, some kept strips changed: "
        "max |difference| 0 by lookup, 1 by matmul."
    )


def test_what_comes_out_is_the_sum_of_the_other_bands() -> None:
    """Row, place, attention and MLP add up; equal tokens share a row and come out different."""
    found = shown("contextual")
    assert found["lit"] == 0
    assert shown("contextual", "abc")["lit"] is None
    *terms, out = found["bands"]
    assert np.allclose(sum(terms), out, atol=1e-5)
    assert np.array_equal(terms[0][0], terms[0][3])
    assert "".join(found["alike"]["10"]).endswith(": one row. What comes out differs.")
    assert "".join(found["alike"]["11"]) == "b (id 11) at place 1, from 0: row 11."
    same = shown("contextual", places=False, attention=False)
    assert "".join(same["alike"]["10"]).endswith("one row. What comes out is the same.")
    some = shown("contextual", "aaba", places=False)
    assert some["said"].endswith("2 of 3 pairs of equal tokens differ.")
