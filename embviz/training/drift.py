"""Which rows move without being looked up: claims about optimizers, measured on the user's text.

There are two questions. Does a row that no step looks up stay where it is? Does a row stay after
its last lookup? "Stays" means that it moves by exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from embviz.core.config import Config
from embviz.training.batches import until
from embviz.training.lockstep import Lockstep
from embviz.training.losses import mse

LOSS = mse(0.5)
STEPS = 60
LOOKED_UP = 10  # steps that look the chosen row up
# The optimizers that the page compares, for each question.
UNSEEN = ("sgd", "weight_decay", "adam", "adamw")
AFTERWARDS = ("sgd", "momentum", "adam", "sparse_adam")
OPTIMIZERS_SHOWN = ("sgd", "momentum", "weight_decay", "adam", "adamw", "sparse_adam")


@dataclass(frozen=True)
class Claim:
    """A claim and its measurement.

    Attributes:
        title: the claim.
        outcome: the measurement in a sentence.
        last_lookup: the last step (from 1) that looked up a watched row; 0 if there is none.
        lookups: int64 (V,), how often each row was looked up.
        path: (V,), how far each row of the embedding moved.
        moved: (steps,), the largest movement of a watched row in each step.
        holds: whether the measurement agrees with the claim; None if there is no such row.
    """

    title: str
    outcome: str
    last_lookup: int
    lookups: torch.Tensor
    path: torch.Tensor
    moved: torch.Tensor
    holds: bool | None


def claims(config: Config, ids: torch.Tensor, table: torch.Tensor | None = None) -> Iterator[Claim]:
    """The claims of the page; each is measured when the iterator reaches it, in 60 steps.

    Raises:
        ValueError, IndexError: as `Lockstep`, and where the ids are all the same.
    """
    for name in UNSEEN:
        yield unseen_rows(config, ids, name, table)
    for name in AFTERWARDS:
        yield after_last_lookup(config, ids, name, table)


def unseen_rows(
    config: Config, ids: torch.Tensor, optimizer: str, table: torch.Tensor | None = None
) -> Claim:
    """Whether rows that no step looks up stay where they are.

    Args:
        config: sizes, seed, init.
        ids: int64, all of them in every step.
        optimizer: a key of `OPTIMIZERS`.
        table: the weights of `init="own"`, (V, D).
    """
    lock = Lockstep(config, ids, optimizer=optimizer, loss=LOSS, table=table)
    lookups = torch.bincount(ids.flatten().cpu(), minlength=config.num_embeddings)
    watched = (lookups == 0).nonzero().flatten().to(config.device)
    moved = _train(lock, watched)
    moves = lock.optimizer.moves_unseen_rows
    paths = torch.stack([journey.path[watched] for journey in lock.journeys])
    title = f"Rows never looked up {'move' if moves else 'stay'} under {lock.optimizer.label}"
    return _judged(lock, title, moves, 0, watched, moved, paths)


def after_last_lookup(
    config: Config, ids: torch.Tensor, optimizer: str, table: torch.Tensor | None = None
) -> Claim:
    """Whether the row of the most frequent id stays where it is after its last lookup.

    The first `LOOKED_UP` steps train on the whole text, the others on all other ids.

    Args:
        config: sizes, seed, init.
        ids: int64, with at least 2 different ids.
        optimizer: a key of `OPTIMIZERS`.
        table: the weights of `init="own"`, (V, D).

    Raises:
        ValueError: the ids are all the same.
    """
    looked_up = ids.flatten().cpu()
    token = int(looked_up.mode().values)
    others = looked_up != token
    if not bool(others.any()):
        raise ValueError(
            f"To leave out id {token} after a while, the text must hold it and at least one other."
        )
    batches = until(LOOKED_UP, others)
    lock = Lockstep(config, ids, optimizer=optimizer, loss=LOSS, batches=batches, table=table)
    watched = torch.tensor([token], device=config.device)
    moved = _train(lock, watched)
    moves = lock.optimizer.moves_after_lookup
    # If the linear layer has another optimizer, the claim is about the embedding only.
    embedding_label = lock.optimizer.embedding_label
    sides = lock.journeys[:1] if embedding_label else lock.journeys
    paths = torch.stack([journey.path_since_lookup[watched] for journey in sides])
    name = embedding_label or lock.optimizer.label
    title = f"A row {'moves on' if moves else 'stays'} after its last lookup under {name}"
    return _judged(lock, title, moves, min(LOOKED_UP, lock.steps), watched, moved, paths)


def _train(lock: Lockstep, watched: torch.Tensor) -> torch.Tensor:
    """The largest movement of a watched row in each step, (steps taken,)."""
    moved = []
    while lock.steps < STEPS and lock.advance(1):
        moved.append(float(lock.moved[watched].max()) if len(watched) else 0.0)
    return torch.tensor(moved, dtype=lock.moved.dtype)


def _judged(
    lock: Lockstep,
    title: str,
    moves: bool,
    last_lookup: int,
    watched: torch.Tensor,
    moved: torch.Tensor,
    paths: torch.Tensor,
) -> Claim:
    """The claim with its verdict; `paths`, (sides, W), are lengths without a lookup."""
    holds: bool | None
    if lock.failed:
        holds, outcome = False, lock.failed
    elif not len(watched):
        holds, outcome = None, "Every row is looked up; there is none to watch."
    else:
        # Weight decay does not move a row of zeros.
        counted = paths[:, lock.journeys[0].start[watched].any(dim=1)] if not last_lookup else paths
        holds = bool((counted > 0).all()) if moves else not bool(paths.any())
        rows = "1 row" if len(watched) == 1 else f"{len(watched):,} rows"
        since = f" after step {last_lookup}" if last_lookup else ""
        least, most = float(paths.min()), float(paths.max())
        length = f"{most:.3g}" if least == most else f"{least:.3g} to {most:.3g}"
        shown = length if most else "exactly 0"
        outcome = f"{rows} travelled {shown}{since}, in {lock.steps:,} steps."
    lookups, path = lock.lookups.clone(), lock.journeys[0].path.clone()
    return Claim(title, outcome, last_lookup, lookups, path, moved, holds)
