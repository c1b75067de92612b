"""One letter, trained step by step on both routes; folded, the gradients of the whole text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
import torch

from embviz.core.comparison import Comparison
from embviz.figures.grid import largest
from embviz.figures.training import gradient_grid
from embviz.request.inputs import Inputs
from embviz.request.markdown import literal
from embviz.request.training import loss_of, rate_of, weight_of
from embviz.training.losses import Mse
from embviz.training.step import OneStep, one_step
from embviz.training.walk import Walk, one_letter
from embviz.ui.pages.training import many
from embviz.ui.parts.grid import Part, Shown
from embviz.ui.parts.walk import COMPONENT, ShownWalk, Strip
from embviz.ui.parts.widgets import opens
from embviz.ui.state.session import state

AROUND = 3  # rows drawn on either side of the looked-up one
PAUSE_MS = 800
SHOWN_ROWS, SHOWN_DIMS = 40, 32
READS = ("loss", "target", "rate")


def draw(given: Inputs) -> None:
    """The steps of one letter; folded, many steps, which a lab shows alone, and the whole text."""
    if "temporary" in state():
        many.draw(given)
        return
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
    ways = (
        ("Lookup: nn.Embedding", "blue", "row"),
        ("Matmul: one-hot × nn.Linear", "orange", "column"),
    )
    panels = []
    for route, (title, hue, unit) in enumerate(ways):
        panels.append((title, hue, _strips(walk, route, row, names, unit, loss)))
    chips = [given.label(token) or str(token) for token in tokens]
    said = [_said(walk, row, step) for step in range(len(walk.tables))]
    return ShownWalk(panels, said, PAUSE_MS, chips, place)


def _strips(
    walk: Walk, route: int, row: int, names: list[str], unit: str, loss: object
) -> list[Strip]:
    tables = torch.stack(walk.tables)[:, route]  # (K + 1, R, D)
    gradients = torch.stack(walk.gradients)[:, route]  # (K, R, D)
    lr, ids = walk.training.lr, walk.rows.tolist()
    back = [max(0, step - 1) for step in range(len(tables))]  # the state before the last step

    def place(k: int) -> str:
        return f"weight[{{c}}, {ids[k]}]" if route else f"weight[{ids[k]}, {{c}}]"

    new = tables[:, row].clone()
    new[0] = torch.nan  # not there before the first step
    rows: list[Strip] = []
    if isinstance(loss, Mse):
        target = loss.target.to(new).expand_as(new)
        rows.append(Strip("target", target, ids[row], ""))
    at, sum_ = len(rows), place(row)
    said = f"{sum_}: {{{at}}} − {lr:g} × {{{at + 1}}} = {{{at + 2}}}"
    rows = [
        *rows,
        Strip(f"{unit} {names[row]}", tables[back, row], ids[row], said),
        Strip(f"− {lr:g} × gradient", gradients[back, row], ids[row], said),
        Strip(f"= new {unit}", new, ids[row], said),
    ]
    rows = [Strip(one.label, one.values, one.group, said) for one in rows]
    for k, name in enumerate(names):
        most = gradients[:, k].abs().amax(dim=1)
        notes = ["" if k == row else f"gradient {most[step]:.3g}" for step in back]
        own = said if k == row else f"{place(k)}: {{{len(rows)}}}"
        kind = "looked" if k == row else "small"
        rows.append(Strip(name, tables[:, k], ids[k], own, kind, notes))
    return rows


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


def _shown(given: Inputs, of: Callable[[str], Any]) -> Shown:
    step = one_step(weight_of(given), given.ids, loss_of(given, of))
    rows = step.touched[0]
    drawn = rows[:SHOWN_ROWS]
    labels = [row_label(given, token) for token in drawn.tolist()]
    names = "Embedding.weight.grad", "Linear.weight.grad.T"
    parts = [
        one[drawn, :SHOWN_DIMS].double().cpu().numpy()
        for one in (step.embedding_gradient, step.linear_gradient)
    ]
    limit = largest(*parts)
    grids = [
        gradient_grid(part, labels, name, limit) for name, part in zip(names, parts, strict=True)
    ]
    equal = Comparison(step.embedding_gradient, step.linear_gradient)
    by_hand = Comparison(step.embedding_gradient, step.closed_form)
    above = (
        f"{len(rows):,} of {len(step.embedding_gradient):,} rows are looked up; the largest "
        f"|gradient| of all others is {step.largest_untouched:g}.\n"
        f"- Both routes: {_verdict(equal)}.\n"
        f"- Lookup and the sum over the places by hand, `Xᵀ G`: {_verdict(by_hand)}.\n"
        f"{_repeated(step, given)}"
    )
    left = len(rows) - len(drawn)
    return Shown(grids, above, f":small[{left:,} more rows are not drawn.]" if left else "")


_WHOLE = Part("gradients", _shown, ("loss", "target"))


def _repeated(step: OneStep, given: Inputs) -> str:
    rows, counts = step.touched
    if counts.max() < 2:
        return "\n\n:small[No token comes twice here: type one twice and its gradients add up.]"
    row = int(rows[counts.argmax()])
    places, gradients = step.terms(row)
    sums = " + ".join(f"{value:.5f}" for value in gradients[:8, 0].tolist())
    more = " + …" if len(places) > 8 else ""
    return (
        f"- {literal(row_label(given, row))} stands at places "
        f"{', '.join(map(str, places[:8].tolist()))}: its row's gradient is the sum over them. "
        f"Dimension 0: `{sums}{more} = {float(gradients[:, 0].sum()):.5f}`"
    )


def _verdict(pair: Comparison) -> str:
    same = f"{pair.num_equal:,} of {pair.num_values:,} values have the same bits"
    return same if pair.bitwise_equal else f"{same}, max |difference| {pair.max_abs_error:.2g}"


def row_label(given: Inputs, token: int) -> str:
    """A row's name: its character and id, or its id alone."""
    return f"'{label}' (id {token})" if (label := given.label(token)) else f"id {token}"


def short_label(given: Inputs, token: int) -> str:
    """A row's name in few characters: `'W' 58`, or its id alone."""
    return f"'{label}' {token}" if (label := given.label(token)) else str(token)
