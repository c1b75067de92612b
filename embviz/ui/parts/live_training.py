"""Live training on a page: the loop behind the play, pause, step and reset buttons.

The model trains in time slices between two redraws of its part of the page, so that no page waits
for it. One thread at a time trains a model. The page draws the results; this module reads none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.server.scheduler import buttons_row, exclusive, queued_fragment, run_queue, time_slice
from embviz.ui.state.session import cached


class Trainable(Protocol):
    """A model that can be trained a few steps at a time."""

    @property
    def steps(self) -> int:
        """Steps taken."""
        ...

    @property
    def finished(self) -> bool:
        """Whether `advance` would do nothing."""
        ...

    def advance(self, steps: int, budget_s: float = ...) -> int:
        """Take up to `steps` steps, or as many as fit `budget_s` seconds."""
        ...


M = TypeVar("M", bound=Trainable)


@dataclass(eq=False)
class LiveTraining(Generic[M]):
    """One model and how far it shall be trained.

    Attributes:
        slot: prefix of the widgets' keys.
        model: the model.
        goal: steps of one press of the play button.
        redraw_s: seconds between two redraws while it trains.
        budget_s: seconds of training for each redraw; the rest is for other sessions.
        pace: most steps for each redraw.
        until: training pauses at this step.
    """

    slot: str
    model: M
    goal: int
    redraw_s: float
    budget_s: float
    pace: int = sys.maxsize
    until: int = 0
    _is_replaced: bool = False

    @property
    def is_running(self) -> bool:
        """Whether the next redraw trains on."""
        return self.model.steps < self.until and not self.model.finished

    def show(self, draw: Callable[[DeltaGenerator], None]) -> None:
        """Draw this part of the page, and train and redraw it while it runs.

        Args:
            draw: draws all of it; it gets the row for the buttons.
        """
        running = self.is_running  # read once: another thread may finish the training meanwhile
        queued_fragment(self.redraw_s if running else None, self._redraw, draw, running)

    def step_button(self) -> None:
        """A button that takes one step."""
        st.button("Step", on_click=self._step, disabled=self.is_running, key=f"{self.slot}_step")

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

    def reset_button(self, label: str, forget: Callable[[], None]) -> None:
        """A button that starts over; `forget` makes the page build a new model."""
        st.button(
            label,
            on_click=self._reset,
            args=(forget,),
            icon=":material/undo:",
            key=f"{self.slot}_reset",
        )

    def _redraw(self, draw: Callable[[DeltaGenerator], None], was_running: bool) -> None:
        row = buttons_row(f"{self.slot}_row")
        if was_running and self.is_running:
            with time_slice(self.model, self.budget_s) as seconds:
                if seconds:
                    self.model.advance(min(self.pace, self.until - self.model.steps), seconds)
        if self._is_replaced or self.is_running != was_running:
            st.rerun(scope="app")
        draw(row)

    def _run_to(self, step: int) -> None:
        run_queue.prioritize()
        self.until = step

    def _step(self) -> None:
        run_queue.prioritize()
        with exclusive(self.model) as is_free:
            if is_free:
                self.model.advance(1)

    def _reset(self, forget: Callable[[], None]) -> None:
        self._run_to(0)
        self._is_replaced = True  # a button reruns its fragment, which still has the old model
        forget()


def live_training(
    slot: str, model: M, *, goal: int, redraw_s: float, budget_s: float, pace: int = sys.maxsize
) -> LiveTraining[M]:
    """The training of this model in this session; another model starts a new one, paused."""
    return cached(
        f"{slot}_live", model, lambda: LiveTraining(slot, model, goal, redraw_s, budget_s, pace)
    )
