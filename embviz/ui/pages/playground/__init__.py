"""The playground's record and settings."""

from embviz.request.pages import Page, everything
from embviz.request.settings import PLACE, SETTINGS, Choice

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
            lambda: ("none", "all tokens", "weights", "one_hot", "storage", "tokenizers", "code"),
            "none",
            help="The panel under the picture.",
        ),
        *(SETTINGS[name] for name in PLACE),
    ),
    everything,
    example=True,
)
