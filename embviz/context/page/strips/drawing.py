"""A text as letters, each with its vectors as strips of coloured cells, as JSON.

All sentences are computed here: a sequence of texts, of which each second one is bold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from embviz.picture.numbers import packed
from embviz.text.wording import counted

COLUMNS = 32  # numbers of a vector that are drawn: a strip is 132 px high, or 99
COLOURS = "Green: above 0, purple: below"
Said = Sequence[str]


@dataclass(frozen=True)
class Band:
    """One vector for each letter: `(N, D)`, drawn as strips or only a part of the sum."""

    name: str
    vectors: torch.Tensor
    shown: bool = True

    @property
    def drawn(self) -> torch.Tensor:
        """The numbers that are drawn, `(N, C)`."""
        return self.vectors.detach()[:, :COLUMNS]


@dataclass(frozen=True)
class LetterStrips:
    """One text.

    Attributes:
        labels: N letters.
        ids: their ids; negative of a vector that no id has.
        bands: their vectors; the last one is the sum of the others, if there are several. NaN
            where a letter has none.
        said: the verdict.
        alike: for each id a sentence about its places.
        about: what the strips are, where no number is pointed at.
        lines: letters of each sentence or text, a numbered line each; None for one text, whose
            lines break where the page ends.
    """

    labels: Sequence[str]
    ids: Sequence[int]
    bands: Sequence[Band]
    said: Said
    alike: Mapping[int, Said]
    about: str = ""
    lines: Sequence[int] | None = None

    def payload(self) -> dict[str, Any]:
        """The letters and strips as plain values; the numbers are float32 in base64."""
        bands = [
            {"name": band.name, "shown": band.shown, "values": packed(band.drawn.float())}
            for band in self.bands
        ]
        tokens = sum(token >= 0 for token in self.ids)
        alt = f"{counted(tokens, 'token')}, each with its strip"
        numbers = [*range(1, 1 + len(self.lines or ()))]
        return vars(self) | {"bands": bands, "alt": alt, "numbers": numbers}


@dataclass(frozen=True)
class Moved:
    """The text after its letters have moved.

    Attributes:
        letters: the new text.
        origin: the place of each letter before.
        go: what the button says that moves them.
        seed: of the order.
        open: whether it is shown first.
    """

    letters: LetterStrips
    origin: Sequence[int]
    go: str
    seed: int
    open: bool


@dataclass(frozen=True)
class Strips:
    """The content of the component.

    Attributes:
        letters: the text.
        then: the text after its letters have moved.
        lit: the place whose id is lit first.
        scaled: whether each band has a scale of its own.
    """

    letters: LetterStrips
    then: Moved | None = None
    lit: int | None = None
    scaled: bool = False

    def packed(self, name: str) -> str:
        """The strips as JSON."""
        then = self.then and vars(self.then) | self.then.letters.payload() | {"letters": None}
        texts = [self.letters, *([self.then.letters] if self.then else [])]
        # Of each shown band the numbers in all texts.
        shown = [[band.drawn for band in text.bands if band.shown] for text in texts]
        drawn = [torch.cat(band) for band in zip(*shown, strict=True)]
        largest = [float(band.nan_to_num(0, 0, 0).abs().max()) or 1.0 for band in drawn]
        if not self.scaled:
            largest = [max(largest)] * len(largest)
        dim = self.letters.bands[0].vectors.shape[1]
        content = self.letters.payload() | {
            "name": name,
            "dims": drawn[0].shape[1],
            "cut": f"The first {COLUMNS} of {dim:,} numbers are drawn." if dim > COLUMNS else "",
            "largest": largest,
            "lit": self.lit,
            "then": then,
        }
        return json.dumps(content, separators=(",", ":"))
