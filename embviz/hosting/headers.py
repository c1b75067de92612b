"""The headers of every answer: what a page may load, whom it may ask, who may show it in a frame.

The policy names this server alone. Streamlit's page has one script in its text, which is allowed by
its digest; its components need `blob:`, its tables `wasm-unsafe-eval`.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from embviz.text.refused import Refused
from embviz.text.wording import quote

# Origins whose pages may show embviz in a frame, besides its own.
FRAMES = "EMBVIZ_FRAMES"
_ORIGIN = re.compile(r"https?://(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:[0-9]{1,5})?", re.IGNORECASE)
_INDEX = Path(streamlit.__file__).parent / "static" / "index.html"
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def framing() -> list[str]:
    """The origins that `EMBVIZ_FRAMES` names, with spaces between them.

    Raises:
        Refused: one is no origin, such as `https://course.example.org`.
    """
    named = os.environ.get(FRAMES, "").split()
    for origin in named:
        if not _ORIGIN.fullmatch(origin):
            raise Refused(
                f"{FRAMES} has {quote(origin)}, which is no origin. Write scheme and name, such as "
                "https://course.example.org or https://*.example.org, with spaces between them."
            )
    return named


@cache
def policy() -> str:
    """The content security policy of all pages (W3C, CSP level 3)."""
    digests = [
        base64.b64encode(hashlib.sha256(script).digest()).decode()
        for script in _SCRIPT.findall(_INDEX.read_bytes())
    ]
    scripts = " ".join(f"'sha256-{digest}'" for digest in digests)
    rules = {
        "default-src": "'none'",
        "script-src": f"'self' blob: 'wasm-unsafe-eval' {scripts}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(["'self'", *framing()]),
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class Safe:
    """ASGI middleware that adds these headers to every answer that lacks them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._added = {
            "Content-Security-Policy": policy(),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._added.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)
