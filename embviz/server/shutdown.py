"""The end of the server, bounded: SIGTERM or Ctrl+C ends the process within 4 s.

The server (uvicorn) waits for its connections to close, and Python for its threads to end, both
without limit. A visitor who never reads the response would keep both from ending.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

CONNECTIONS_S = 1.0  # for connections to close before their end is not waited for
CLEANUP_S = 3.0  # for the cleanup, after which the process ends in any case


def bound(cleanup: Callable[[], None]) -> None:
    """End the process in time after a signal; call in the main thread while the server starts.

    The handlers that the server has set by then run as well.

    Args:
        cleanup: ends child processes; it may run twice, and in another thread.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _handler(signal.getsignal(number), cleanup))


def _handler(
    earlier: Callable[[int, FrameType | None], object] | int | None, cleanup: Callable[[], None]
) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        threading.Thread(target=_end, args=(cleanup,), daemon=True).start()
        if callable(earlier):
            earlier(number, frame)

    return handle


def _end(cleanup: Callable[[], None]) -> None:
    time.sleep(CONNECTIONS_S)
    cleaning = threading.Thread(target=cleanup, daemon=True)
    cleaning.start()
    cleaning.join(CLEANUP_S)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
