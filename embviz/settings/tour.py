"""The tour: its stops over all pages, one record each. It draws nothing.

The setting `tour` of an address is the number of the stop, from 1. A stop's address has its other
settings too, so the page knows nothing of the tour. `ui/frame/tour_bar.py` draws the bar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from embviz.settings.kinds import Number

MINUTES = 6  # Minutes that all stops take, as *Start here* says.


@dataclass(frozen=True)
class Stop:
    """One stop.

    Attributes:
        page: name of its page.
        sentence: what is seen there, in Markdown and at most 25 words. It is true of the page with
            these settings: `tests/browser/test_tour.py` compares it with what is drawn. Between
            numbers of a row stand spaces that do not break.
        settings: those of its address; all others have their defaults.
    """

    page: str
    sentence: str
    settings: Mapping[str, Any] = field(default_factory=dict)


STOPS = (
    Stop(
        "playground",
        "Models like GPT begin so: each piece of text has an id, the number of its row. "
        "`nn.Embedding` copies it: *c*, id 2, becomes 6\u00a07\u00a09.",
    ),
    Stop(
        "playground",
        "`nn.Linear` multiplies each row by 0 or 1, and adds. Only the row of *a* has a 1, so the "
        "sum is the same: 2\u00a09\u00a02.",
        {"token": 1},
    ),
    Stop(
        "training",
        "Rows learn. This model guesses the next letter. Its rows begin random; after 200 steps "
        "those of *b* and *c* are the nearest.",
    ),
    Stop(
        "playground",
        "A row is all that a model sees of a word. Words that are used alike learn similar rows: "
        "nearest to *king* is *queen*.",
        {"world": "words", "panel": "nearest"},
    ),
    Stop(
        "playground",
        "In a model the layer comes first: ids become rows. The last layer scores each next "
        "letter: it learns to expect *e* after *c*.",
        {"panel": "in a model"},
    ),
    Stop(
        "context",
        "A row knows no neighbours: *bank* has the same row in three sentences. The layers on top "
        "know them: their outputs for *bank* differ.",
        {"chapter": "sentences"},
    ),
    Stop(
        "training",
        "How many numbers should a row have? Double D until the loss hardly falls. Here D = 16 is "
        "enough after 300 steps.",
        {"lesson": "size"},
    ),
    Stop(
        "timing",
        "Does it matter for a model like GPT-2? Yes: copying rows reads 12 MiB, and multiplying "
        "needs a one-hot of 785 MiB.",
        {"my_model": True},
    ),
    Stop(
        "labs",
        "The tour ends here. Now you: this lab of half an hour asks what comes out, checks it, "
        "and names the usual mistakes.",
        {"lab": "row"},
    ),
)
TOUR = Number("tour", 0, 0, len(STOPS), help="The stop of the tour; 0: none.", sidebar=True)
