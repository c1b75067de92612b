"""The path through the dashboard: after each page, chapter and lesson, the one that comes next.

A stop is a page with the settings that open it. Labs are not on the path: each ends with its own
next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from embviz.request.pages import Setting


@dataclass(frozen=True)
class Stop:
    """One stop.

    Attributes:
        page: its name.
        why: words before the link, such as "Now with words".
        label: what the link is called.
        settings: the choice that opens this part of the page.
    """

    page: str
    why: str
    label: str
    settings: Mapping[str, str] = field(default_factory=dict)


STOPS = (
    Stop("playground", "Back to the start", "Playground"),
    Stop("bag_of_words", "Now with words", "Bag of words"),
    Stop("training", "Now both layers learn", "Training", {"lesson": "step"}),
    Stop("training", "Next", "Many steps", {"lesson": "lockstep"}),
    Stop("training", "Next", "Rows nobody looks up", {"lesson": "drift"}),
    Stop("training", "Next", "Learn to write", {"lesson": "characters"}),
    Stop("limits", "Now where the two differ", "Where it breaks"),
    Stop("context", "Now the neighbours", "Context", {"chapter": "static"}),
    Stop("context", "Now with attention", "contextual", {"chapter": "contextual"}),
    Stop("context", "Now whole sentences", "sentences", {"chapter": "sentences"}),
    Stop("timing", "Now the clock", "Timing"),
    Stop("labs", "Now you", "Labs"),
)


def next_stop(page: str, setting: Setting) -> Stop | None:
    """The stop after this page with its settings; None where no stop fits, as in a lab."""
    for here, after in pairwise(STOPS):
        if here.page == page and all(
            setting(name) == value for name, value in here.settings.items()
        ):
            return after
    return None
