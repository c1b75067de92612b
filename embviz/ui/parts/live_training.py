"""Live training on a page: a model that is trained up to a setting, the number of its steps.

The address has that number: a link, a reload or Back trains as far again, to the same numbers. The
model trains in time slices between two redraws of its part of the page, so that no page waits for
it; one thread at a time trains a model. A part that is no longer on the page is not redrawn, and so
its model pauses.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from embviz.request.settings import SETTINGS, Number
from embviz.server.scheduler import time_slice
from embviz.training.training import Training
from embviz.ui.frame.body import queued_fragment
from embviz.ui.state.session import cached, forget, go, setting

REDRAW_S = 0.3
SLICE_S = 0.12  # of training for each redraw; the rest is for other sessions
# Streamlit sends a value to a widget once: a whole run before its script has loaded in the browser
# would leave it at its least value. So a training that ends this soon is redrawn a little longer.
LOADED_S = 3.0


T = TypeVar("T", bound=Training)


def live_training(
    name: str, made_of: object, make: Callable[[], T], goal: int, draw: Callable[[T, bool], None]
) -> None:
    """Draw a training, and train and redraw it until it has the steps of its setting.

    The session keeps it. It is made anew for another text or setting, or if it is beyond.

    Args:
        name: the setting.
        made_of: what the training depends on.
        make: makes it, at step 0.
        goal: steps of one press.
        draw: draws what stands below the buttons; it is told whether the training goes on.
    """
    training = cached(name, made_of, make)
    if training.steps > setting(name):
        forget(name)
        training = cached(name, made_of, make)
    since = time.monotonic() if _runs(name, training) else None
    queued_fragment(REDRAW_S if since else None, _redraw, name, training, goal, draw, since)


def _runs(name: str, training: Training) -> bool:
    return training.steps < setting(name) and not training.finished


def _redraw(
    name: str, training: T, goal: int, draw: Callable[[T, bool], None], since: float | None
) -> None:
    # Made before the wait for a time slice: a superseded rerun stops here, where it draws.
    row = st.container(horizontal=True, vertical_alignment="center", key=f"{name}_row")
    if since and _runs(name, training):
        with time_slice(training, SLICE_S) as seconds:
            if seconds:
                training.advance(setting(name) - training.steps, seconds)
    runs = _runs(name, training)
    if since and not runs and time.monotonic() - since > LOADED_S:
        st.rerun()  # without further redraws
    with row:
        _buttons(name, training, goal, runs)
    draw(training, runs)


def _buttons(name: str, training: Training, goal: int, runs: bool) -> None:
    """Play or Pause, Reset, and how far it is."""
    steps, most = training.steps, SETTINGS[name]
    assert isinstance(most, Number)
    is_last = training.finished or steps >= most.high
    if runs:
        _button("Pause", "pause", name, steps)
    else:
        to = min(steps + goal, most.high)
        _button(f"{goal:,} steps", "play_arrow", name, to, type="primary", disabled=is_last)
    _button("Reset", "undo", name, 0)
    if runs:
        st.progress(steps / setting(name), f"{steps:,} steps")
    else:
        st.caption(f"{steps:,} steps" + ", the most that one training may take here" * is_last)


def _button(label: str, icon: str, name: str, to: int, **more: Any) -> None:
    key = f"{name}_{icon.partition('_')[0]}"  # such as steps_play
    args, icon = ({name: to}, False), f":material/{icon}:"
    st.button(label, key=key, on_click=go, args=args, icon=icon, **more)
