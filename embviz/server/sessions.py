"""The sessions of closed tabs end within a minute, and the system gets their memory back.

Streamlit keeps the session of a lost connection for `server.disconnectedSessionTTL` seconds, so
that its visitor may return. After that it forgets the session only when another one is lost. What
the session held then waits for a full collection of garbage, which Python begins by objects and not
by bytes. So this module ends such sessions, in the last seconds of that time, and collects. Later
Streamlit would not find them any more, but hold them until another one is lost.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time

import streamlit as st
from streamlit import runtime

from embviz.server import memory
from embviz.server.scheduler import run_queue

LOOK_S = 1.0  # seconds between two looks at the sessions
EARLY_S = 5.0  # seconds before Streamlit's time: a busy server looks late
FREE_S = 5.0  # seconds between two collections: each stops all others for 2 to 11 ms
# Collections after a session has ended. Streamlit may still hold it during the first one.
COLLECTIONS = 3
_LOGGER = logging.getLogger("embviz")


class Sessions:
    """The sessions whose page has run, until they are ended.

    Attributes:
        lost: by session the time on `time.monotonic` since which it has no connection, or None.
    """

    def __init__(self) -> None:
        self.lost: dict[str, float | None] = {}

    def note(self, session: str) -> None:
        """A page runs in this session; any thread may say so."""
        self.lost.setdefault(session, None)

    async def watch(self) -> None:
        """End sessions and give memory back, until the task is cancelled."""
        trim, freed, due = memory.trimmer(), time.monotonic(), 0
        while True:
            await asyncio.sleep(LOOK_S)
            now = time.monotonic()
            if self.end_lost(now):
                due = COLLECTIONS
            if due and now - freed >= FREE_S:
                await asyncio.to_thread(gc.collect)
                if trim:
                    await asyncio.to_thread(trim)
                freed, due = now, due - 1

    def end_lost(self, now: float) -> int:
        """End the sessions whose visitors have not returned in time; on the event loop.

        Returns:
            How many.
        """
        if not runtime.exists():
            return 0
        server, ended = runtime.get_instance(), 0
        kept_s = st.get_option("server.disconnectedSessionTTL")
        kept_s -= min(EARLY_S, kept_s / 2)
        for session, since in [*self.lost.items()]:
            if server.is_active_session(session):
                self.lost[session] = None
            elif since is None:
                self.lost[session] = now
            elif now - since >= kept_s:
                del self.lost[session]
                run_queue.forget(session)
                ended += 1
                try:
                    server.close_session(session)
                except Exception:  # A release failed; the other sessions must end all the same.
                    _LOGGER.exception("A session did not end")
        return ended


sessions = Sessions()
