"""The timing page's record and settings."""

from embviz.core.config import available_devices
from embviz.core.dtypes import DTYPES
from embviz.core.machine import default_threads, most_threads
from embviz.request.pages import Page
from embviz.request.settings import Choice, Choices, Ends, Names, Number
from embviz.timing import settings as timing
from embviz.timing.methods import DEFAULT_METHODS, METHODS

PAGE = Page(
    "timing",
    "Timing",
    (
        Choice("vary", "vocab", lambda: timing.VARY, help="What differs from point to point."),
        Ends(
            "span",
            ("64", "65536"),
            lambda: [str(2**k) for k in range(21)],
            help="Smallest and largest value.",
        ),
        Choices("methods", list(DEFAULT_METHODS), lambda: METHODS, help="The methods timed."),
        Choices("devices", ["cpu"], available_devices, help="Devices, side by side."),
        Choices("cache", ["same"], lambda: timing.CACHES, help="What each call looks up."),
        Choice("pass", "forward", lambda: timing.PASSES, help="What is timed."),
        Choice("skew", "uniform", lambda: timing.SKEWS, help="How ids are drawn."),
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
        Names("machines", [timing.HERE], lambda: (), help="Machines of the cluster, side by side."),
    ),
)
