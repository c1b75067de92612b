"""One letter, trained step by step on both routes: numbers and sentences of the film."""

from __future__ import annotations

from collections.abc import Hashable

import torch

from embviz.fact.inputs import Inputs
from embviz.fact.shared_layers import numbers_of
from embviz.settings.page_record import Reader
from embviz.system.shared_cache import digest, shared_cache
from embviz.text.refused import refusals_about
from embviz.text.wording import isolated
from embviz.training.inputs import check_trained, loss_of, rate_of, start_of, weight_of
from embviz.training.losses import Loss
from embviz.training.page.film.drawing import COLUMNS, Film, FilmRow
from embviz.training.states import States, one_letter, pair_of

READS = "loss", "target", "rate"  # settings that it reads, besides the token
AROUND = 3  # rows drawn on either side of the looked-up one
STEP_MS = 400  # ms of a step of Play
KEPT_BYTES = 10 << 20  # bytes of the trainings that all sessions share; one has 25 KB to 5 MB


def step_film(given: Inputs, of: Reader) -> Film:
    """The film of the chosen token's row, on both routes.

    Raises:
        Refused: about the target, the rate, the text or the size of the table.
    """
    tokens = given.ids.flatten().tolist()
    place = max(0, min(of("token"), len(tokens) - 1))
    loss = loss_of(given, of)
    check_trained(given)  # before own weights are read for the key
    with refusals_about(given.input):
        pair = tuple(pair_of(loss, given.ids, place))
    with refusals_about("rate"):
        states, row = _states(given, of, loss, pair)
    names = [short_label(given, token) for token in states.rows.tolist()]
    token, target = pair[0], loss.target
    panels = [
        (
            f"nn.Embedding (lookup): weight, row {token}",
            "blue",
            _rows(states, 0, row, names, target),
            False,
        ),
        (
            f"nn.Linear (matmul): weight, column {token}",
            "orange",
            _rows(states, 1, row, names, target),
            True,
        ),
    ]
    task, meaning = _told(given, pair, target)
    said = [_said(states, row, step) for step in range(1, len(states.tables))]
    begun = f"{start_of(given.table)}. The loss is {states.losses[0]:.4g}: {meaning}."
    said = [begun, *said]
    said[-1] = f"{said[-1]} {states.failed}".strip()
    shown = [given.label(token) or str(token) for token in tokens]
    pressed = _pressed(target, given.table.embedding_dim)
    return Film(panels, said, STEP_MS, shown, place, task, "max |gradient|", pressed)


def _told(given: Inputs, pair: tuple[int, ...], target: torch.Tensor | None) -> tuple[str, str]:
    """The task in one line, and what its loss is."""
    name = _name(given, pair[0])
    if target is None:
        follows = _name(given, pair[1])
        task = f"Task: of all tokens, score {follows} highest after {name}."
        return task, f"how unlikely {follows} is after {name}"
    task = f"Task: turn the row of {name} into the target."
    if _pressed(target, given.table.embedding_dim):
        task += " Press a number of the target to change it."
    return task, "the mean squared distance to the target"


def _pressed(target: torch.Tensor | None, dim: int) -> list[str]:
    """The numbers of the target as text; none where not all of them are drawn."""
    if target is None or dim > COLUMNS:
        return []
    return [f"{value:g}" for value in target.expand(dim).tolist()]


def _key(given: Inputs, of: Reader, loss: Loss, pair: tuple[int, ...]) -> Hashable:
    """A digest of all that the states depend on; other tokens of the text do not count."""
    target = () if loss.target is None else loss.target.tolist()
    return digest(numbers_of(given), of("loss"), target, of("rate"), pair)


@shared_cache(KEPT_BYTES, lambda made: made[0].nbytes, _key)
def _states(given: Inputs, of: Reader, loss: Loss, pair: tuple[int, ...]) -> tuple[States, int]:
    """The states of this token: what else is typed does not change it."""
    return one_letter(weight_of(given), pair, loss, rate_of(of), AROUND)


def _rows(
    states: States, route: int, row: int, names: list[str], target: torch.Tensor | None
) -> list[FilmRow]:
    """The rows of one route: target, row, gradient and new row, then those around it."""
    tables = states.tables[:, route]  # (K + 1, R, D)
    gradients = states.gradients[:, route]  # (K, R, D)
    back = [max(0, step - 1) for step in range(len(tables))]  # the state before the last step
    ids = states.rows.tolist()
    unit = "column" if route else "row"
    places = [f"weight[{{c}}, {token}]" if route else f"weight[{token}, {{c}}]" for token in ids]
    new = tables[:, row].clone()
    new[0] = torch.nan  # not there before the first step
    parts = [
        (unit, tables[back, row]),
        ("gradient", gradients[back, row]),
        (f"new {unit}", new),
    ]
    if target is not None:
        parts.insert(0, ("target", target.to(new).expand_as(new)))
    at = len(parts) - 3
    said = f"{places[row]}: {{{at}}} − {states.lr:g} × {{{at + 1}}} = {{{at + 2}}}"
    rows = [
        FilmRow(label, values, ids[row], said, "target" if label == "target" else "")
        for label, values in parts
    ]
    for k, name in enumerate(names):
        notes = [_brief(float(size)) for size in gradients[back, k].abs().amax(dim=1)]
        own, kind = f"{places[k]}: {{{len(rows)}}}", "small"
        if k == row:
            own, kind = said, "looked"
        rows.append(FilmRow(name, tables[:, k], ids[k], own, kind, notes))
    return rows


def _brief(size: float) -> str:
    """A size in at most four characters, where it stays below 1e10."""
    if size == 0:
        return "0"
    if size < 0.01:
        return "<.01"
    if size < 10:
        return f"{size:.2f}"
    return f"{size:.0f}" if size < 10_000 else f"{size:.0e}".replace("e+0", "e")


def _said(states: States, row: int, step: int) -> str:
    """The verdict after `step` steps, from 1: of the loss, of the looked-up row, of all others."""
    begun, loss = states.losses[0], states.losses[step]
    both = states.compared(row, step)
    of = "All" if both.bitwise_equal else f"{both.num_equal:,} of"
    said = (
        f"The loss goes from {begun:.4g} to {loss:.4g}. "
        f"{of} {both.num_values:,} new numbers are the same in both, bit for bit."
    )
    if not (others := states.unseen):
        return said
    exactly = "exactly 0" if states.largest[step] == 0 else f"up to {states.largest[step]:.3g}"
    still = f"{states.still[step]:,} of {others:,} other rows stand still"
    return f"{said} {still}: their gradient is {exactly}."


def _name(given: Inputs, token: int) -> str:
    """A token in a sentence: `'W'`, or `id 58`."""
    return isolated(f"'{label}'") if (label := given.label(token)) else f"id {token}"


def short_label(given: Inputs, token: int) -> str:
    """A row's name in few characters: `'W' 58`, or its id alone."""
    return isolated(f"'{label}' {token}") if (label := given.label(token)) else str(token)
