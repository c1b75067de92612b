"""The route `class/start`: makes a class, and gives the browser the cookie of its teacher."""

from __future__ import annotations

from starlette.routing import Route


def routes() -> list[Route]:
    """The route, under the server's base path."""
    return []
