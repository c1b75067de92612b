"""Requests of students' pages that wait until their class has news for them.

All requests that wait in one class share one look each LOOK_S: a function given by the route asks
the database in a thread, then each request is compared. A request ends when its page has left.
This module answers no request, and does not limit how many wait.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request

from embviz.classes.record import ClassError, StoreError

HOLD_S = 15.0  # the longest that a page waits; proxies end a request after 30 s or more
LOOK_S = 1.0  # between two looks
News = asyncio.Future[None]


class Waiting:
    """All requests of this server that wait.

    Args:
        look: takes in what is new in the class of a code.
        told: what the member of a code and a token is told now, from memory.
    """

    def __init__(
        self, look: Callable[[str], Awaitable[None]], told: Callable[[str, str], Any]
    ) -> None:
        self._look, self._told = look, told
        self._of: dict[str, dict[News, tuple[str, Any]]] = {}  # by code
        self._looking: dict[str, asyncio.Task[None]] = {}

    async def news(self, request: Request, code: str, token: str, first: Any) -> None:
        """Return when the member is told something else than `first`, or after HOLD_S.

        It returns too when the class cannot be asked: the caller's own look says why.
        """
        loop = asyncio.get_running_loop()
        news, left = loop.create_future(), loop.create_task(_left(request))
        waiting = self._of.setdefault(code, {})
        waiting[news] = token, first
        if code not in self._looking:
            self._looking[code] = loop.create_task(self._look_again(code))
        try:
            await asyncio.wait({news, left}, timeout=HOLD_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
            del waiting[news]

    async def _look_again(self, code: str) -> None:
        """Look until nobody waits in this class."""
        waiting = self._of[code]
        try:
            with contextlib.suppress(ClassError, StoreError):
                while waiting:
                    await asyncio.sleep(LOOK_S)
                    await self._look(code)
                    for news, (token, first) in waiting.items():
                        if not news.done() and self._told(code, token) != first:
                            news.set_result(None)
        finally:
            del self._of[code], self._looking[code]
            for news in waiting:
                if not news.done():
                    news.set_result(None)


async def _left(request: Request) -> None:
    """Return when the page has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
