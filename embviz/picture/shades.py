"""Variants of a colour `#rrggbb`. The theme gives the colours."""

from __future__ import annotations

import colorsys

# By step: shift of the hue (1 is a full circle), and share of the neutral colour mixed in.
SHADES = (
    *((0, 0), (0.03, 0), (-0.03, 0), (0, 0.5), (0.03, 0.4), (0.12, 0.2)),
    *((0.05, 0), (-0.05, 0), (0.05, 0.3)),
)


def shaded(colour: str, neutral: str, step: int) -> str:
    """A variant of a colour, of about the same contrast."""
    turn, share = SHADES[step]
    hue, light, full = colorsys.rgb_to_hls(*_rgb(colour))
    turned = colorsys.hls_to_rgb((hue + turn) % 1, light, full)
    mixed = ((1 - share) * a + share * b for a, b in zip(turned, _rgb(neutral), strict=True))
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)


def _rgb(colour: str) -> tuple[float, float, float]:
    """Red, green and blue from 0 to 1."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue
