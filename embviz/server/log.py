"""The log of a hosted server: one JSON object a line, on stderr.

embviz writes a line for each sweep that waits, begins or ends, and for each request that a limit
refused, and says why a cluster failed. These hold no text of a user. Warnings of other loggers
(Streamlit, uvicorn, Python's own) become JSON too, cut to LONGEST characters. A forged message
that makes Streamlit fail becomes one line without a traceback. At most LINES lines are written a
minute, and one that counts the rest; a failure of embviz's own is always written, with its
traceback. A server on one's own machine does not use this module.
"""

from __future__ import annotations

import datetime
import json
import logging
import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from embviz.core import bounds
from embviz.core.bounds import Bound

if TYPE_CHECKING:
    from embviz.timing.sweep import Sweep

LINES = 20  # a minute, so that nobody can fill the disk
MINUTE_S = 60.0
LONGEST = 300  # characters of another logger's message, which may quote megabytes of a request
ROOT = Path(__file__).resolve().parents[2]
_OURS = (str(ROOT / "embviz"), str(ROOT / "pages"))
_STREAMLIT = str(Path(st.__file__).parent)
_LOGGER = logging.getLogger("embviz")


def event(name: str, **fields: int | float | str) -> None:
    """Write one line of embviz's own."""
    _LOGGER.info(name, extra={"fields": fields})


def sweep_changed(sweep: Sweep) -> None:
    """Write that a sweep waits, begins or has ended."""
    numbers: dict[str, int | float] = {"cases": len(sweep.cases)}
    if not sweep.active:
        numbers |= {"rounds": sweep.rounds[0], "seconds": round(sweep.wall_s, 2)}
    if sweep.cut:
        numbers["limit_s"] = sweep.limit_s
    event("sweep", state=sweep.state, **numbers)


def refused(bound: Bound) -> None:
    """Write that a request asked for more than a limit allows."""
    event("refused", limit=bound.name, allowed=bound.value(), unit=bound.unit)


def forged_at(record: logging.LogRecord) -> str:
    """`file:line` where Streamlit failed over a message; empty for a failure of embviz's own.

    If embviz called Streamlit, it is the line of embviz that did.
    """
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return ""
    places = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename.startswith((*_OURS, _STREAMLIT))
    ]
    if not places or not places[-1][0].startswith(_STREAMLIT):
        return ""
    ours = [one for one in places if one[0].startswith(_OURS)]
    file, line = (ours or places)[-1]
    return f"{Path(file).relative_to(ROOT if ours else Path(_STREAMLIT).parent).as_posix()}:{line}"


class Json(logging.Formatter):
    """A record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        moment = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        line: dict[str, object] = {"time": moment.isoformat(timespec="seconds")}
        if (fields := getattr(record, "fields", None)) is not None:
            line |= {"event": record.msg, **fields}
        elif place := forged_at(record):
            assert record.exc_info
            assert record.exc_info[0]
            line |= {"event": "failed", "error": record.exc_info[0].__name__, "at": place}
        else:
            said = record.getMessage()
            said = said if len(said) <= LONGEST else f"{said[:LONGEST]} …"
            line |= {"event": "log", "level": record.levelname, "logger": record.name}
            line |= {"message": said}
            if record.exc_info:
                line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


class Bounded(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes records to stderr as JSON, at most so many a minute, and counts the rest."""

    def __init__(self, lines: int = LINES, minute_s: float = MINUTE_S) -> None:
        super().__init__()
        self.setFormatter(Json())
        self._lines, self._minute_s = lines, minute_s
        self._since = self._written = self._left_out = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it; `logging` calls this with the handler's lock held."""
        now = time.monotonic()
        if now - self._since >= self._minute_s:
            self._report()
            self._since, self._written = now, 0
        if self._written < self._lines or (record.exc_info and not forged_at(record)):
            self._written += 1
            super().emit(record)
            return
        self._left_out += 1
        if self._left_out == 1:  # reported even if no other record follows
            timer = threading.Timer(self._since + self._minute_s - now, self.report)
            timer.daemon = True
            timer.start()

    def report(self) -> None:
        """Write how many lines were left out, if any were."""
        with self.lock or threading.Lock():
            self._report()

    def _report(self) -> None:
        if self._left_out:
            fields = {"lines": int(self._left_out)}
            record = logging.makeLogRecord({"msg": "left out", "fields": fields})
            super().emit(record)
            self._left_out = 0


def start(handler: logging.Handler | None = None) -> None:
    """Write the events, and the warnings of all loggers, also of later ones, with one handler.

    Streamlit gives each of its loggers a handler of its own and no propagation. So each logger gets
    a filter that passes its records to the one handler: those that exist, and by the class of new
    loggers those that do not yet.
    """
    handler = handler or Bounded()

    def redirect(record: logging.LogRecord) -> bool:
        # uvicorn writes two lines of information for each connection, with the visitor's address.
        if record.levelno >= logging.WARNING or record.name == _LOGGER.name:
            handler.handle(record)
        return False

    class Redirected(logging.Logger):
        def __init__(self, name: str, level: int = logging.NOTSET) -> None:
            super().__init__(name, level)
            self.addFilter(redirect)

    bounds.listen(refused)
    _LOGGER.setLevel(logging.INFO)
    for name in ("", *logging.root.manager.loggerDict):
        logging.getLogger(name).addFilter(redirect)
    logging.setLoggerClass(Redirected)
    logging.captureWarnings(True)
