"""The timing page's record and settings."""

from collections.abc import Mapping
from typing import Any

from embviz.core.config import available_devices
from embviz.core.dtypes import DTYPES
from embviz.core.machine import default_threads, most_threads
from embviz.request.pages import Page
from embviz.request.settings import Choice, Choices, Ends, Number
from embviz.timing.axes import CACHES, MODES, SKEWS, VARY
from embviz.timing.case import ROUNDS
from embviz.timing.methods import METHODS, ROUTES


def _words(records: Mapping[str, Any]) -> str:
    return "".join(f"\n- `{name}`: {one.words}" for name, one in records.items())


PAGE = Page(
    "timing",
    "Timing",
    (
        Choice("vary", "vocab", lambda: VARY, help="What differs from point to point."),
        Ends(
            "span",
            ("64", "65536"),
            lambda: [str(2**k) for k in range(21)],
            help="Smallest and largest value.",
        ),
        Choices("methods", list(ROUTES), lambda: METHODS, help="The methods timed."),
        Choices("devices", ["cpu"], available_devices, help="Devices, side by side."),
        Choices(
            "cache",
            ["same"],
            lambda: CACHES,
            help=f"What each call looks up.{_words(CACHES)}",
        ),
        Choice(
            "mode",
            "forward",
            lambda: MODES,
            help="What is timed.",
        ),
        Choice(
            "skew",
            "uniform",
            lambda: SKEWS,
            help=f"How ids are drawn.{_words(SKEWS)}",
        ),
        Number("time_rows", 4096, 1, 2**20, help="Rows of the table, where they do not vary."),
        Number("time_dim", 64, 1, 2**12, help="`embedding_dim`, where it does not vary."),
        Number("time_tokens", 256, 1, 2**14, help="Ids looked up at once, where not varied."),
        Choice("time_dtype", "float32", lambda: DTYPES, help="Dtype, where it does not vary."),
        Number(
            "threads",
            default_threads(),
            1,
            most_threads()[0],
            help="PyTorch's threads, where they do not vary.",
        ),
        Choice(
            "rounds",
            str(ROUNDS),
            lambda: [str(ROUNDS * k) for k in range(1, 5)],
            help=f"Each {ROUNDS} rounds have a fresh process.",
        ),
    ),
)
