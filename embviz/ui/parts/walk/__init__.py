"""A training as strips of numbers, state after state.

One component draws panels side by side, each with rows that change from step to step. PyTorch has
taken all steps before: the browser shows one state after another and computes no number. As a part
of a page it follows the typed text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from embviz.request.picture import packed
from embviz.ui.parts.ask import ASK, LOOK
from embviz.ui.parts.cells import CELLS, STYLE
from embviz.ui.parts.component import component, looks

COLUMNS = 16  # numbers of a row that are drawn
TOKENS = 100  # that can be chosen
_FOLDER = Path(__file__).parent
COMPONENT = component(
    "embviz_walk", [*CELLS[:2], ASK, _FOLDER / "walk.js"], **looks(_FOLDER / "walk", STYLE, LOOK)
)


@dataclass(frozen=True)
class Strip:
    """A row of numbers in each of K + 1 states.

    Attributes:
        label: its name.
        values: (K + 1, D); NaN is a number that is not there yet.
        group: strips with the same one are marked together.
        said: the sentence about a number, with `{k}` for that of strip k of the panel and `{c}` for
            its column.
        kind: `small`, without numbers; `looked`, small and framed; else numbers are written.
        notes: a word in each state, or none.
    """

    label: str
    values: torch.Tensor
    group: int
    said: str
    kind: str = ""
    notes: Sequence[str] = ()

    def content(self) -> dict[str, object]:
        """All of it; the numbers are float32 in base64."""
        return vars(self) | {"values": packed(self.values[:, :COLUMNS].float())}


@dataclass(frozen=True)
class ShownWalk:
    """Panels of strips.

    Attributes:
        panels: title, hue (`blue`, `orange` or none) and strips of each.
        said: a sentence about each of the K + 1 states.
        pause: milliseconds from one state to the next.
        tokens: labels of the tokens to choose from, if any.
        selected: the chosen one.
    """

    panels: Sequence[tuple[str, str, Sequence[Strip]]]
    said: Sequence[str]
    pause: int
    tokens: Sequence[str] = ()
    selected: int = 0

    def packed(self, name: str) -> str:
        """All of it as JSON."""
        dim = self.panels[0][2][0].values.shape[1]
        content = vars(self) | {
            "name": name,
            "panels": [[*head, [one.content() for one in strips]] for *head, strips in self.panels],
            "columns": min(dim, COLUMNS),
            "cut": f"; {COLUMNS} of {dim} drawn" if dim > COLUMNS else "",
            "tokens": self.tokens[:TOKENS],
        }
        return json.dumps(content, separators=(",", ":"))
