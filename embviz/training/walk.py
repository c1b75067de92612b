"""A training, step after step: a few rows of both weights, and what all other rows do.

What the rows that no step looks up do is measured on the tensors, and never assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from embviz.core.comparison import Comparison, bits
from embviz.core.refused import Refused
from embviz.training.losses import Loss, Mse
from embviz.training.optimizers import Rule, rule_named
from embviz.training.training import TrainedRoute, Training

STEPS = 10  # of one letter
TARGET = 0.5  # of the rows of `watch_rows`
LONG = 40  # steps of `watch_rows`
EARLY = 10  # of these, the first ones, look up the early row


@dataclass
class Walk:
    """Some rows of a training after each of its K steps.

    Attributes:
        training: the training, at its end.
        rows: int64 (R,), the ids of these rows.
        tables: K + 1 tensors (2, R, D), of both routes, the start first.
        gradients: K tensors (2, R, D), of each step.
        still: K + 1 numbers: rows never looked up of which no bit has changed, on both routes.
        largest: K + 1 numbers: the largest |gradient| so far of a row never looked up.
    """

    training: Training
    rows: torch.Tensor
    tables: list[torch.Tensor] = field(default_factory=list)
    gradients: list[torch.Tensor] = field(default_factory=list)
    still: list[int] = field(default_factory=list)
    largest: list[float] = field(default_factory=lambda: [0.0])

    def take(self, steps: int) -> Walk:
        """Train so many steps, or fewer if it fails.

        Raises:
            Refused: it fails before its first step.
        """
        self._look()
        while len(self.tables) <= steps and self.training.advance(1):
            routes = self.training.routes
            gradients = torch.stack([route.gradient for route in routes])
            unseen = gradients[:, self.training.unseen]
            most = float(unseen.abs().max()) if unseen.numel() else 0.0
            self.largest.append(max(self.largest[-1], most))
            self.gradients.append(gradients[:, self.rows])
            self._look()
        if not self.gradients:
            raise Refused(self.training.failed)
        return self

    def _look(self) -> None:
        tables, training = self.training.tables, self.training
        moved = (bits(tables) != bits(training.start)).any(dim=2).any(dim=0)
        self.still.append(int((~moved & training.unseen).sum()))
        self.tables.append(tables[:, self.rows])

    def compared(self, row: int, step: int) -> Comparison:
        """The row at that place, of both routes, after `step` steps."""
        return Comparison(*self.tables[step][:, row])


def pair_of(loss: Loss, ids: torch.Tensor, place: int) -> list[int]:
    """One token of a text, and the token after it where the loss asks for that.

    Args:
        loss: of both routes.
        ids: int64, any shape, the text.
        place: of the token, counted over all lines; where the loss takes fewer of each line, the
            last one that it takes stands for those after it.

    Raises:
        Refused: the text is too short for the loss.
    """
    before, following = loss.pairs(ids)
    line = ids.shape[-1] if ids.dim() else 1
    taken = len(before) * line // ids.numel()  # of each line
    at = place // line * taken + min(place % line, taken - 1)
    return [int(before[at])] + [int(following[at])] * (taken < line)


def one_letter(
    weight: torch.Tensor, pair: Sequence[int], loss: Loss, lr: float, around: int
) -> tuple[Walk, int]:
    """Both routes, trained with SGD on one token.

    Args:
        weight: (V, D).
        pair: the token, and what `pair_of` adds.
        loss: of both routes.
        lr: the learning rate.
        around: rows on either side of the token's that are watched.

    Returns:
        The walk, and where the token's row stands among its rows.

    Raises:
        Refused, IndexError: as `Training`.
    """
    training = Training(weight, torch.tensor(pair), loss, lr=lr)
    count = min(len(weight), 2 * around + 1)
    first = max(0, min(pair[0] - around, len(weight) - count))
    rows = torch.arange(first, first + count)
    return Walk(training, rows).take(STEPS), pair[0] - first


@dataclass(frozen=True)
class Watched:
    """Three rows under several optimizers, by the lookup's route.

    Attributes:
        rows: int64 (R,), the ids of these rows.
        rules: the optimizers.
        tables: (K + 1, rules, R, D), the start first.
    """

    rows: torch.Tensor
    rules: list[Rule]
    tables: torch.Tensor

    @property
    def moved(self) -> torch.Tensor:
        """Bool (K, rules, R): whether a row moved in a step."""
        return self.tables.diff(dim=0).any(dim=3)


def watch_rows(weight: torch.Tensor, ids: torch.Tensor, optimizers: Sequence[str]) -> Watched:
    """Three rows: never looked up, in the first `EARLY` steps alone, and in every step.

    The early row is that of the most frequent id, the last one that of the most frequent other.
    The first row is left out where all rows are looked up, or are zeros, which no decay moves.
    Only rows of the text and that one are trained: no row's step depends on another row.

    Args:
        weight: (V, D).
        ids: int64, any shape, with at least 2 different ids.
        optimizers: keys of `OPTIMIZERS`.

    Raises:
        Refused: the ids are all the same, or the numbers leave the range of the dtype.
    """
    ids = ids.flatten()
    if len(torch.unique(ids)) < 2:
        raise Refused("One row is left out after a while: type at least 2 different ones.")
    early = ids.mode().values
    others = ids[ids != early]
    unseen = torch.bincount(ids, minlength=len(weight)) == 0
    never = (unseen.to(weight.device) & weight.any(dim=1)).nonzero().flatten()[:1].cpu()
    rows = torch.cat([never, torch.stack([early, others.mode().values])])
    trained = torch.unique(torch.cat([never, ids]))
    watched, all_of_it, without = (
        torch.searchsorted(trained, one).to(weight.device) for one in (rows, ids, others)
    )
    rules, start = [*map(rule_named, optimizers)], weight[trained]
    routes = [TrainedRoute(start, Mse(TARGET), rule, rule.usual_lr, dense=False) for rule in rules]
    tables = [start[watched].expand(len(routes), -1, -1)]
    for step in range(LONG):
        places = all_of_it if step < EARLY else without
        for route in routes:
            route.backward(places, places)
            route.update()
        tables.append(torch.stack([route.table[watched] for route in routes]))
    found = torch.stack(tables).cpu()
    if not bool(found.isfinite().all()):
        raise Refused(
            f"The rows are too large: in training their numbers leave {found.dtype}'s range. "
            "Choose a table with smaller numbers.",
            about="init",
        )
    return Watched(rows, rules, found)
