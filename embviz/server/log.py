"""A log that strangers cannot fill: what repeats is written once a minute, then it is counted.

A value that no widget has can be forged, and Streamlit then fails with a traceback. That is a short
line here. All other failures have their traceback, each once a minute.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections import Counter
from collections.abc import Hashable
from pathlib import Path

import streamlit
from cachetools import TTLCache
from streamlit.errors import Error as StreamlitError

from embviz.system.child import ROOT

QUIET_S = 60.0  # seconds in which a line is not repeated
MOST_KINDS = 1_000  # kinds of lines that are known at once
# Loggers that strangers reach, besides Streamlit's own.
REACHED = ("embviz", "asyncio", "uvicorn.error")
_STREAMLIT = str(Path(streamlit.__file__).parent)
_OURS = tuple(str(ROOT / folder) for folder in ("embviz", "pages", "app.py"))


class Seldom(logging.Filter):
    """Drops a line that stands in the log already, and counts how often it would have come."""

    def __init__(self) -> None:
        super().__init__()
        self.recent: TTLCache[Hashable, None] = TTLCache(MOST_KINDS, QUIET_S)
        self._more: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; the number of those that were not is added to it."""
        failure = record.exc_info[1] if record.exc_info else None
        kind: Hashable = (record.pathname, record.lineno, type(failure), _place(failure))
        if failure is not None and (said := forged(failure)):
            kind = "forged"
            record.msg, record.args, record.exc_info, record.exc_text = said, (), None, None
        with self._lock:
            if kind in self.recent:
                self._more[kind] += 1
                return False
            self.recent[kind] = None
            if more := self._more.pop(kind, 0):
                record.msg = f"{record.msg} ({more:,} more like it since the last one)"
            while len(self._more) > MOST_KINDS:
                self._more.popitem()
        return True


def forged(failure: BaseException) -> str:
    """A line about a failure inside Streamlit that it does not expect; `""` for others."""
    frames = traceback.extract_tb(failure.__traceback__)
    places = [frame for frame in frames if frame.filename.startswith((_STREAMLIT, *_OURS))]
    is_foreign = bool(places) and places[-1].filename.startswith(_STREAMLIT)
    if not is_foreign or isinstance(failure, StreamlitError):
        return ""
    ours = [frame for frame in places if frame.filename.startswith(_OURS)]
    asked = f", asked at {_named(ours[-1])}" if ours else ""
    return (
        "A page failed for one visitor: its browser sent a value that no widget has, or Streamlit "
        f"was called wrongly. {type(failure).__name__} at {_named(places[-1])}{asked}"
    )


def keep_short() -> None:
    """Filter the loggers that exist; again after imports, which make more of them."""
    names = [*logging.root.manager.loggerDict]
    for name in {*REACHED, *(name for name in names if name.split(".")[0] == "streamlit")}:
        logging.getLogger(name).addFilter(seldom_lines)


def _place(failure: BaseException | None) -> Hashable:
    """The file and the line where a failure was raised."""
    frames = traceback.extract_tb(failure.__traceback__) if failure is not None else []
    return (frames[-1].filename, frames[-1].lineno) if frames else None


def _named(frame: traceback.FrameSummary) -> str:
    return f"{Path(frame.filename).name}:{frame.lineno}, {frame.name}"


seldom_lines = Seldom()
