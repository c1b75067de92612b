"""The playground's record and settings."""

from embviz.request.pages import Page, everything
from embviz.request.settings import Choice, Number

PAGE = Page(
    "playground",
    "Playground",
    (
        Choice(
            "view",
            "linear",
            lambda: ("linear", "embedding"),
            help="Draw the weight as `Linear.weight` (D x V) or `Embedding.weight` (V x D).",
        ),
        Choice(
            "panel",
            "none",
            lambda: ("none", "tokenizers", "weights", "one_hot", "storage", "code"),
            help="The panel under the picture.",
        ),
        # EMBVIZ_MAX_TOKENS may allow any number of tokens; pages take the last one there is.
        Number("token", 0, 0, 999_999_999, help="Position of the selected token."),
    ),
    everything,
    example=True,
)
