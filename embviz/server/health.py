"""`/ready`: whether the server has imported everything, for whoever sends visitors to it.

Streamlit's own `/_stcore/health` says that it listens; this says that the first
visitor will not wait for an import. It looks at one flag and starts nothing.
"""

from __future__ import annotations

import threading

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

warm = threading.Event()  # set by app.py once the imports are done


async def ready(_request: Request) -> JSONResponse:
    """200 once all imports are done, 503 before."""
    done = warm.is_set()
    return JSONResponse(
        {"ready": done},
        200 if done else 503,
        {"Cache-Control": "no-store"} | ({} if done else {"Retry-After": "2"}),
    )


ROUTES = [Route("/ready", ready)]
