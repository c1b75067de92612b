"""Which rows move without being looked up: claims about optimizers, measured on the user's text.

There are two questions. Does a row that no step looks up stay where it is? Does a row stay after
its last lookup? "Stays" means that it moves by exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from embviz.core.config import Config
from embviz.core.refused import Refused
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
        path: (V,), the sum over all steps of how far each row of the embedding moved.
        moved: (steps,), the largest movement of a watched row of the embedding in each step.
        holds: whether the measurement agrees with the claim; None if there is no row to watch.
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
    watched = torch.bincount(ids.flatten(), minlength=config.num_embeddings) == 0
    moves = lock.optimizer.moves_unseen_rows
    if moves:  # weight decay does not move a row of zeros
        watched &= lock.start.any(dim=1).cpu()
    title = f"Rows never looked up {'move' if moves else 'stay'} under {lock.optimizer.label}"
    return _claim(lock, title, moves, 0, watched)


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
        Refused: the ids are all the same.
    """
    looked_up = ids.flatten()
    token = int(looked_up.mode().values)
    others = looked_up != token
    if not bool(others.any()):
        raise Refused(
            f"To leave out id {token} after a while, the text must hold it and at least one other."
        )
    batches = until(LOOKED_UP, others)
    lock = Lockstep(config, ids, optimizer=optimizer, loss=LOSS, batches=batches, table=table)
    watched = torch.arange(config.num_embeddings) == token
    moves = lock.optimizer.moves_after_lookup
    # If the linear layer has another optimizer, the claim is about the embedding only.
    name = lock.optimizer.embedding_label or lock.optimizer.label
    title = f"A row {'moves on' if moves else 'stays'} after its last lookup under {name}"
    return _claim(lock, title, moves, LOOKED_UP, watched)


def _claim(
    lock: Lockstep, title: str, moves: bool, last_lookup: int, watched: torch.Tensor
) -> Claim:
    """Train, and judge how far the rows of `watched`, bool (V,), travel after the last lookup."""
    tables, steps = lock.tables(), []
    while lock.steps < STEPS and lock.advance(1):
        before, tables = tables, lock.tables()
        steps.append((tables - before).norm(dim=2).cpu())
    moved = torch.stack(steps) if steps else torch.zeros(0, 2, len(watched))  # (steps, 2, V)
    sides = 1 if last_lookup and lock.optimizer.embedding_label else 2
    paths = moved[last_lookup:, :sides, watched].sum(dim=0)
    holds: bool | None
    if lock.failed:
        holds, outcome = False, lock.failed
    elif not paths.numel():
        holds, outcome = None, "No row is left to watch: each is looked up, or is all zeros."
    else:
        holds = bool((paths > 0).all()) if moves else not bool(paths.any())
        rows = "1 row" if paths.shape[1] == 1 else f"{paths.shape[1]:,} rows"
        since = f" after step {last_lookup}" if last_lookup else ""
        least, most = float(paths.min()), float(paths.max())
        length = f"{most:.3g}" if least == most else f"{least:.3g} to {most:.3g}"
        shown = length if most else "exactly 0"
        outcome = f"{rows} travelled {shown}{since}, in {lock.steps:,} steps."
    of_embedding = moved[:, 0]
    largest = torch.where(watched, of_embedding, 0.0).amax(dim=1)
    lookups = lock.lookups.cpu()
    return Claim(title, outcome, last_lookup, lookups, of_embedding.sum(dim=0), largest, holds)
