"""A text as letters, each with its vector as a strip of coloured cells: one component.

Letters slide to their new places with their strips. Pointing at a letter, a tap on it, or the arrow
keys light all places of its id and write its sentence; on a cell, its number or the sum that it is.
While a person types, the component asks the route `live` and not Python, as the stage does. Its
sentences are Markdown as of `ui/parts/grid`. It computes no verdict: Python sends the sentences.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from embviz.figures.grid import largest
from embviz.request.inputs import Inputs
from embviz.ui.parts.ask import ASK, LOOK, asking, pick, told
from embviz.ui.parts.cells import COLOURS
from embviz.ui.parts.component import component, looks
from embviz.ui.parts.grid import Part
from embviz.ui.state.session import setting

_FOLDER = Path(__file__).parent
_UI = _FOLDER.parents[1]
_component = component(
    "embviz_strips",
    [
        COLOURS,
        ASK,
        _UI / "parts" / "grid" / "words.js",
        _FOLDER / "strips.js",
    ],
    **looks(_FOLDER / "strips", LOOK),
)


@dataclass(frozen=True)
class Band:
    """One vector for each letter: `(N, D)`, drawn as strips or only a part of the sum."""

    name: str
    vectors: torch.Tensor
    shown: bool = True


@dataclass(frozen=True)
class Letters:
    """One text.

    Attributes:
        labels: N letters.
        ids: their ids.
        bands: their vectors; the last one is the sum of the others, if there are several.
        said: the verdict, Markdown.
        alike: for each id a sentence about its places, Markdown.
        lines: letters of each line; None breaks where the page ends.
    """

    labels: Sequence[str]
    ids: Sequence[int]
    bands: Sequence[Band]
    said: str
    alike: Mapping[int, str]
    lines: Sequence[int] | None = None

    def payload(self) -> dict[str, Any]:
        """All of it as JSON; the vectors are float32 in base64."""
        return vars(self) | {
            "bands": [
                {
                    "name": one.name,
                    "shown": one.shown,
                    "values": b64encode(_numbers(one).astype("<f4").tobytes()).decode(),
                }
                for one in self.bands
            ],
            "alt": f"{len(self.labels):,} letters, each with its strip",
        }


@dataclass(frozen=True)
class Moved:
    """The text after its letters have moved.

    Attributes:
        letters: the new text.
        origin: the place of each letter before; -1 for a new one.
        go, back: what the buttons say.
        seed: of the order; None where no other order can be asked for.
        last: the largest seed.
        is_open: whether it is shown first.
    """

    letters: Letters
    origin: Sequence[int]
    go: str
    back: str
    seed: int | None = None
    last: int = 0
    is_open: bool = False


@dataclass(frozen=True)
class Strips:
    """What the component shows; `lit` is the place whose id is lit first."""

    letters: Letters
    then: Moved | None = None
    lit: int | None = None

    def packed(self, name: str) -> str:
        """All of it as JSON."""
        texts = [self.letters] + ([self.then.letters] if self.then else [])
        vectors = [_numbers(band) for one in texts for band in one.bands if band.shown]
        content: dict[str, Any] = self.letters.payload() | {
            "name": name,
            "dims": vectors[0].shape[1],
            "largest": largest(*vectors),
            "lit": self.lit,
            "then": None,
        }
        if self.then is not None:
            own = {"origin": list(self.then.origin), "open": self.then.is_open}
            own |= {one: getattr(self.then, one) for one in ("go", "back", "seed", "last")}
            content["then"] = self.then.letters.payload() | own
        return json.dumps(content, separators=(",", ":"))


class StripsPart(Part):
    """A part of a page that follows the text and is drawn as strips."""

    def draw(self, given: Inputs, on_shuffle: Callable[[], None] = lambda: None) -> None:
        """Draw it; `on_shuffle` runs when a press asks for another order, by its seed."""
        packed = self.packed(given, setting)
        own = {name: setting(name) for name in self.reads}
        data = asking(given.settings, own, self.name) | {"answer": packed}
        _component(
            key=self.name,
            data=data,
            on_shuffle_change=on_shuffle,
            on_picked_change=partial(pick, self.name),
        )


def draw_strips(strips: Strips, key: str) -> None:
    """Draw strips that do not follow the text field."""
    _component(key=key, data=told(strips.packed(key)), on_shuffle_change=lambda: None)


def _numbers(band: Band) -> np.ndarray[Any, np.dtype[np.float64]]:
    return band.vectors.detach().double().cpu().numpy()
