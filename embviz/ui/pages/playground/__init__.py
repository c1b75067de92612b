"""The playground's record and settings."""

from embviz.core.config import MAX_EMBEDDING_DIM
from embviz.request.pages import Page, everything
from embviz.request.settings import Choice, Number

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
            help="The panel under the picture.",
        ),
        # EMBVIZ_MAX_TOKENS may allow any number of tokens; pages take the last one there is.
        Number("token", 0, 0, 999_999_999, help="Position of the selected token."),
        Number("column", 0, 0, MAX_EMBEDDING_DIM, help="First column that is shown."),
    ),
    everything,
    example=True,
)
