"""What a component that follows typing needs: its question, the route, and what was chosen in it.

`ask.js` beside this file asks and takes answers; `request/live.py` gives them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from embviz.core.bounds import LIVE
from embviz.core.inits import INITS
from embviz.core.refused import Refused
from embviz.request.picture import PLACE
from embviz.request.settings import MODEL, SETTINGS
from embviz.server.live import KB
from embviz.ui.state.session import asked, go, widget_value

_ROUTE = "../live"  # from the address of the component's script
ASK = Path(__file__).with_suffix(".js")
LOOK = Path(__file__).with_suffix(".css")


def asking(settings: Mapping[str, Any], more: Mapping[str, Any], part: str = "") -> dict[str, Any]:
    """What a component needs to ask the route.

    Returns:
        `live`, the route's address, or None where only Python knows the table; `most`, the bytes
        that it takes; `field`, the setting that is typed; `part`, of a page, or "";
        `text`, what the field shows; and `question`, the settings, with `more` of them.
    """
    own = INITS[settings["init"]].draw is None
    return {
        "live": None if own else _ROUTE,
        "most": LIVE.value() * KB,
        "field": settings["input"],
        "part": part,
        "text": settings[settings["input"]],
        "question": asked() | dict(more),
    }


def told(answer: str) -> dict[str, Any]:
    """What a component needs that only shows an answer."""
    return {"live": None, "field": None, "question": {}, "answer": answer}


def refusal(refused: Refused) -> str:
    """A refusal as the route answers it."""
    return json.dumps({"refusal": str(refused), "fixes": refused.fixes})


def pick(key: str) -> None:
    """A callback: what was chosen in the component goes into the address."""
    picked = widget_value(key, {}).get("picked")
    if not isinstance(picked, dict):  # a forged message
        return
    names = picked.keys() & {*PLACE, "view", *MODEL}
    with suppress(Refused):
        changes = {name: SETTINGS[name].read(picked[name]) for name in names}
        go(changes, whole=bool(names & {*MODEL}))
