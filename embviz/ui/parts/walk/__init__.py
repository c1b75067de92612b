"""A weight that learns, step by step: row, minus learning rate times gradient, is the new row.

One component draws two walks side by side, with a few of the rows that no step looks up. PyTorch
has taken all steps before (`training/walk.py`): the browser shows one after another and computes
no number. As a part of a page it follows the typed text.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from embviz.training.walk import Pair, Walk
from embviz.ui.parts import terms
from embviz.ui.parts.ask import ASK, LOOK
from embviz.ui.parts.cells import COLOURS
from embviz.ui.parts.component import component, looks

AROUND = 3  # rows drawn on either side of the looked-up one
COLUMNS = 16  # numbers of a row that are drawn
TOKENS = 100  # that can be chosen
_FOLDER = Path(__file__).parent
COMPONENT = component(
    "embviz_walk",
    [
        terms.script(),
        COLOURS,
        ASK,
        _FOLDER / "walk.js",
    ],
    **looks(_FOLDER / "walk", LOOK),
)


@dataclass(frozen=True)
class ShownWalk:
    """Two walks, as the browser draws them.

    Attributes:
        pair: the walks, of the rows that are drawn.
        labels: names of its rows, such as `'W' 58`.
        tokens: labels of the tokens to choose from.
        selected: the chosen one.
        sentences: the verdict on each step.
    """

    pair: Pair
    labels: Sequence[str]
    tokens: Sequence[str]
    selected: int
    sentences: Sequence[str]

    def packed(self, name: str) -> str:
        """All of it as JSON; the numbers are float32 in base64."""
        pair = self.pair
        content = {
            "name": name,
            "rows": list(self.labels),
            "ids": pair.rows.tolist(),
            "place": pair.place,
            "lr": pair.lr,
            "columns": min(COLUMNS, pair.first.tables.shape[2]),
            "of": pair.first.tables.shape[2],
            "walks": [_walk(one) for one in (pair.first, pair.second)],
            "chips": list(self.tokens[:TOKENS]),
            "selected": self.selected,
            "sentences": list(self.sentences),
        }
        return json.dumps(content, separators=(",", ":"))


def _walk(walk: Walk) -> dict[str, object]:
    """The rows; `largest` is each one's largest |gradient| of all its columns."""
    return {
        "tables": _floats(walk.tables[:, :, :COLUMNS]),
        "gradients": _floats(walk.gradients[:, :, :COLUMNS]),
        "largest": _floats(walk.gradients.abs().amax(dim=2)),
    }


def _floats(tensor: torch.Tensor) -> str:
    return b64encode(tensor.float().cpu().contiguous().numpy().astype("<f4").tobytes()).decode()
