"""Variants of a colour `#rrggbb` and points on a colour scale. The theme gives the colours."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

# By step: shift of the hue (1 is a full circle), and share of the neutral colour mixed in.
SHADES = (
    *((0, 0), (0.03, 0), (-0.03, 0), (0, 0.5), (0.03, 0.4), (-0.03, 0.5)),
    *((0.05, 0), (-0.05, 0), (0.05, 0.3), (-0.05, 0.3)),
)


def shaded(colour: str, neutral: str, step: int) -> str:
    """A variant of a colour, of about the same contrast."""
    turn, share = SHADES[step]
    hue, light, full = colorsys.rgb_to_hls(*_rgb(colour))
    turned = colorsys.hls_to_rgb((hue + turn) % 1, light, full)
    mixed = ((1 - share) * a + share * b for a, b in zip(turned, _rgb(neutral), strict=True))
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)


def muted(colours: Sequence[str]) -> list[str]:
    """Colours of lookup, matmul and a neutral one, the first two half way to the neutral one."""
    first, second, neutral = colours[:3]
    return [shaded(first, neutral, 3), shaded(second, neutral, 3), neutral]


def translucent(colour: str, opacity: float) -> str:
    """The colour as CSS with an opacity from 0 to 1."""
    red, green, blue = (round(255 * part) for part in _rgb(colour))
    return f"rgba({red},{green},{blue},{opacity})"


def _rgb(colour: str) -> tuple[float, float, float]:
    """Red, green and blue from 0 to 1."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def scale(colours: Sequence[str]) -> list[list[float | str]]:
    """Colours at equal distances, as plotly writes a scale.

    >>> scale(["#000000", "#888888", "#ffffff"])
    [[0.0, '#000000'], [0.5, '#888888'], [1.0, '#ffffff']]
    """
    return [[place / (len(colours) - 1), one] for place, one in enumerate(colours)]


def shade(share: float, colours: Sequence[str]) -> str:
    """The colour at a position on a scale, from 0 to 1; NaN is at 0."""
    place = min(1.0, max(0.0, share)) * (len(colours) - 1) if share == share else 0.0
    low = min(int(place), len(colours) - 2)
    pairs = zip(_rgb(colours[low]), _rgb(colours[low + 1]), strict=True)
    mixed = [a + (place - low) * (b - a) for a, b in pairs]
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)
