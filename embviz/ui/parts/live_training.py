"""Live training on a page: the loop behind the play, pause, step and reset buttons.

The model trains in time slices between two redraws of its part of the page, so that no page waits
for it. One thread at a time trains a model. A part that is no longer on the page is not redrawn,
and so its model pauses. What was learnt is not discarded without a question (`kept`). The page
draws the results; this module reads none.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.server.scheduler import time_slice
from embviz.training.training import Training
from embviz.ui.frame.body import queued_fragment
from embviz.ui.state.session import cached, state

FORGOTTEN = "A reload begins here: the address does not carry what is learnt."
PICTURE_S = 2.5  # between two pictures of a training: a busy browser takes seconds to build one
LOADED_S = 3.0  # until then a browser may load a page's widgets
SLICES = 10  # the last ones, by which the time left is estimated

T = TypeVar("T")


@dataclass(eq=False)
class LiveTraining:
    """One model and how far it shall be trained.

    Attributes:
        slot: prefix of the widgets' keys.
        model: the model.
        goal: steps of one press of the play button.
        redraw_s: seconds between two redraws while it trains.
        budget_s: seconds of training for each redraw; the rest is for other sessions.
        until: training pauses at this step.
    """

    slot: str
    model: Training
    goal: int
    redraw_s: float
    budget_s: float
    until: int = 0
    _is_replaced: bool = False
    _shown_at: float = 0.0
    _picture: tuple[object, int, float, Any] = (None, 0, 0.0, None)
    _slices: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=SLICES))

    @property
    def is_running(self) -> bool:
        """Whether the next redraw trains on."""
        return self.model.steps < self.until and not self.model.finished

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the goal at the pace of the last slices, waits included; None at first."""
        if len(self._slices) < SLICES // 2 or self._slices[-1][1] == self._slices[0][1]:
            return None
        (begun, before), (now, steps) = self._slices[0], self._slices[-1]
        return (self.until - steps) * (now - begun) / (steps - before)

    def picture(self, of: object, make: Callable[[], T]) -> T:
        """The result of `make`. While the model trains, a result for the same `of` stays PICTURE_S.

        Plotly builds a changed chart anew. If that came with every redraw, a slow browser would
        show an empty chart.
        """
        made_of, steps, at, made = self._picture
        is_due = not self.is_running or time.monotonic() - at >= PICTURE_S
        if made_of != of or (steps != self.model.steps and is_due):
            made = make()
            self._picture = of, self.model.steps, time.monotonic(), made
        return cast("T", made)

    def show(self, draw: Callable[[DeltaGenerator], None]) -> None:
        """Draw this part of the page, and train and redraw it while it runs.

        Args:
            draw: draws all of it; it gets the row for the buttons.
        """
        running = self.is_running  # read once: another thread may finish the training meanwhile
        self._shown_at = time.monotonic()
        queued_fragment(self.redraw_s if running else None, self._redraw, draw, running)

    def progress(self, what: str) -> str:
        """How many steps of what are taken, and how long the others last."""
        said = f"{self.model.steps:,} {what}"
        if self.is_running:
            left = self.seconds_left
            return said if left is None else f"{said}, about {left:.0f} s left"
        if self.model.finished:
            return f"{said}, the most that one training may take here"
        return said if self.model.steps else f"{said}. {FORGOTTEN}"

    def play_button(self, label: str) -> None:
        """A button that trains `goal` steps, or pauses while the model trains."""
        if self.is_running:
            icon = ":material/pause:"
            st.button(
                "Pause", on_click=self._run_to, args=(0,), icon=icon, key=f"{self.slot}_pause"
            )
            return
        st.button(
            label,
            on_click=self._run_to,
            args=(self.model.steps + self.goal,),
            type="primary",
            icon=":material/play_arrow:",
            disabled=self.model.finished,
            key=f"{self.slot}_play",
        )

    def reset_button(self, forget: Callable[[], None]) -> None:
        """A button that starts over; `forget` makes the page build a new model."""
        st.button(
            "Reset",
            on_click=self._reset,
            args=(forget,),
            icon=":material/undo:",
            key=f"{self.slot}_reset",
        )

    def _redraw(self, draw: Callable[[DeltaGenerator], None], was_running: bool) -> None:
        # Made before the wait for a time slice: a superseded rerun stops here, where it draws.
        row = st.container(horizontal=True, vertical_alignment="center", key=f"{self.slot}_row")
        if was_running and self.is_running:
            with time_slice(self.model, self.budget_s) as seconds:
                if seconds:
                    self.model.advance(self.until - self.model.steps, seconds)
            self._slices.append((time.monotonic(), self.model.steps))
        # A browser that still loads the widgets of a new page would give them their defaults if
        # another whole run came: a training that ends that soon is drawn again until it may.
        if self._is_replaced or (self.is_running != was_running and not self._loads(was_running)):
            st.rerun(scope="app")
        draw(row)

    def _loads(self, redraws: bool) -> bool:
        """Whether the page may still load, and this part is redrawn by itself."""
        return redraws and time.monotonic() - self._shown_at < LOADED_S

    def _run_to(self, step: int) -> None:
        self._slices.clear()
        self.until = step

    def _reset(self, forget: Callable[[], None]) -> None:
        self._run_to(0)
        self._is_replaced = True  # a button reruns its fragment, which still has the old model
        forget()


def live_training(
    slot: str,
    model: Training,
    *,
    goal: int,
    redraw_s: float,
    budget_s: float,
    autoplay: int,
) -> LiveTraining:
    """The training of this model in this session; another model starts a new one, paused.

    The first one of a session, and one after `start_over`, trains `autoplay` steps by itself.
    """
    remembered = state()
    is_first = f"{slot}_live" not in remembered.get("cached", {})
    plays = remembered.pop(f"{slot}_starts", False) or is_first
    live = cached(
        f"{slot}_live", model, lambda: LiveTraining(slot, model, goal, redraw_s, budget_s)
    )
    if plays and not model.steps:
        live.until = autoplay
    return live


def start_over(slot: str) -> Callable[[], None]:
    """What follows a change of a training's settings: the next model replaces it and plays."""

    def run() -> None:
        state()[f"{slot}_starts"] = True

    return run


def kept(slot: str, made_of: object, make: Callable[[], T], is_learnt: Callable[[T], bool]) -> T:
    """As `cached`; but before what was learnt is replaced, the user is asked.

    Until *Start over* is pressed, the page goes on with what was learnt.
    """
    remembered = state()
    before, old = remembered.get("cached", {}).get(slot, (made_of, None))
    starts = remembered.get(f"{slot}_starts", False)
    if before == made_of or starts or not is_learnt(old):
        return cached(slot, made_of, make)
    answered = remembered.get(f"{slot}_keeps") == made_of
    with st.container(horizontal=True, vertical_alignment="center", key=f"{slot}_ask"):
        st.markdown(
            ":small[This was learnt before, with other settings.]"
            if answered
            else "**The text or a setting has changed.** Keep what is learnt?",
            width="content",
        )
        if not answered:
            keep = partial(remembered.__setitem__, f"{slot}_keeps", made_of)
            st.button("Keep what is learnt", on_click=keep, key=f"{slot}_keep")
        st.button("Start over", on_click=start_over(slot), key=f"{slot}_start_over")
    return cast("T", old)
