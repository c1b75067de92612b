"""What a hosted server says of its work: one JSON object a line, on stderr.

A line for each sweep that waits, begins or ends, and for each request that a
limit refused: numbers and names of limits, never a word that somebody typed. At
most LINES lines a minute; one more counts those left out. A forged message that
makes Streamlit itself fail is one such line, and not the traceback that anybody
could fill the disk with. On somebody's own machine nothing of this is written:
the console is theirs.
"""

from __future__ import annotations

import datetime
import json
import logging
import sys
import threading
import time
import traceback
from pathlib import Path

import streamlit as st

from embviz.core import bounds
from embviz.core.bounds import Bound
from embviz.timing.sweep import Sweep

LINES = 20  # a minute, lest a crowd fill the disk with them
MINUTE_S = 60.0
ROOT = Path(__file__).resolve().parents[2]
_OURS = (str(ROOT / "embviz"), str(ROOT / "pages"))
_STREAMLIT = str(Path(st.__file__).parent)
_SERVERS = ("streamlit", "uvicorn")  # who writes of what a browser sent
LONGEST = 300  # characters of a line of theirs, which may quote a message of megabytes


class Log:
    """Writes lines, and counts those that are too many."""

    def __init__(self, lines: int = LINES, minute_s: float = MINUTE_S) -> None:
        self._lines, self._minute_s = lines, minute_s
        self._lock = threading.Lock()
        self._since = self._written = self._left_out = 0.0

    def say(self, event: str, **numbers: int | float | str) -> None:
        """Write one line, or count it."""
        with self._lock:
            now = time.monotonic()
            if now - self._since >= self._minute_s:
                self._count()
                self._since, self._written = now, 0
            if self._written < self._lines:
                self._written += 1
                _write({"event": event, **numbers})
                return
            self._left_out += 1
            if self._left_out == 1:  # whatever comes later, or does not
                timer = threading.Timer(self._since + self._minute_s - now, self.count)
                timer.daemon = True
                timer.start()

    def count(self) -> None:
        """Say how many lines were left out, if any were."""
        with self._lock:
            self._count()

    def _count(self) -> None:
        if self._left_out:
            _write({"event": "left out", "lines": int(self._left_out)})
            self._left_out = 0


def _write(line: dict[str, object]) -> None:
    time_ = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    print(json.dumps({"time": time_, **line}), file=sys.stderr, flush=True)


log = Log()


def sweep_changed(sweep: Sweep) -> None:
    """Say that a sweep waits, begins or is over."""
    numbers: dict[str, int | float] = {"cases": len(sweep.cases)}
    if not sweep.active:
        numbers |= {"done": sweep.done_cases, "seconds": round(sweep.wall_s, 2)}
    if sweep.cut:
        numbers["limit_s"] = sweep.limit_s
    log.say("sweep", state=sweep.state, **numbers)


def refused(bound: Bound) -> None:
    """Say that somebody asked for more than a limit allows."""
    log.say("refused", limit=bound.name, allowed=bound.value(), unit=bound.unit)


class Brief(logging.Filter):
    """One line where Streamlit failed over a message; a failure of embviz's own is told whole."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written as it is."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            if len(said := record.getMessage()) > LONGEST:
                record.msg, record.args = f"{said[:LONGEST]} …", ()
            return True
        places = [
            (frame.f_code.co_filename, line)
            for frame, line in traceback.walk_tb(error.__traceback__)
        ]
        last = {True: -1, False: -1}
        for number, (file, _) in enumerate(places):
            if file.startswith((*_OURS, _STREAMLIT)):
                last[file.startswith(_STREAMLIT)] = number
        if last[False] > last[True] or last[True] < 0:
            return True
        file, line = places[last[False] if last[False] >= 0 else last[True]]
        inside = Path(file).relative_to(ROOT if last[False] >= 0 else Path(_STREAMLIT).parent)
        log.say("failed", error=type(error).__name__, at=f"{inside.as_posix()}:{line}")
        return False


def start() -> None:
    """From now on, say what limits refuse, and what fails over a forged message."""
    bounds.listen(refused)
    for name in [*logging.root.manager.loggerDict]:
        logger = logging.getLogger(name)
        if name.startswith(_SERVERS) and not any(isinstance(one, Brief) for one in logger.filters):
            logger.addFilter(Brief())
