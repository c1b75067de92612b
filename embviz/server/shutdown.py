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
from queue import SimpleQueue
from types import FrameType

CONNECTIONS_S = 1.0  # Seconds to wait for connections to close.
CLEANUP_S = 3.0  # Seconds of cleanup, after which the process ends in any case.


def end_in_time(cleanup: Callable[[], None]) -> None:
    """End the process in time after a signal; call in the main thread while the server starts.

    The handlers that the server has set by then run as well. The exit code is 128 + the signal's
    number, as a shell has it of a server that ends by itself, or 1 if the cleanup failed.

    Args:
        cleanup: ends child processes, in another thread.
    """
    signals: SimpleQueue[int] = SimpleQueue()
    done = threading.Event()

    def clean() -> None:
        signals.get()
        time.sleep(CONNECTIONS_S)
        cleanup()
        done.set()

    def end() -> None:
        number = signals.get()
        code = 128 + number if done.wait(CONNECTIONS_S + CLEANUP_S) else 1
        sys.stdout.flush()  # stderr is written line by line
        os._exit(code)

    for task in (clean, end):  # now: Python 3.12 starts no thread once the main thread has ended
        threading.Thread(target=task, daemon=True).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _handler(signal.getsignal(number), signals))


def _handler(earlier: object, signals: SimpleQueue[int]) -> Callable[..., None]:
    def handle(number: int, frame: FrameType | None) -> None:
        signals.put(number)  # `clean` takes it.
        signals.put(number)  # `end` takes it.
        if callable(earlier):
            earlier(number, frame)

    return handle
