"""A child process that runs one of our commands and speaks JSON lines: start, send, receive, end.

The timing worker and the child of the limits page start this way. This module does not know what
a line means. It skips a line that is not JSON, such as the last one of a process that was killed.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embviz.core.wording import printable

ROOT = Path(__file__).resolve().parents[2]
_running: set[Child] = set()


class ChildError(Exception):
    """A child did not start, ended early or took too long; the text is a sentence, no full stop."""


class Child:
    """One child process.

    Args:
        name: its name in error messages, like "the worker process".
        arguments: of `python -m embviz`.
        environment: variables that it gets beside those of this process; None removes one.

    Raises:
        ChildError: the system cannot start another process.
    """

    def __init__(
        self, name: str, *arguments: str, environment: Mapping[str, str | None] | None = None
    ) -> None:
        self._name = name
        variables = {**os.environ, **(environment or {})}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, our own interpreter
                [sys.executable, "-m", "embviz", *arguments],
                cwd=ROOT,  # `-m` finds the package there
                env={one: value for one, value in variables.items() if value is not None},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl+C must reach the parent alone
            )
        except OSError as error:
            raise ChildError(f"{name} did not start ({error})") from error
        _running.add(self)
        self._lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=5)
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._error_reader.start()
        threading.Thread(target=self._read_lines, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    @property
    def killed(self) -> bool:
        """Whether a signal has ended the process."""
        return (self._process.poll() or 0) < 0

    def send(self, message: object) -> None:
        """Write one line.

        Raises:
            ChildError: the process has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ChildError(self._how_it_ended()) from error

    def receive(self, timeout_s: float) -> dict[str, Any] | None:
        """The next line, or None when no line came in time.

        Raises:
            ChildError: the process has ended, and all its lines were received.
        """
        try:
            line = self._lines.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)  # the next call raises too
            raise ChildError(self._how_it_ended())
        return line

    def end(self) -> None:
        """Kill the process and wait until it is gone; a second call does nothing."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        _running.discard(self)

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):  # `end` closes the stream
            for line in self._process.stdout:
                with contextlib.suppress(ValueError):  # not JSON
                    self._lines.put(json.loads(line))
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stderr:
                self._errors.append(line.decode("utf-8", "replace").strip())

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        code = self._process.returncode
        if code is not None and code < 0:
            return f"{self._name} was killed (signal {-code})"
        self._error_reader.join(timeout=2)
        last = self._errors[-1] if self._errors else "no message"
        text = "".join(printable(character) for character in last[:200])
        return f"{self._name} ended with exit code {code}: {text.rstrip('.')}"


@atexit.register
def end_children() -> None:
    """End all children: this process is about to end."""
    children = list(_running)
    for child in children:
        child._process.kill()  # all of them first: closing the pipes of one may take long
    for child in children:
        child.end()
