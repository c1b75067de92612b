"""The timing page's record and settings."""

from functools import partial

from embviz.request.pages import Page
from embviz.request.settings import Choice, Choices, Number, Setting, Text
from embviz.system.bounds import CASES
from embviz.system.devices import available_devices
from embviz.timing.axes import CACHES, MODES, VARY, Axis
from embviz.timing.methods import METHODS, ROUTES
from embviz.timing.timed import SIZES


def _fixed(axis: Axis) -> Setting:
    """What an axis is where it does not vary."""
    if axis.size:
        return Number(axis.parameter, axis.usual, *SIZES[axis.field], help=axis.title)
    return Choice(axis.parameter, axis.usual, partial(list, axis.values), help=axis.title)


_CACHES = "".join(f"\n- `{name}`: {one.words}" for name, one in CACHES.items())
PAGE = Page(
    "timing",
    "Timing",
    (
        Choice("vary", "vocab", lambda: VARY, help="What differs from point to point."),
        Text(
            "values",
            "",
            help="Of what varies, such as `64 4096`; empty: the usual ones.",
            most=lambda: 10 * CASES.value(),  # a number of seven digits, with commas, and a blank
        ),
        Choices("methods", list(ROUTES), lambda: METHODS),
        Choice("mode", "forward", lambda: MODES),
        *map(_fixed, VARY.values()),
        Number("repeat", 1, 1, 4, help="Fresh processes, each of which measures everything."),
        Choices("cache", ["same"], lambda: CACHES, help=f"What each call looks up.{_CACHES}"),
        Choices("devices", ["cpu"], available_devices),
    ),
)
