"""The components' scripts, which a browser caches without a time limit.

Streamlit sends the text of an inline component with every message that draws it. `publish` keeps
the text here, under a name that contains its hash, and a route serves it. The name changes with
the text, so that no browser shows an old one. Only published names are answered; nothing is read
from the disk.
"""

from __future__ import annotations

import threading
from hashlib import blake2b

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from embviz.server.addresses import under_base

_published: dict[str, str] = {}
LISTENER = "embviz_listener"  # comes before the first picture's script
asked = threading.Event()  # set when another published script has been sent


def publish(name: str, source: str) -> str:
    """Keep the source of a JavaScript module; its path is `<base>/assets/<name>-<hash>.js`."""
    file = f"{name}-{blake2b(source.encode(), digest_size=8).hexdigest()}.js"
    _published[file] = source
    return under_base(f"assets/{file}")


async def asset(request: Request) -> Response:
    """The source of a published name, 404 for any other."""
    file = request.path_params["file"]
    source = _published.get(file)
    if source is None:
        return Response("Not Found", 404, {"Cache-Control": "no-store"})
    sent = None if file.startswith(LISTENER) else BackgroundTask(asked.set)
    kept = {
        "Cache-Control": "public, max-age=31536000, immutable",  # a year
        "X-Content-Type-Options": "nosniff",
    }
    return Response(source, 200, kept, "text/javascript", sent)


def routes() -> list[Route]:
    """The route of the published sources."""
    return [Route(under_base("assets/{file}"), asset)]
