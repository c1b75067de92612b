"""The cases that need a process of their own: asked for once, waited for by nobody.

A thread starts the child when somebody first opens the page, or the server
itself at its start. Pages read what is there, and look again a moment later
while it is not.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future

import streamlit as st

from embviz.limits.isolated import proofs_of_child
from embviz.limits.outcome import Proof
from embviz.server.scheduler import queued_fragment

WAIT = "It is being proved in a process of its own, for it changes a setting of the whole process."
LOOK_S = 0.7  # between two looks

AGAIN_S = 30.0  # after a child that failed

_lock = threading.Lock()
_started: tuple[Future[dict[str, Proof]], float] | None = None


def begin() -> None:
    """Start the child before anybody asks: where memory is short, before anybody measures too."""
    _future()


def proofs() -> dict[str, Proof]:
    """What the child proved, by name; empty as long as it works."""
    future = _future()
    return future.result() if future.done() else {}


def look_again() -> None:
    """While the child works, run the page again once it is done."""
    if not _future().done():
        queued_fragment(LOOK_S, _look)


def _look() -> None:
    if _future().done():
        st.rerun(scope="app")


def _future() -> Future[dict[str, Proof]]:
    global _started
    with _lock:
        if _started is None or _failed(*_started):
            future: Future[dict[str, Proof]] = Future()
            # No pool: Python would wait for its thread, and so for the child, before it ends.
            threading.Thread(
                target=_prove, args=(future,), name="embviz-limits", daemon=True
            ).start()
            _started = future, time.monotonic()
        return _started[0]


def _prove(future: Future[dict[str, Proof]]) -> None:
    try:
        future.set_result(proofs_of_child())
    except BaseException as error:  # told to whoever asks
        future.set_exception(error)


def _failed(future: Future[dict[str, Proof]], since: float) -> bool:
    """Whether the child proved nothing at all, a while ago: the next visitor tries again."""
    return (
        time.monotonic() - since > AGAIN_S
        and future.done()
        and all(proof.problem is None for proof in future.result().values())
    )
