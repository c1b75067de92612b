"""A child process that runs one of our modules and speaks JSON lines: start, send, receive, end.

The timing worker and the child of the limits page start this way. This module does not know what
a line means. It skips a line that is no JSON object, such as a torn last one.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from embviz.text.wording import printable

ROOT = Path(__file__).resolve().parents[2]
_running: set[Child] = set()


class ChildError(Exception):
    """A child did not start, ended early or took too long; the text is a sentence, no full stop."""


class Child:
    """One child process.

    Args:
        name: its name in error messages, like "the worker process".
        module: that `python -m` runs.
        arguments: of the module.
        environment: variables that it gets beside those of this process; None removes one.

    Raises:
        ChildError: the system cannot start another process.
    """

    def __init__(
        self,
        name: str,
        module: str,
        *arguments: str,
        environment: Mapping[str, str | None] | None = None,
    ) -> None:
        self._name = name
        variables = {**os.environ, **(environment or {})}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `end` closes it
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, our own interpreter
                [sys.executable, "-m", module, *arguments],
                cwd=ROOT,  # `-m` finds the package there
                env={key: value for key, value in variables.items() if value is not None},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,  # Ctrl+C must reach the parent alone
            )
        except OSError as error:
            self._errors.close()
            raise ChildError(f"{name} did not start ({error})") from error
        assert self._process.stdin
        self._stdin = self._process.stdin
        _running.add(self)
        self._lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._read_lines, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def killed(self) -> bool:
        """Whether a signal has ended the process."""
        return (self._process.poll() or 0) < 0

    def send(self, message: object) -> None:
        """Write one line.

        Raises:
            ChildError: the process has ended.
        """
        try:
            self._stdin.write(json.dumps(message).encode() + b"\n")
            self._stdin.flush()
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
        with suppress(OSError):  # Its last bytes may not be written.
            self._stdin.close()
        self._errors.close()
        _running.discard(self)

    def _read_lines(self) -> None:
        assert self._process.stdout
        with self._process.stdout as lines:
            for line in lines:
                with suppress(ValueError):  # not JSON
                    message = json.loads(line)
                    if isinstance(message, dict):  # None marks the end
                        self._lines.put(message)
        self._lines.put(None)

    def _how_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        if self.killed:
            return f"{self._name} was killed (signal {-self._process.returncode})"
        lines = [b"no message"]
        with suppress(ValueError):  # `end` closes the file
            self._errors.seek(0)
            lines += self._errors.read().strip().splitlines()
        last = lines[-1].decode("utf-8", "replace")[:200]
        text = "".join(map(printable, last)).rstrip(".")
        return f"{self._name} ended with exit code {self._process.returncode}: {text}"


@atexit.register
def end_children() -> None:
    """End all children: this process is about to end."""
    children = list(_running)
    for child in children:
        child._process.kill()  # Kill them all first: closing the pipes of one may take long.
    for child in children:
        child.end()
