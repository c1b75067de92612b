"""The training page's record and settings."""

from collections.abc import Iterable

from embviz.fact.table import MAX_EMBEDDING_DIM
from embviz.request.pages import Page, Reader, everything
from embviz.request.settings import Choice, Number, Text

MOST = 5_000  # steps that an address may ask for
NUMBER_CHARACTERS = 25  # of a float64 with all its digits, and of what separates it from the next


# Imported when a page asks for its choices: the first picture does not wait for these modules.
def _optimizers() -> Iterable[str]:
    from embviz.training.optimizers import OPTIMIZERS

    return OPTIMIZERS


def _rates() -> Iterable[str]:
    from embviz.training.optimizers import RATES

    return RATES


def _temperatures() -> Iterable[str]:
    from embviz.training.writing import TEMPERATURES

    return [f"{one:g}" for one in TEMPERATURES]


def _model(setting: Reader) -> frozenset[str]:
    if setting("lesson") != "write":
        return everything(setting)
    return frozenset({"seed"} | ({"input", "text"} if setting("corpus") == "own" else set()))


PAGE = Page(
    "training",
    "Training",
    (
        Choice(
            "lesson", "step", lambda: ("step", "unseen", "write"), help="The lesson.", whole=True
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
            "0",
            help="One number, or one for each dimension.",
            most=lambda: NUMBER_CHARACTERS * MAX_EMBEDDING_DIM,
        ),
        Choice("optimizer", "sgd", _optimizers, help="Of both layers."),
        Choice("rate", "1x", _rates, help="Times the optimizer's usual learning rate."),
        Choice(
            "batches",
            "fixed",
            lambda: ("fixed", "minibatch"),
            help="`fixed`: the whole text in every step. `minibatch`: 4 tokens drawn by seed, "
            "so that steps leave rows out.",
        ),
        Number("steps", 100, 0, MOST, help="Steps of both layers, side by side."),
        Choice(
            "corpus",
            "constitution",
            lambda: ("constitution", "own"),
            help="`constitution`: that of the United States, after their Declaration. "
            "`own`: the text above.",
            whole=True,
        ),
        Number("char_dim", 16, 2, 64, help="D: numbers in each row."),
        Number("learn_steps", 300, 0, MOST, help="Steps of the model that learns to write."),
        Choice(
            "temperature",
            "1",
            _temperatures,
            help="The scores are divided by it: below 1 the likely is likelier still.",
        ),
    ),
    _model,
    also=("token",),
)
