"""The components' scripts, which a browser caches without a time limit.

Streamlit sends the text of an inline component with every message that draws it. `publish` keeps
the texts here, below one address that contains the hash of all of them, and a route serves them.
The address changes with any text, so that no browser mixes old and new ones. Only published names
are answered; nothing is read from the disk.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from hashlib import blake2b

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from embviz.server.addresses import under_base

_published: dict[tuple[str, str], str] = {}  # by the hash and the name
LISTENER = "ui/frame/listen.js"  # comes before the first picture's script
first_sent = threading.Event()  # set once a script that draws a picture has been sent


def publish(files: Mapping[str, str]) -> str:
    """Keep the texts of scripts by their names.

    Returns:
        Their folder below the base path: `assets/<hash of all>`. A browser asks for
        `<base>/assets/<hash>/<try>/<name>`: whatever stands for the try, the text is the same.
    """
    texts = json.dumps(sorted(files.items())).encode()
    digest = blake2b(texts, digest_size=8).hexdigest()
    for name, text in files.items():
        _published[digest, name] = text
    return f"assets/{digest}"


async def asset(request: Request) -> Response:
    """The text of a published name, 404 for any other."""
    name = request.path_params["name"]
    text = _published.get((request.path_params["digest"], name))
    if text is None:
        return Response("Not Found", 404, {"Cache-Control": "no-store"})
    sent = None if name == LISTENER else BackgroundTask(first_sent.set)
    kept = {
        "Cache-Control": "public, max-age=31536000, immutable",  # a year
        "X-Content-Type-Options": "nosniff",
    }
    return Response(text, 200, kept, "text/javascript", sent)


def routes() -> list[Route]:
    """The route of the published scripts."""
    return [Route(under_base("assets/{digest}/{again}/{name:path}"), asset)]
