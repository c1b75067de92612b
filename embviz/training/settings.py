"""The settings of *Training*."""

from __future__ import annotations

from collections.abc import Iterable

from embviz.fact.table import MAX_EMBEDDING_DIM
from embviz.settings.kinds import Choice, Number, Text
from embviz.settings.page_record import Page, Reader, everything
from embviz.settings.worlds import LETTERS
from embviz.text.glossary import TERMS

MAX_STEPS = 5_000  # Steps that an address may ask for.
MAX_SIZE_STEPS = 2_000  # Steps of each of several models.
PRESS_STEPS = 100  # Steps of one press, and of the command.
BATCH = 4  # Tokens of a minibatch.
# Factors of an optimizer's usual learning rate.
RATES = {"0.1x": 0.1, "1x": 1.0, "10x": 10.0, "100x": 100.0}
# Divisors of the scores of what comes next: below 1 the likely is likelier still.
TEMPERATURES = {"0.5": 0.5, "1": 1.0, "2": 2.0}
NUMBER_CHARACTERS = 25  # Characters of a float64 with all its digits, and of a separator.


def _optimizers() -> Iterable[str]:
    from embviz.training.optimizers import OPTIMIZERS

    return OPTIMIZERS


def _training_model(setting: Reader) -> frozenset[str]:
    if setting("lesson") == "letters":
        return frozenset({"seed"})
    if setting("lesson") not in ("write", "size"):
        return everything(setting)
    return frozenset({"seed"} | ({"input", "text"} if setting("corpus") == "own" else set()))


PAGE = Page(
    "training",
    "Training",
    (
        Choice(
            "lesson",
            "step",
            lambda: ("letters", "step", "unseen", "write", "size"),
            help="The lesson; with the six letters it begins with `letters`.",
            sidebar=True,
        ),
        Choice(
            "loss",
            "mse",
            lambda: ("mse", "next"),
            help="`mse`: squared distance to the target. `next`: cross-entropy of the next token, "
            "scored by a head that learns too.",
        ),
        Text(
            "target",
            "wave",
            help="`wave`, `ramp` or `stripes`, one number, or one for each column.",
            most=lambda: NUMBER_CHARACTERS * MAX_EMBEDDING_DIM,
        ),
        Choice("optimizer", "sgd", _optimizers, help="Of both layers."),
        Choice("rate", "1x", lambda: RATES, help="Times the optimizer's usual learning rate."),
        Choice(
            "batches",
            "fixed",
            lambda: ("fixed", "minibatch"),
            help="`fixed`: the whole text in every step. "
            f"`minibatch`: {BATCH} tokens drawn by seed, so that steps leave rows out.",
        ),
        Number("steps", PRESS_STEPS, 0, MAX_STEPS, help="Steps of both layers, side by side."),
        Choice(
            "corpus",
            "constitution",
            lambda: ("constitution", "own"),
            help="`constitution`: that of the United States, after their Declaration. "
            "`own`: the text above.",
            sidebar=True,
        ),
        Number("char_dim", 16, 2, 64, help="D: numbers in each row."),
        Number("learn_steps", 300, 0, MAX_STEPS, help="Steps of the model of one character."),
        Number("size_steps", 300, 0, MAX_SIZE_STEPS, help="Steps of each model of another D."),
        Choice(
            "temperature",
            "1",
            lambda: TEMPERATURES,
            help=TERMS["temperature"].says,
        ),
    ),
    _training_model,
    also=("token",),
    example=LETTERS.text,
)
