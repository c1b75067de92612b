"""The server's end, bounded: a visitor who never answers must not keep it from stopping.

The server (uvicorn) waits for its connections to close, and Python for its threads to
end, both without limit. Together with what the engine takes, an end lasts under 5 s.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

GOODBYE_S = 1  # for visitors' connections to close
LAST_S = 3.0  # for everything else, after which the process ends as it is


def bound_goodbyes() -> None:
    """Give connections GOODBYE_S to close; call while the server starts, on its own thread."""
    handler = signal.getsignal(signal.SIGTERM)  # by now it is a method of uvicorn's server
    config = getattr(getattr(handler, "__self__", None), "config", None)
    if getattr(config, "timeout_graceful_shutdown", 0) is None:
        config.timeout_graceful_shutdown = GOODBYE_S  # type: ignore[union-attr]


def leave_for_good() -> None:
    """From now on the process has LAST_S to live."""
    timer = threading.Timer(LAST_S, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
