"""A training as rows of numbers, state after state, as JSON.

All steps are taken before: a browser shows one state after another and computes no number.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from embviz.picture.numbers import packed

COLUMNS = 16  # Numbers of a row that are drawn.
TOKENS = 100  # Tokens that can be chosen.


@dataclass(frozen=True)
class FilmRow:
    """A row of numbers in each of K + 1 states.

    Attributes:
        label: its name.
        values: (K + 1, D); NaN is a number that is not there yet.
        group: rows with the same one are marked together.
        said: the sentence about a number, with `{k}` for that of row k of the panel and `{c}` for
            its column.
        kind: `small`, without numbers; `looked`, small and framed; `target`, numbers that can be
            pressed where the film has a `target`; else numbers are written.
        notes: a word in each state, or none.
    """

    label: str
    values: torch.Tensor
    group: int
    said: str
    kind: str = ""
    notes: Sequence[str] = ()

    def content(self) -> dict[str, object]:
        """The row as plain values; its numbers are float32 in base64."""
        return vars(self) | {"values": packed(self.values[:, :COLUMNS].float())}


@dataclass(frozen=True)
class Film:
    """Panels of rows, side by side.

    Attributes:
        panels: title, hue (`blue`, `orange` or none) and rows of each, and whether these are drawn
            as columns, as those of nn.Linear's weight are.
        said: a sentence about each of the K + 1 states.
        pause: milliseconds from one state to the next.
        tokens: labels of the tokens to choose from, if any.
        selected: the chosen one.
        task: what is to be learnt.
        noted: what the notes of small rows are.
        target: the numbers of the target as text, if they can be pressed.
    """

    panels: Sequence[tuple[str, str, Sequence[FilmRow], bool]]
    said: Sequence[str]
    pause: int
    tokens: Sequence[str] = ()
    selected: int = 0
    task: str = ""
    noted: str = ""
    target: Sequence[str] = ()

    def packed(self, name: str) -> str:
        """The film as JSON."""
        dim = self.panels[0][2][0].values.shape[1]
        content = vars(self) | {
            "name": name,
            "panels": [
                [title, hue, [row.content() for row in rows], turned]
                for title, hue, rows, turned in self.panels
            ],
            "columns": min(dim, COLUMNS),
            "cut": f"; {COLUMNS} of {dim} drawn" if dim > COLUMNS else "",
            "tokens": self.tokens[:TOKENS],
        }
        return json.dumps(content, separators=(",", ":"))
