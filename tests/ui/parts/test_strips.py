"""The bytes of the strips: the numbers that are drawn, and the words that are computed."""

import base64
import json

import numpy as np
import pytest
import torch

from embviz.core.refused import Refused
from embviz.request.inputs import read_inputs
from embviz.request.live import answer
from embviz.request.settings import SETTINGS, defaults
from embviz.ui.pages.context import contextual, static
from embviz.ui.pages.training import one_step
from embviz.ui.parts.ask import Part


def shown(part: Part, **own: object) -> dict[str, object]:
    """What the part sends for a text in a table of 4 columns."""
    given = read_inputs(defaults() | {"text": "abca", "dim": 4})
    values = defaults(SETTINGS) | own
    found: dict[str, object] = json.loads(part.packed(given, values.__getitem__))
    return found


def numbers(text: object, band: int) -> torch.Tensor:
    """A band's vectors, (N, 4)."""
    assert isinstance(text, dict)
    raw = base64.b64decode(text["bands"][band]["values"])
    return torch.from_numpy(np.frombuffer(raw, "<f4").copy()).reshape(-1, 4)


def test_a_strip_moves_with_its_letter() -> None:
    """The shuffled text's own lookup gives each letter the row that it had before."""
    found = shown(static._PART)
    then = found["then"]
    assert isinstance(then, dict)
    assert torch.equal(numbers(found, 0)[then["origin"]], numbers(then, 0))
    assert "each strip is bit for bit what it was" in then["said"]
    assert [then["seed"], then["open"]] == [0, False]
    assert shown(static._PART, shuffle=3)["then"]["open"]  # type: ignore[index]


def test_what_comes_out_is_the_sum_of_the_other_bands() -> None:
    """Row, place and attention add up to what comes out; equal letters share a row and part."""
    found = shown(contextual._PART)
    *terms, out = (numbers(found, band) for band in range(5))
    assert torch.allclose(torch.stack(terms).sum(dim=0), out, atol=1e-5)
    assert torch.equal(terms[0][0], terms[0][3])
    assert not torch.equal(out[0], out[3])
    assert "1 of 1 pairs of equal letters part" in str(found["said"])
    same = shown(contextual._PART, places=False, attention=False)
    assert "1 of 1 pairs of equal letters stay the same" in str(same["said"])


def ask(part: str, **settings: object) -> str:
    """The route's answer for these settings."""
    return answer(json.dumps({"settings": settings, "part": part}).encode(), pytest.fail)


@pytest.mark.parametrize(
    ("part", "own"),
    [
        (one_step._WHOLE, {"target": "1 2"}),
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
