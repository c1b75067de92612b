"""One letter, trained step by step on both routes; folded, many steps."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st
import torch

from embviz.request.inputs import Inputs
from embviz.request.training import check_trained, loss_of, rate_of, weight_of
from embviz.server.shared_cache import digest, shared_cache
from embviz.server.tables import numbers_of
from embviz.text.refused import refusals_about
from embviz.training.losses import Loss
from embviz.training.walk import Walk, one_letter, pair_of
from embviz.ui.frame import body
from embviz.ui.pages.training import many
from embviz.ui.parts.ask import Part
from embviz.ui.parts.links import typed
from embviz.ui.parts.unknown import note_unknown
from embviz.ui.parts.walk import COMPONENT, ShownWalk, Strip
from embviz.ui.parts.widgets import fold, opens, segments, text_line
from embviz.ui.state.session import setting

TITLE = "One step"
CLAIM = "A step of SGD moves one row: the one looked up."
AROUND = 3  # rows drawn on either side of the looked-up one
PAUSE_MS = 800
KEPT_BYTES = 8 << 20  # bytes of the walks that all sessions share; one has 13 KB to 1.3 MB
READS = ("loss", "target", "rate")
_LONG = "each letter of this text takes its row from the table, and each row is one of a hundred"
TRIES = (
    (
        "`sparse_adam` on minibatches: another rule, and the weights differ visibly.",
        "training",
        {"optimizer": "sparse_adam", "batches": "minibatch"},
    ),
    (
        "`adam` at 10x on a long text, for 2,000 steps: does rounding become visible?",
        "training",
        typed(_LONG, optimizer="adam", rate="10x", batches="fixed", dtype="float32", steps=2_000),
    ),
)


def draw() -> None:
    """The steps of one letter; folded, many steps."""
    given = body.tried_inputs()
    _LETTER.draw(given)
    note_unknown(given)
    fold("And after 100 steps?", many.draw, given, of=("optimizer", "batches"))
    _choose()


def _choose() -> None:
    """Widgets of the learning rate, the loss and its target."""
    box = st.expander("Learning rate, loss, target", opens("loss fold", *READS))
    with box.container(horizontal=True, vertical_alignment="bottom"):
        segments("Learning rate", "rate")
        segments("Loss", "loss")
        text_line("Target", "target", disabled=setting("loss") != "mse")


def _walked(given: Inputs, of: Callable[[str], Any]) -> ShownWalk:
    tokens = given.ids.flatten().tolist()
    place = max(0, min(of("token"), len(tokens) - 1))
    loss = loss_of(given, of)
    check_trained(given)  # before own weights are read for the key
    with refusals_about(given.settings["input"]):
        pair = tuple(pair_of(loss, given.ids, place))
    with refusals_about("rate"):
        walk, row = _walk(given, of, loss, pair)
    names = [short_label(given, token) for token in walk.rows.tolist()]
    panels = [
        ("Lookup: nn.Embedding", "blue", _strips(walk, 0, row, names, loss.target)),
        ("Matmul: one-hot × nn.Linear", "orange", _strips(walk, 1, row, names, loss.target)),
    ]
    said = [_said(walk, row, step) for step in range(len(walk.tables))]
    said[-1] += f" {walk.failed}"
    return ShownWalk(
        panels, said, PAUSE_MS, [given.label(one) or str(one) for one in tokens], place
    )


def _key(given: Inputs, of: Callable[[str], Any], loss: Loss, pair: tuple[int, ...]) -> Hashable:
    """What the walk depends on; what else is typed does not change it."""
    target = () if loss.target is None else loss.target.tolist()
    return digest(numbers_of(given), of("loss"), target, of("rate"), pair)


@shared_cache(KEPT_BYTES, lambda made: made[0].nbytes, _key)
def _walk(
    given: Inputs, of: Callable[[str], Any], loss: Loss, pair: tuple[int, ...]
) -> tuple[Walk, int]:
    """The walk of this token: what else is typed does not change it."""
    return one_letter(weight_of(given), pair, loss, rate_of(of), AROUND)


def _strips(
    walk: Walk, route: int, row: int, names: list[str], target: torch.Tensor | None
) -> list[Strip]:
    """Of one route: target, row, gradient and new row in numbers, then the rows around it."""
    tables = walk.tables[:, route]  # (K + 1, R, D)
    gradients = walk.gradients[:, route]  # (K, R, D)
    back = [max(0, step - 1) for step in range(len(tables))]  # the state before the last step
    ids = walk.rows.tolist()
    unit = "column" if route else "row"
    places = [f"weight[{{c}}, {one}]" if route else f"weight[{one}, {{c}}]" for one in ids]
    new = tables[:, row].clone()
    new[0] = torch.nan  # not there before the first step
    parts = [
        (f"{unit} {names[row]}", tables[back, row]),
        ("gradient", gradients[back, row]),
        (f"new {unit}", new),
    ]
    if target is not None:
        parts.insert(0, ("target", target.to(new).expand_as(new)))
    at = len(parts) - 3
    said = f"{places[row]}: {{{at}}} − {walk.lr:g} × {{{at + 1}}} = {{{at + 2}}}"
    strips = [Strip(label, values, ids[row], said) for label, values in parts]
    for k, name in enumerate(names):
        if k == row:
            strips.append(Strip(name, tables[:, k], ids[k], said, "looked"))
            continue
        notes = [f"gradient {float(one):.3g}" for one in gradients[back, k].abs().amax(dim=1)]
        own = f"{places[k]}: {{{len(strips)}}}"
        strips.append(Strip(name, tables[:, k], ids[k], own, "small", notes))
    return strips


def _said(walk: Walk, row: int, step: int) -> str:
    """The verdict after so many steps: of the loss, of the looked-up row, and of all others."""
    begun, loss = walk.losses[0], walk.losses[step]
    if not step:
        return f"Loss of this token {loss:.4g}: numbers off their target have a gradient."
    both = walk.compared(row, step)
    of = "All" if both.bitwise_equal else f"{both.num_equal:,} of"
    said = (
        f"Loss of this token {begun:.4g} → {loss:.4g}. "
        f"{of} {both.num_values:,} new numbers are the same in both, bit for bit."
    )
    if not (others := walk.unseen):
        return said
    exactly = "exactly 0" if walk.largest[step] == 0 else f"up to {walk.largest[step]:.3g}"
    return f"{said} {walk.still[step]:,} of {others:,} other rows stand still: gradient {exactly}."


_LETTER = Part("walk", _walked, (*READS, "token"), COMPONENT)


def short_label(given: Inputs, token: int) -> str:
    """A row's name in few characters: `'W' 58`, or its id alone."""
    return f"'{label}' {token}" if (label := given.label(token)) else str(token)
