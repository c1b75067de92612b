"""`/ready`: whether the server has imported everything, so that visitors may be sent to it.

Streamlit's own `/_stcore/health` says that the server listens; a first visitor may still wait for
an import then. The route reads one flag and starts nothing.
"""

from __future__ import annotations

import threading

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from embviz.server.addresses import under_base

warm = threading.Event()  # warm_up.py sets it after the imports


async def ready(_request: Request) -> JSONResponse:
    """200 after all imports, 503 before."""
    done = warm.is_set()
    return JSONResponse(
        {"ready": done},
        200 if done else 503,
        {"Cache-Control": "no-store"} | ({} if done else {"Retry-After": "2"}),
    )


def routes() -> list[Route]:
    """The route of `/ready`."""
    return [Route(under_base("ready"), ready)]
