"""The bytes of the strips: the numbers that are drawn, and the words that are computed."""

import base64
import json
from typing import Any

import numpy as np
import pytest
import torch

from embviz.fact.layers import TiedLayers
from embviz.request.drawings.parts import part_json
from embviz.request.given import defaults
from embviz.request.inputs import read_inputs
from embviz.request.pages import SETTINGS


def shown(part: str, text: str = "abca", **own: object) -> dict[str, Any]:
    """What the part sends for a text in a table of 4 columns; of each text the bands as arrays."""
    asked = defaults() | {"text": text, "dim": 4, "unknown": "error"}
    given, values = read_inputs(asked), defaults(SETTINGS) | asked | own
    found: dict[str, Any] = json.loads(part_json(part, given, values.__getitem__))
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
    assert found["lit"] is None
    assert shown("static", shuffle=3)["then"]["open"]
    other = shown("static", edit="hab")
    then = other["then"]
    assert other["largest"] == pytest.approx(np.abs([*other["bands"][0], *then["bands"][0]]).max())
    assert then["origin"] == [-1, 0, 1]
    assert then["seed"] is None
    assert then["open"]
    assert then["said"].startswith("2 of 2 letters moved, each strip is bit for bit")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"text": "Zoe"}, "letters"),
        ({"text": "I am. Am I?"}, "characters"),
        ({"text": "Zoë", "unknown": "unk"}, "characters"),
        ({"text": "ab1"}, "characters"),
        ({"text": "ab", "vocab": "bytes"}, "bytes"),
        ({"text": "nation", "vocab": "bpe"}, "pieces"),
        ({"input": "ids", "ids": "1 2 1"}, "ids"),
    ],
    ids=str,
)
def test_letters_are_called_so_only_if_all_are(given: dict[str, str], named: str) -> None:
    """In the sentence, the name of the picture, the button and the sentence after a press."""
    inputs = read_inputs(defaults() | given)
    for part in ("static", "contextual"):
        found = json.loads(part_json(part, inputs, (defaults(SETTINGS) | given).__getitem__))
        assert found["named"] == named
        assert found["one"] == ("an id" if named == "ids" else f"a {named[:-1]}")
        assert found["alt"] == f"{len(found['ids'])} {named}, each with its strip"
        words = "".join([*found["said"], *(found["then"] or {}).get("said", [])])
        called = {
            one for one in ("letters", "characters", "bytes", "pieces", "ids") if one in words
        }
        assert called <= {named}
    assert found["then"] is None


def test_a_difference_is_told_of_the_route_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that depend on their place are seen, by the route where they do."""
    own = TiedLayers.multiply
    places = torch.arange(5)[:, None]
    monkeypatch.setattr(TiedLayers, "multiply", lambda *a: own(*a) + places[: len(a[1])])
    assert shown("static", "abcd", edit="xabcd")["then"]["said"] == (
        "4 of 4 letters moved, some strips changed: max |difference| 0 by lookup, 1 by "
        "one-hot × Linear."
    )


def test_what_comes_out_is_the_sum_of_the_other_bands() -> None:
    """Row, place, attention and MLP add up; equal letters share a row and part."""
    found = shown("contextual")
    *terms, out = found["bands"]
    assert np.allclose(sum(terms), out, atol=1e-5)
    assert np.array_equal(terms[0][0], terms[0][3])
    apart = np.abs(out[0] - out[3]).max()
    assert found["said"].endswith("1 of 1 pairs of equal letters part.")
    assert "".join(found["alike"]["10"]).endswith(f"What comes out differs by up to {apart:.3g}.")
    same = shown("contextual", places=False, attention=False)
    assert same["said"].endswith("1 of 1 pairs of equal letters stay the same.")
    assert "".join(same["alike"]["10"]).endswith("bit for bit. What comes out is the same.")
    assert "".join(same["alike"]["11"]) == "b (id 11) at place 1, from 0: row 11."
    some = shown("contextual", "aaba", places=False)
    assert some["said"].endswith("2 of 3 pairs of equal letters part.")
