"""What a page asks the frame for: the inputs of this run, and its panels."""

from __future__ import annotations

from embviz.core.inits import INITS
from embviz.core.refused import Refused
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.settings import MODEL
from embviz.ui.state.session import cached, setting, settings, state


def inputs() -> Inputs:
    """The inputs that the settings ask for.

    Raises:
        Refused: they cannot be used; the body of the page shows why, with what would correct it.
    """
    return read_inputs(settings(MODEL), state().get("weights_file"), cached)


def refused() -> bool:
    """Whether the settings cannot be used."""
    try:
        inputs()
    except Refused:
        return True
    return False


def own_weights() -> bool:
    """Whether the user gives the weights himself."""
    return INITS[setting("init")].draw is None
