"""The lessons of the training page, by the value of the parameter `lesson`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from embviz.request.inputs import Inputs
from embviz.server.tables import layers_of
from embviz.training import tying
from embviz.ui.pages.training import characters, drift, inputs, lockstep, one_step
from embviz.ui.pages.training.loss import loss_settings
from embviz.ui.parts.facts import show_facts


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes:
        draw: draws it for the user's text.
        settings: draw its widgets above it, outside the body: a key does not draw them again.
        needs_ids: whether it learns from the ids of the text field.
    """

    draw: Callable[[Inputs], None]
    settings: tuple[Callable[[], None], ...] = ()
    needs_ids: bool = True


def _tying(given: Inputs) -> None:
    assert given.ids is not None
    show_facts(tying.facts(layers_of(given).embedding.weight.detach(), given.ids))


LESSONS = {
    "step": Lesson(one_step.draw, (loss_settings,)),
    "lockstep": Lesson(lockstep.draw, (loss_settings, lockstep.train_settings)),
    "drift": Lesson(drift.draw),
    "inputs": Lesson(inputs.draw),
    "characters": Lesson(characters.draw, needs_ids=False),
    "tying": Lesson(_tying),
}
