"""Which loss the training page uses, and its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from embviz.core.refused import Refused
from embviz.request.inputs import Inputs
from embviz.training.losses import Loss, mse, next_character
from embviz.ui.parts.widgets import segments, text_line
from embviz.ui.state.session import setting


def rate_setting(then: Callable[[], object] | None = None) -> None:
    """The widget of the learning rate; `then` is called after a change."""
    segments("Learning rate", "rate", then)


def loss_settings(then: Callable[[], object] | None = None) -> None:
    """Widgets of the loss and of its target; `then` is called after a change."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        segments("Loss", "loss", then)
    with right:
        text_line("Target", "target", then, disabled=setting("loss") != "mse")


def chosen_loss(given: Inputs, of: Callable[[str], Any] = setting) -> Loss:
    """The loss that the settings name; `of` reads a setting.

    Raises:
        Refused: the target is not one or more finite numbers.
    """
    assert given.config is not None
    if of("loss") == "mse":
        words = of("target").replace(",", " ").split()
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            raise Refused(
                f"The target {of('target')!r} is not one or more finite numbers."
            ) from None
        return mse(numbers)
    rows = given.config.num_embeddings
    symbols = rows if given.config.unk or given.vocabulary is None else len(given.vocabulary)
    return next_character(symbols, given.config.embedding_dim, given.config.seed)


def row_label(given: Inputs, token: int) -> str:
    """A row's name: its character and id, or its id alone."""
    return f"'{label}' (id {token})" if (label := given.label(token)) else f"id {token}"


def short_label(given: Inputs, token: int) -> str:
    """A row's name in few characters: `'W' 58`, or its id alone."""
    return f"'{label}' {token}" if (label := given.label(token)) else str(token)


def own_weights(given: Inputs) -> bytes | None:
    """The bytes of the user's own weights, to tell one table from another."""
    return None if given.table is None else given.table.numpy().tobytes()
