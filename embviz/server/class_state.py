"""The route `class/state`: whether the teacher has paused, revealed or ended; for members."""

from __future__ import annotations

from starlette.routing import Route


def routes() -> list[Route]:
    """The route, under the server's base path."""
    return []
