"""The settings of *Timing*."""

from __future__ import annotations

from functools import partial

from embviz.fact.dtypes import DTYPES
from embviz.settings.kinds import Choice, Choices, Number, Setting, Switch, Text
from embviz.settings.page_record import Page
from embviz.system.bounds import SWEEP_CASES
from embviz.timing.measure.axes import CACHES, DEVICES, MODES, PRECISIONS, VARY, Axis
from embviz.timing.measure.methods import METHODS, ROUTES
from embviz.timing.measure.timed import SIZES


def _fixed(axis: Axis) -> Setting:
    """The setting of an axis where it does not vary."""
    if axis.size:
        return Number(axis.parameter, axis.usual, *SIZES[axis.field], help=axis.title)
    return Choice(axis.parameter, axis.usual, partial(list, axis.values), help=axis.title)


MAX_TOKENS = SIZES["tokens"][1]  # Tokens of one call.
# Sizes of *My model*; those of a small GPT-2 until others are chosen.
MODEL_SIZES = (
    Number("model_rows", 50_257, *SIZES["num_embeddings"], help="V: rows of your model's table."),
    Number("model_dim", 768, *SIZES["embedding_dim"], help="D: numbers in a row."),
    Number("model_batch", 4, 1, MAX_TOKENS, help="Texts in a batch."),
    Number("model_length", 1_024, 1, MAX_TOKENS, help="Tokens in a text."),
    Choice("model_dtype", "float32", lambda: DTYPES, help="Dtype of the table."),
)
# Settings of a sweep: a change of one of them ends *My model*.
_SWEEP = (
    *("vary", "values", "methods", "mode", *(axis.parameter for axis in VARY.values())),
    *("repeat", "cache", "devices", "precision"),
)
_CACHES = "".join(f"\n- `{name}`: {cache.words}" for name, cache in CACHES.items())
PAGE = Page(
    "timing",
    "Timing",
    (
        Choice("vary", "vocab", lambda: VARY, help="What differs from point to point."),
        Text(
            "values",
            "",
            help="Of what varies, such as `64 4096`; empty: the usual ones.",
            # A number of seven digits, with commas, and a blank.
            most=lambda: 10 * SWEEP_CASES.value(),
            ends_with=("vary",),
        ),
        Choices("methods", list(ROUTES), lambda: METHODS),
        Choice("mode", "forward", lambda: MODES),
        *map(_fixed, VARY.values()),
        Choice(
            "repeat",
            "1",
            lambda: ("1", "5", "10"),  # Two to four processes tell nothing apart.
            help="Fresh processes, each of which measures everything.",
        ),
        Choices("cache", ["same"], lambda: CACHES, help=f"What each call looks up.{_CACHES}"),
        # All that there are: a question about a GPU has a recorded run to show on every machine.
        Choices("devices", ["cpu"], lambda: DEVICES),
        Choices(
            "precision",
            ["highest"],
            lambda: PRECISIONS,
            help="Of float32 products on a CUDA GPU: `high` allows TF32.",
        ),
        Switch(
            "my_model",
            False,
            help="Time the sizes of one model, and nothing else.",
            ends_with=_SWEEP,
        ),
        *MODEL_SIZES,
    ),
    fields=True,
)
