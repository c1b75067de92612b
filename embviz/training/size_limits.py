"""Limits of what is trained, so that one training step stays short."""

from __future__ import annotations

import math

import torch

from embviz.core import bounds
from embviz.core.config import Config, ConfigError
from embviz.core.dtypes import WIDE

MAX_ROWS = 2048  # V; the model's answers are a table of V x V
MAX_COLUMNS = 256
MAX_STEPS = 20_000
MAX_NUMBERS = 2_000_000  # V * D of a table that is trained in single steps
TRAINED_DTYPES = tuple(WIDE)  # in float16 Adam's eps is 0, and 0 / 0 is NaN


def check_numbers(rows: int, columns: int, what: str) -> None:
    """Refuse a table of more than MAX_NUMBERS numbers.

    Args:
        rows: V.
        columns: D.
        what: the words before the limit, like "training takes up to".

    Raises:
        ConfigError: shows the arithmetic.
    """
    if (numbers := rows * columns) > MAX_NUMBERS:
        raise ConfigError(
            f"A table of {rows:,} x {columns:,} has {numbers:,} numbers; {what} {MAX_NUMBERS:,}. "
            "Choose fewer rows or columns."
        )


def max_steps() -> int:
    """The most steps of one training: MAX_STEPS, or EMBVIZ_MAX_STEPS if that is less."""
    return min(MAX_STEPS, bounds.STEPS.value())


def check(config: Config, ids: torch.Tensor, lr: float) -> None:
    """Refuse settings that the next-character model cannot take, before anything is built.

    Raises:
        ConfigError: names the setting.
    """
    rows, columns = config.num_embeddings, config.embedding_dim
    if rows > MAX_ROWS:
        raise ConfigError(
            f"num_embeddings={rows:,} is too many to train here: up to {MAX_ROWS:,} rows are.",
        )
    if columns > MAX_COLUMNS:
        raise ConfigError(
            f"embedding_dim={columns:,} is too many to train here: up to {MAX_COLUMNS} are.",
        )
    if config.dtype not in TRAINED_DTYPES:
        raise ConfigError(
            f"dtype='{config.dtype}' loses small steps when it is trained; choose float32.",
        )
    if not (math.isfinite(lr) and lr > 0):
        raise ConfigError(f"A learning rate of {lr:g} is no number above 0.")
    if ids.dim() != 1 or len(ids) < 2:
        raise ConfigError("To learn what comes next takes two characters or more.")
    if not 0 <= int(ids.min()) <= int(ids.max()) < rows:
        raise ConfigError(
            f"The text's ids run from {int(ids.min()):,} to {int(ids.max()):,}; the table has "
            f"rows 0 to {rows - 1:,}.",
        )
