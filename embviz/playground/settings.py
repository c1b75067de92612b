"""The settings of *Playground*."""

from __future__ import annotations

from embviz.settings.kinds import Choice, Text
from embviz.settings.model_settings import PLACE_SETTINGS
from embviz.settings.page_record import Page, everything
from embviz.settings.worlds import LETTERS

MAX_ONE_HOT = 400  # Characters of a pressed one_hot row: more than its ids need.
# Panels under the picture, each a press; a link opens that of the tokenizers.
PANELS = "all tokens", "weights", "one_hot", "nearest", "in a model", "code"
PAGE = Page(
    "playground",
    "Playground",
    (
        Choice(
            "view",
            "embedding",
            lambda: ("embedding", "linear"),
            help="Draw the weight as `Embedding.weight` (V x D) or `Linear.weight` (D x V).",
        ),
        Choice(
            "panel",
            "none",
            lambda: ("none", *PANELS, "tokenizers"),
            "none",
            help="The panel under the picture.",
        ),
        Text(
            "one_hot",
            "",
            help="Pressed numbers of the row in the panel one_hot, by id; empty: that of the "
            "selected token.",
            most=lambda: MAX_ONE_HOT,
            # Another token has another row, and another vocabulary other ids.
            ends_with=("token", "text", "ids", "input", "vocab", "chars", "merges", "world"),
        ),
        *PLACE_SETTINGS,
    ),
    everything,
    example=LETTERS.text,
    shows_nan=True,
)
