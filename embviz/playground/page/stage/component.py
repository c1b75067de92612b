"""The stage: one component that shows a weight with two ways out of it, for one token of the text.

Python sends a question, the settings and the text, with its answer. The JavaScript beside this file
draws answers, plays and explains them without the server. While a person types, it asks the route
`live`. `playground/page/stage/drawing.py` makes the answer, whoever asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from embviz.fact.inputs import Inputs, usable
from embviz.fact.shared_layers import run_on_shared_layers
from embviz.playground.page.stage.drawing import picture_json
from embviz.settings.model_settings import PLACE
from embviz.text.refused import Refused
from embviz.ui.elements.ask import asking, pick
from embviz.ui.elements.component import component
from embviz.ui.state.address import question, setting, settings
from embviz.ui.state.session import session

_KEY = "stage"
_component = component("embviz_stage", Path(__file__).parent / "stage.js")


def stage(model: Mapping[str, Any], given: Inputs | Refused) -> None:
    """Draw the stage.

    Args:
        model: its settings.
        given: the inputs, or why there are none: the picture stays, with the reason below it.
    """
    place = settings(PLACE)
    try:
        inputs = usable(given)
        said = picture_json(run_on_shared_layers(inputs), inputs, question() | place)
    except Refused as refused:
        said = refused.to_json()
    data = asking(model, place) | {"answer": said}
    data |= {"view": setting("view"), "moved": session().moved}
    _component(key=_KEY, data=data, on_picked_change=partial(pick, _KEY))
