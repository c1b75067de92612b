"""How large a next-character model may be, so that one step stays short and the page free."""

from __future__ import annotations

import math

import torch

from embviz.core import bounds
from embviz.core.config import Config, ConfigError

MAX_ROWS = 2048  # rows V the model may have: its whole answer is a table of V x V
MAX_COLUMNS = 256
MAX_BATCH = 1024
MAX_STEPS = 20_000


def max_steps() -> int:
    """Steps in all: MAX_STEPS, or EMBVIZ_MAX_STEPS if those are fewer."""
    return min(MAX_STEPS, bounds.STEPS.value())


def check(config: Config, ids: torch.Tensor, lr: float, batch_size: int, every: int) -> None:
    """Refuse, before anything is built, what the model could not be trained with.

    Raises:
        ConfigError: `field` names the setting.
    """
    rows, columns = config.num_embeddings, config.embedding_dim
    if rows > MAX_ROWS:
        raise ConfigError(
            "num_embeddings",
            f"num_embeddings={rows:,} is too many to train here: up to {MAX_ROWS:,} rows are.",
        )
    if columns > MAX_COLUMNS:
        raise ConfigError(
            "embedding_dim",
            f"embedding_dim={columns:,} is too many to train here: up to {MAX_COLUMNS} are.",
        )
    if config.dtype not in ("float32", "float64"):
        raise ConfigError(
            "dtype",
            f"dtype='{config.dtype}' loses small steps when it is trained; choose float32.",
        )
    if not (math.isfinite(lr) and lr > 0):
        raise ConfigError("lr", f"A learning rate of {lr:g} is no number above 0.")
    if not 1 <= batch_size <= MAX_BATCH:
        raise ConfigError("batch_size", f"batch_size={batch_size:,} is not 1 to {MAX_BATCH:,}.")
    if every < 1:
        raise ConfigError("every", f"every={every:,} is not 1 or more steps.")
    if ids.dim() != 1 or len(ids) < 2:
        raise ConfigError("text", "To learn what comes next takes two characters or more.")
    if not 0 <= int(ids.min()) <= int(ids.max()) < rows:
        raise ConfigError(
            "num_embeddings",
            f"The text's ids run from {int(ids.min()):,} to {int(ids.max()):,}; the table has "
            f"rows 0 to {rows - 1:,}.",
        )
