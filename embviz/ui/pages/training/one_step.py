"""One letter, trained step by step on both routes; folded, the gradients of the whole text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
import torch

from embviz.core.comparison import Comparison
from embviz.request.inputs import Inputs
from embviz.request.training import loss_of, rate_of, weight_of
from embviz.training.losses import Mse
from embviz.training.step import OneStep, one_step
from embviz.training.walk import Walk, one_letter
from embviz.ui.pages.training import many
from embviz.ui.parts.ask import Part
from embviz.ui.parts.walk import COMPONENT, ShownWalk, Strip
from embviz.ui.parts.widgets import opens

AROUND = 3  # rows drawn on either side of the looked-up one
PAUSE_MS = 800
SHOWN_ROWS, SHOWN_PLACES = 20, 4
WAYS = (
    ("Lookup: nn.Embedding", "blue", "row"),
    ("Matmul: one-hot × nn.Linear", "orange", "column"),
)
READS = ("loss", "target", "rate")


def draw(given: Inputs) -> None:
    """The steps of one letter; folded, many steps, and the whole text."""
    _LETTER.draw(given)
    begins = opens("many", "optimizer", "batches")
    after = st.expander("And after 100 steps?", begins, key="many", on_change="rerun")
    if after.open:
        with after:
            many.draw(given)
    whole = st.expander("And the whole text?", key="whole_text", on_change="rerun")
    if whole.open:
        with whole:
            _WHOLE.draw(given)


def _walked(given: Inputs, of: Callable[[str], Any]) -> ShownWalk:
    tokens = given.ids.flatten().tolist()
    place = max(0, min(of("token"), len(tokens) - 1))
    loss, lr = loss_of(given, of), rate_of(of)
    walk, row = one_letter(weight_of(given), given.ids, place, loss, lr, AROUND)
    names = [short_label(given, token) for token in walk.rows.tolist()]
    panels = [
        (title, hue, _strips(walk, route, row, names, unit, loss))
        for route, (title, hue, unit) in enumerate(WAYS)
    ]
    chips = [given.label(token) or str(token) for token in tokens]
    said = [_said(walk, row, step) for step in range(len(walk.tables))]
    said[-1] += f" {walk.training.failed}"
    return ShownWalk(panels, said, PAUSE_MS, chips, place)


def _strips(
    walk: Walk, route: int, row: int, names: list[str], unit: str, loss: object
) -> list[Strip]:
    parts = walk.tables, walk.gradients
    tables, gradients = (torch.stack(part)[:, route] for part in parts)  # (K + 1 or K, R, D)
    lr, ids = walk.training.lr, walk.rows.tolist()
    back = [max(0, step - 1) for step in range(len(tables))]  # the state before the last step
    places = [f"weight[{{c}}, {one}]" if route else f"weight[{one}, {{c}}]" for one in ids]
    new = tables[:, row].clone()
    new[0] = torch.nan  # not there before the first step
    target = [("target", loss.target.to(new).expand_as(new))] if isinstance(loss, Mse) else []
    step = [
        (f"{unit} {names[row]}", tables[back, row]),
        ("gradient", gradients[back, row]),
        (f"new {unit}", new),
    ]
    first = len(target)
    said = f"{places[row]}: {{{first}}} − {lr:g} × {{{first + 1}}} = {{{first + 2}}}"
    strips = [Strip(label, values, ids[row], said) for label, values in [*target, *step]]
    for k, name in enumerate(names):
        if k == row:
            strips.append(Strip(name, tables[:, k], ids[k], said, "looked"))
            continue
        most = gradients[back, k].abs().amax(dim=1).tolist()
        notes = [f"gradient {one:.3g}" for one in most]
        own = f"{places[k]}: {{{len(strips)}}}"
        strips.append(Strip(name, tables[:, k], ids[k], own, "small", notes))
    return strips


def _said(walk: Walk, row: int, step: int) -> str:
    """The verdict after so many steps: of the loss, of the looked-up row, and of all others."""
    loss = walk.training.points[step].loss_embedding
    if not step:
        return f"Loss {loss:.4g}: numbers off their target have a gradient."
    both = walk.compared(row, step)
    of = "all" if both.bitwise_equal else f"{both.num_equal:,} of"
    said = (
        f"Loss {walk.training.points[0].loss_embedding:.4g} → {loss:.4g}. "
        f"{of.capitalize()} {both.num_values:,} new numbers are the same in both, bit for bit."
    )
    if not (others := int(walk.training.unseen.sum())):
        return said
    exactly = "exactly 0" if walk.largest[step] == 0 else f"up to {walk.largest[step]:.3g}"
    return f"{said} {walk.still[step]:,} of {others:,} other rows stand still: gradient {exactly}."


_LETTER = Part("walk", _walked, (*READS, "token"), COMPONENT)


def _whole(given: Inputs, of: Callable[[str], Any]) -> ShownWalk:
    step = one_step(weight_of(given), given.ids, loss_of(given, of))
    rows, both = step.touched[0], (step.embedding_gradient, step.linear_gradient)
    panels = [
        (title, hue, _sums(given, step, gradient))
        for (title, hue, _), gradient in zip(WAYS, both, strict=True)
    ]
    left = len(rows) - SHOWN_ROWS
    said = (
        f"{len(rows):,} of {len(both[0]):,} rows are looked up; the largest |gradient| of all "
        f"others is {step.largest_untouched:g}. Both routes: {_same(Comparison(*both))}. "
        f"The sums by hand: {_same(Comparison(both[0], step.closed_form))}."
        + (f" {left:,} more rows are not drawn." if left > 0 else "")
    )
    return ShownWalk(panels, [said], PAUSE_MS)


def _sums(given: Inputs, step: OneStep, gradient: torch.Tensor) -> list[Strip]:
    """The gradient of each row, and below it what the places of its token add to it."""
    strips: list[Strip] = []
    for row in step.touched[0][:SHOWN_ROWS].tolist():
        places, terms = step.terms(row)
        at, shown = len(strips), min(len(places), SHOWN_PLACES) if len(places) > 1 else 0
        sums = " + ".join(f"{{{at + k}}}" for k in range(1, shown + 1))
        more = " + …" if shown < len(places) and shown else ""
        said = (
            f"gradient, {{c}}: {sums}{more} = {{{at}}}" if shown else f"gradient, {{c}}: {{{at}}}"
        )
        strips.append(Strip(short_label(given, row), gradient[row][None], row, said))
        for place, term in zip(places[:shown].tolist(), terms, strict=False):
            strips.append(Strip(f"at place {place}", term[None], row, said, "small"))
    return strips


def _same(pair: Comparison) -> str:
    same = f"{pair.num_equal:,} of {pair.num_values:,} values have the same bits"
    return same if pair.bitwise_equal else f"{same}, max |difference| {pair.max_abs_error:.2g}"


_WHOLE = Part("gradients", _whole, ("loss", "target"), COMPONENT)


def short_label(given: Inputs, token: int) -> str:
    """A row's name in few characters: `'W' 58`, or its id alone."""
    return f"'{label}' {token}" if (label := given.label(token)) else str(token)
