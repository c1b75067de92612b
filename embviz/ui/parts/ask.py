"""What a component that follows typing needs: its question, the route, and what was chosen in it.

A `Part` of a page is such a component with a name in the route.

`ask.js` beside this file asks and takes answers; `request/live.py` gives them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from embviz.fact.inits import INITS
from embviz.request.inputs import Inputs, usable
from embviz.request.live import PARTS, refusal_json
from embviz.request.pages import PAGES
from embviz.request.settings import MODEL, SETTINGS
from embviz.server.live import KB
from embviz.server.shared_cache import digest, shared_cache
from embviz.system.bounds import LIVE
from embviz.text.refused import Refused
from embviz.ui.state.session import (
    asked,
    go,
    is_over,
    refuse_long,
    setting,
    settings,
    state,
    widget_value,
)

KEPT_BYTES = 4 << 20  # bytes of the answers that all sessions share; one has 5 to 100 KB
_ROUTE = "../live"  # from the address of the component's script
ASK = Path(__file__).with_suffix(".js")
LOOK = Path(__file__).with_suffix(".css")


def asking(model: Mapping[str, Any], more: Mapping[str, Any], part: str = "") -> dict[str, Any]:
    """What a component needs to ask the route.

    Returns:
        `live`, the route's address, or None where only Python knows the table; `most`, the bytes
        that it takes; `field`, the setting that is typed; `part`, of a page, or "";
        `text`, what the field shows, or None if that is too long; and `question`, settings of the
        `model` and `more`, as JSON: for a dict among the data Streamlit imports pandas, before the
        first picture is drawn.
    """
    own = INITS[model["init"]].draw is None
    return {
        "live": None if own else _ROUTE,
        "most": LIVE.value() * KB,
        "field": model["input"],
        "part": part,
        "text": None if is_over(model["input"]) else model[model["input"]],
        "question": json.dumps(asked() | dict(more)),
    }


def pick(key: str) -> None:
    """A callback: what was chosen in the component goes into the address."""
    picked = widget_value(key, {}).get("picked")
    if not isinstance(picked, dict):  # a forged message
        return
    names = picked.keys() & {*PAGES[state()["page"]].reads}
    with suppress(Refused):
        changes = {name: SETTINGS[name].read(picked[name]) for name in names}
        go(changes)


@dataclass(frozen=True)
class Part:
    """A part of a page that follows the text.

    Attributes:
        name: its name in the route and of the component.
        make: inputs and a reader of settings -> what is shown, which is JSON by `packed(name)`;
            a ValueError is a refusal.
        reads: settings that it reads besides those of the model; `token` is the chosen position.
        component: draws it.
    """

    name: str
    make: Callable[[Inputs, Callable[[str], Any]], Any]
    reads: tuple[str, ...]
    component: Any

    def __post_init__(self) -> None:
        PARTS[self.name] = self.packed

    def packed(self, given: Inputs, of: Callable[[str], Any]) -> str:
        """What the route answers; `of` reads a setting. The rerun that follows finds it kept."""
        own = {name: of(name) for name in self.reads}
        if given.weights is not None:
            return str(self.make(given, own.__getitem__).packed(self.name))
        return _packed(self, given, own)

    def draw(self, given: Inputs | Refused, **callbacks: Callable[[], None]) -> None:
        """Draw it; it follows the page's field. A refusal stands in its place."""
        try:
            refuse_long(*self.reads)
            answer = self.packed(usable(given), setting)
        except Refused as refused:
            answer = refusal_json(refused)
        question = asking(settings(MODEL), settings(self.reads), self.name)
        data = question | {"answer": answer}
        chosen = partial(pick, self.name)
        self.component(key=self.name, data=data, on_picked_change=chosen, **callbacks)


@shared_cache(
    KEPT_BYTES,
    sys.getsizeof,
    lambda part, given, own: digest(
        part.name, *(given.settings[name] for name in MODEL), *own.values()
    ),
)
def _packed(part: Part, given: Inputs, own: Mapping[str, Any]) -> str:
    return str(part.make(given, own.__getitem__).packed(part.name))
