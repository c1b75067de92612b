"""Components that follow typing: their question, the route, and the choice in them.

A part of a page is such a component with a name in the route.
`ask.js` beside this file asks and takes answers; `live/answer.py` gives them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from embviz.fact.inits import INITS
from embviz.fact.inputs import Inputs, usable
from embviz.picture.part import Part, part_json
from embviz.settings.model_settings import MODEL
from embviz.settings.pages import PAGES, SETTINGS
from embviz.system.bounds import KB, LIVE
from embviz.text.refused import Refused
from embviz.ui.state.address import question, setting, settings
from embviz.ui.state.changes import go, is_over, refuse_long
from embviz.ui.state.session import session, widget_value

_ROUTE = "live"  # below the address of the app


def asking(model: Mapping[str, Any], more: Mapping[str, Any], part: str = "") -> dict[str, Any]:
    """The data with which a component asks the route.

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
        "question": json.dumps(question() | dict(more)),
    }


def pick(key: str) -> None:
    """A callback: what was chosen in the component goes into the address."""
    picked = widget_value(key, {}).get("picked")
    if not isinstance(picked, dict):  # a forged message
        return
    names = picked.keys() & {*PAGES[session().page].reads}
    with suppress(Refused):
        changes = {name: SETTINGS[name].read(picked[name]) for name in names}
        go(changes)


def draw_part(part: Part, component: Any, given: Inputs | Refused) -> None:
    """Draw a part of a page, which follows the page's field. A refusal stands in its place.

    Args:
        part: what is drawn.
        component: draws what `part_json` gives.
        given: the inputs, or why there are none.
    """
    try:
        refuse_long(*part.reads)
        answer = part_json(part, usable(given), setting)
    except Refused as refused:
        answer = refused.to_json()
    data = asking(settings(MODEL), settings(part.reads), part.name) | {"answer": answer}
    component(key=part.name, data=data, on_picked_change=partial(pick, part.name))
