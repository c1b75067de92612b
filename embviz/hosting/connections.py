"""Connections and open files: as many as the system allows, and none for those who ask nothing.

Each session holds three descriptors, each connection one. At the limit a server could accept
nobody, open no file, and would write of it in its log without end. So the limit is raised as far as
the system lets it, the sessions are as many as fit it, and a connection that does not ask is ended.
uvicorn itself ends a connection only if it is silent after an answer, not one that never asks.

It does not count bytes: a reverse proxy keeps slow clients away from the server.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any

import uvicorn

from embviz.hosting import messages
from embviz.system.bounds import SESSIONS, hosted

LOOK_S = 1.0  # seconds between two looks at all connections
SILENT_S = 10.0  # seconds in which the head of a request must have come
ANSWER_S = 300.0  # seconds that a request and its answer may take: a large upload, a slow phone
MOST_FILES = 65_536  # descriptors that the limit is raised to, at most
OF_SESSION = 3  # descriptors of a session: Streamlit makes an event loop for each
OF_VISITOR = 3  # connections of a browser at one time: a websocket, and files of the page
CLOSED_SESSIONS = 128  # sessions of lost connections that Streamlit keeps
RESERVED = 150  # descriptors of files, children and databases


@cache
def open_files() -> int:
    """Descriptors that this process may have, after its limit was raised as far as possible."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_FILES
    kind = resource.RLIMIT_NOFILE
    soft, hard = resource.getrlimit(kind)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    for limit in (most, 10_240):  # macOS takes no more than the second
        if soft != resource.RLIM_INFINITY and soft < limit:
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (limit, hard))
                break
    soft, _ = resource.getrlimit(kind)
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def fitting(files: int) -> int:
    """The visitors for whom so many descriptors are enough; at least one."""
    return max(1, (files - RESERVED - CLOSED_SESSIONS * OF_SESSION) // (OF_SESSION + OF_VISITOR))


def most_sessions() -> int:
    """Visitors that are connected at once: `EMBVIZ_MAX_SESSIONS`, or fewer for want of files."""
    return min(SESSIONS.value(), fitting(open_files()))


def warn() -> None:
    """Say on stderr where open files allow fewer visitors than were asked for."""
    asked, files = SESSIONS.value() if hosted() else SESSIONS.hosted, open_files()
    if fitting(files) < asked:
        print(
            f"embviz: {files:,} files may be open, enough for {fitting(files):,} visitors at once, "
            f"not {asked:,}. Raise it: `ulimit -Hn`, or LimitNOFILE in a unit of systemd.",
            file=sys.stderr,
        )


def serving() -> uvicorn.Server | None:
    """The server whose event loop this is, if it is one of uvicorn's."""
    for task in asyncio.all_tasks():
        coroutine = task.get_coro()
        if inspect.iscoroutine(coroutine):
            found = inspect.getcoroutinelocals(coroutine).get("self")
            if isinstance(found, uvicorn.Server):
                return found
    return None


def limit_messages(server: uvicorn.Server) -> None:
    """Set the bytes of a message that a connection may collect; before the server listens."""
    server.config.ws_max_size = messages.most_bytes()


async def watch(server: uvicorn.Server) -> None:
    """End what asks nothing, again and again, until the task is cancelled."""
    looks = Looks()
    while True:
        await asyncio.sleep(LOOK_S)
        most = open_files() - RESERVED - (CLOSED_SESSIONS + most_sessions()) * OF_SESSION
        now = asyncio.get_running_loop().time()
        for connection in looks.over(list(server.server_state.connections), now, most):
            connection.transport.abort()


class Looks:
    """When each connection began to be silent, or its request; a connection is one of uvicorn's."""

    def __init__(self) -> None:
        self._since: dict[Any, tuple[object, float]] = {}

    def over(self, connections: Iterable[Any], now: float, most: int) -> list[Any]:
        """Connections whose time is over, and silent ones above the number of `most`, latest first.

        Args:
            connections: all that are open; a websocket has no `cycle`, and none is ended.
            now: seconds of a clock that does not go back.
            most: connections that may be open.
        """
        since, over, silent, count = {}, [], [], 0
        for connection in connections:
            count += 1
            if not hasattr(connection, "cycle"):
                continue
            request = connection.cycle
            if request is not None and request.response_complete:
                request = None
            before, begun = self._since.get(connection, (request, now))
            since[connection] = request, begun if request is before else now
            if now - since[connection][1] > (SILENT_S if request is None else ANSWER_S):
                over.append(connection)
            elif request is None:
                silent.append(connection)
        self._since = since
        silent.sort(key=lambda one: since[one][1], reverse=True)
        return over + silent[: max(0, count - len(over) - most)]
