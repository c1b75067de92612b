"""Live training on a page: a model that is trained up to a setting, the number of its steps.

The address has that number: a link, a reload or Back trains as far again, to the same numbers. The
model trains in time slices between two redraws of its part of the page, so that no page waits for
it; one thread at a time trains a model. A part that is no longer on the page is not redrawn, and so
its model pauses.

Invariants:
- The same settings and the same steps give the same numbers, however often it was drawn meanwhile.
- A model never has more steps than its setting; where it keeps no past, it is made anew for fewer.
- Two threads never train one model: Streamlit may start a rerun before the previous one has ended.
- A rerun that comes while others wait trains nothing before it is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from embviz.server.scheduler import run_queue, time_slice
from embviz.settings.kinds import Number
from embviz.settings.pages import SETTINGS
from embviz.text.wording import counted
from embviz.training.learning import Learning
from embviz.ui.frame.body import queued_fragment
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go
from embviz.ui.state.session import cached, forget

# Seconds between two redraws. One costs the server as much as many steps, so there are few.
REDRAW_S = 0.5
# Seconds of training before a press is answered; a fifth of them while others compute.
FIRST_S = 0.15
# Seconds of training before each redraw; a fifth of them while others compute.
SLICE_S = 0.35
# Seconds of training between two checks whether others compute.
BETWEEN_S = 0.02
# Seconds that a training is redrawn at least. If a full rerun comes before the browser has loaded
# the slider's script, the slider shows its minimum.
LOADED_S = 3.0
# Slot of the session's results: it holds one training, up to 6 MB on a public server.
SLOT = "training"


T = TypeVar("T", bound=Learning)


def page_training(
    name: str, made_of: object, make: Callable[[], T], goal: int, draw: Callable[[T, bool], None]
) -> None:
    """Draw a training, and train and redraw it until it has the steps of its setting.

    The session keeps it, and no other one beside it. It is made anew for another text or setting,
    or if it is beyond and does not keep its past.

    Args:
        name: the setting.
        made_of: what the training depends on.
        make: makes it.
        goal: steps of one press.
        draw: draws what stands below the buttons; it is told whether the training goes on.
    """
    training = cached(SLOT, (name, made_of), make)
    if training.steps > setting(name) and not training.keeps_past:
        forget(SLOT)
        training = cached(SLOT, (name, made_of), make)
    if not run_queue.waiting:  # Otherwise this rerun would wait in the queue again.
        _train(name, training, FIRST_S)  # most presses are answered here, and have no timer
    # Always a fragment: if one is not drawn again, Streamlit leaves its elements on the page.
    every_s = REDRAW_S if _runs(name, training) else None
    queued_fragment(every_s, redraw, name, training, goal, draw, Drawn(time.monotonic()))


@dataclass
class Drawn:
    """The time when a training was drawn first, and whether it was drawn since then.

    Attributes:
        since: seconds of `time.monotonic`.
        is_first: whether the next time is the first one, which does not train: the press was just
            answered.
    """

    since: float
    is_first: bool = True


def redraw(
    name: str, training: T, goal: int, draw: Callable[[T, bool], None], drawn: Drawn
) -> None:
    """Train for a time slice, and draw the training; arguments as of `page_training`."""
    if not drawn.is_first:
        _train(name, training, SLICE_S)
    drawn.is_first = False
    if not _runs(name, training) and time.monotonic() - drawn.since > LOADED_S:
        st.rerun()  # it ends the timer, also one of a training before
    _draw(name, training, goal, draw)


def _runs(name: str, training: Learning) -> bool:
    return training.steps < setting(name) and not training.finished


def _train(name: str, training: Learning, seconds: float) -> None:
    if _runs(name, training):
        with time_slice(training, seconds) as is_left:
            while is_left() and training.advance(setting(name) - training.steps, BETWEEN_S):
                pass


def _draw(name: str, training: T, goal: int, draw: Callable[[T, bool], None]) -> None:
    """Play or Pause, Reset, and how far it is; below them the training."""
    to, most, runs = setting(name), SETTINGS[name], _runs(name, training)
    steps = min(training.steps, to)
    assert isinstance(most, Number)
    is_last = training.finished or steps >= most.high
    after = min(steps + goal, most.high, training.most_steps)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{name}_row"):
        if runs:
            _button("Pause", "pause", name, steps, redraw_all=True)  # ends the timer
        else:
            label = f"Train to step {after:,}"
            _button(label, "play_arrow", name, after, type="primary", disabled=is_last)
        _button("Reset", "undo", name, 0, redraw_all=runs)
        if runs:
            st.progress(steps / to, f"{steps:,} of {counted(to, 'step')}")
        else:
            # The reason of a failure is told below.
            is_most = is_last and not training.failed
            most_here = ", the most that one training may take here" if is_most else ""
            st.caption(f"{counted(steps, 'step')}{most_here}")
    draw(training, runs)


def _button(
    label: str, icon: str, name: str, to: int, redraw_all: bool = False, **more: Any
) -> None:
    key = f"{name}_{icon.partition('_')[0]}"  # such as steps_play
    args, icon = ({name: to}, redraw_all), f":material/{icon}:"
    st.button(label, key=key, on_click=go, args=args, icon=icon, **more)
