"""The bytes of the strips: the numbers that are drawn, and the words that are computed."""

import base64
import json
from typing import Any

import numpy as np
import pytest
import torch

from embviz.core.layers import TiedLayers
from embviz.core.refused import Refused
from embviz.request.inputs import read_inputs
from embviz.request.live import answer
from embviz.request.settings import SETTINGS, defaults
from embviz.ui.pages.context import contextual, static
from embviz.ui.pages.training import one_step
from embviz.ui.parts.ask import Part


def shown(part: Part, text: str = "abca", **own: object) -> dict[str, Any]:
    """What the part sends for a text in a table of 4 columns."""
    given = read_inputs(defaults() | {"text": text, "dim": 4})
    values = defaults(SETTINGS) | own
    found: dict[str, Any] = json.loads(part.packed(given, values.__getitem__))
    return found


def joined(pieces: list[str]) -> str:
    """A sentence without its bold."""
    return "".join(pieces)


def numbers(text: dict[str, Any], band: int) -> torch.Tensor:
    """A band's vectors, (N, 4)."""
    raw = base64.b64decode(text["bands"][band]["values"])
    return torch.from_numpy(np.frombuffer(raw, "<f4").copy()).reshape(-1, 4)


def test_a_strip_moves_with_its_letter() -> None:
    """The shuffled text's own lookup gives each letter the row that it had before."""
    found = shown(static._PART)
    then = found["then"]
    assert torch.equal(numbers(found, 0)[then["origin"]], numbers(then, 0))
    assert then["said"][1] == "each strip is bit for bit what it was"
    assert (then["seed"], then["open"], found["lit"]) == (0, False, None)
    assert found["largest"] == pytest.approx(float(numbers(found, 0).abs().max()))
    assert shown(static._PART, shuffle=3)["then"]["open"]


def test_another_text_says_where_its_letters_were() -> None:
    """A letter that both texts have comes from its place, another one from nowhere."""
    then = shown(static._PART, then="edit", edit="xab")["then"]
    assert (then["origin"], then["seed"], then["open"]) == ([-1, 0, 1], None, True)
    assert joined(then["said"]).startswith("2 of 2 letters moved, each strip is bit for bit")


def test_a_difference_is_told_of_the_route_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that depend on their place are seen, by the route where they do."""
    multiply = TiedLayers.multiply

    def with_places(self: TiedLayers, ids: torch.Tensor) -> torch.Tensor:
        return multiply(self, ids) + torch.arange(len(ids)).unsqueeze(1)

    monkeypatch.setattr(TiedLayers, "multiply", with_places)
    said = joined(shown(static._PART, "abcd", then="edit", edit="xabcd")["then"]["said"])
    assert said == (
        "4 of 4 letters moved, some strips changed: max |difference| 0 by lookup, 1 by "
        "one-hot × Linear."
    )


def test_what_comes_out_is_the_sum_of_the_other_bands() -> None:
    """Row, place, attention and MLP add up; equal letters share a row and part."""
    found = shown(contextual._PART)
    *terms, out = (numbers(found, band) for band in range(5))
    assert torch.allclose(torch.stack(terms).sum(dim=0), out, atol=1e-5)
    assert torch.equal(terms[0][0], terms[0][3])
    apart = float((out[0] - out[3]).abs().max())
    assert joined(found["said"]).endswith("1 of 1 pairs of equal letters part.")
    assert joined(found["alike"]["10"]) == (
        f"a (id 10) at places 0 and 3: one row, bit for bit. What comes out differs by up to "
        f"{apart:.3g}."
    )
    same = shown(contextual._PART, places=False, attention=False)
    assert joined(same["said"]).endswith("1 of 1 pairs of equal letters stay the same.")
    assert joined(same["alike"]["10"]).endswith("bit for bit. What comes out is the same.")
    assert joined(same["alike"]["11"]) == "b (id 11) at place 1: row 11."
    some = shown(contextual._PART, "aaba", places=False)
    assert joined(some["said"]).endswith("2 of 3 pairs of equal letters part.")


@pytest.mark.parametrize(("text", "lit"), [("...aa", 3), ("aabbb", 2), ("..a", 0), ("abc", None)])
def test_the_letter_that_comes_most_often_is_lit(text: str, lit: int | None) -> None:
    """A letter or digit goes first, then the count; nothing is lit where all differ."""
    assert shown(contextual._PART, text)["lit"] == lit


def ask(part: str, **settings: object) -> str:
    """The route's answer for these settings."""
    return answer(json.dumps({"settings": settings, "part": part}).encode(), pytest.fail)


@pytest.mark.parametrize(
    ("part", "own"),
    [
        (one_step._LETTER, {"target": "1 2", "rate": "0.1x", "token": 2}),
        (static._PART, {"then": "edit", "edit": "ab"}),
        (contextual._PART, {"places": True, "place": 1}),
    ],
)
def test_a_part_of_a_page_is_what_the_page_draws(part: Part, own: dict[str, object]) -> None:
    """The settings of a part count, and its answer is that of a rerun."""
    changed = {"dim": 2, "text": "abca", **own}
    values = defaults(SETTINGS) | changed
    rerun = part.make(read_inputs(values), values.__getitem__).packed(part.name)
    assert ask(part.name, **changed) == rerun


def test_a_part_refuses_what_its_page_refuses() -> None:
    """A part's own refusal is the page's sentence, and not a failure."""
    for changed in ({"text": ""}, {"then": "edit", "edit": "é", "unknown": "error"}):
        with pytest.raises(Refused):
            ask("static", **changed)
