"""A stranger cannot fill the log; a failure of embviz stands in it with its traceback."""

import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st

from embviz.fact import vocabulary
from embviz.server import log


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a logger with the filter writes."""
    written: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(self.format(record))

    logger = logging.Logger("test")
    logger.addHandler(Handler())
    logger.addFilter(log.Seldom())
    monkeypatch.setattr(sys.modules[__name__], "LOGGER", logger, raising=False)
    return written


LOGGER = logging.Logger("test")


def fail(make: Callable[[], Any]) -> None:
    """Log what it raises."""
    try:
        make()
    except Exception:
        LOGGER.exception("a page failed")


def test_a_forged_value_is_one_short_line(lines: list[str]) -> None:
    """Where Streamlit fails on a value, however often, and wherever."""
    forged: Any = {"a": 1}
    for make in (lambda: st.expander(forged), lambda: st.expander("a", expanded=forged)):
        fail(make)
    assert len(lines) == 1
    assert "its browser sent a value that no widget has" in lines[0]
    assert len(lines[0]) < 300
    assert "\n" not in lines[0]


def test_a_failure_of_embviz_has_its_traceback(lines: list[str]) -> None:
    """The first of each place; the second after a minute says how often it came meanwhile."""
    wrong: Any = 7
    for _ in range(3):
        fail(lambda: vocabulary.Symbols(wrong, wrong))
    assert len(lines) == 1
    assert "Traceback" in lines[0]
    fail(lambda: 1 / 0)
    assert "ZeroDivisionError" in lines[1]


def test_what_is_called_wrongly_keeps_its_traceback(lines: list[str]) -> None:
    """Streamlit's own sentences are for developers."""
    wrong: Any = "nowhere"
    fail(lambda: st.columns(2, gap=wrong))
    assert "Traceback" in lines[0]


def test_lines_that_differ_in_their_words_alone_are_one(
    lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger chooses the words; after a minute the next says how many there were."""
    for number in range(1_000):
        LOGGER.warning("from %s", number)
    assert lines == ["from 0"]
    seldom: Any = LOGGER.filters[0]
    seldom.recent.clear()  # a minute later
    for _ in range(2):
        LOGGER.warning("again")
    assert lines[1:] == ["again"]
    for number in range(1_001):
        if number == 1_000:
            seldom.recent.clear()
        LOGGER.warning(f"same place {number}")
    assert lines[2:] == ["same place 0", "same place 1000 (999 more like it since the last one)"]


def test_loggers_that_strangers_reach_have_the_filter() -> None:
    """Also those of modules of Streamlit."""
    try:
        log.keep_short()
        for name in (*log.REACHED, "streamlit.error_util", "streamlit.runtime.app_session"):
            assert log.seldom_lines in logging.getLogger(name).filters
    finally:
        for name in [*logging.root.manager.loggerDict]:
            logging.getLogger(name).removeFilter(
                log.seldom_lines
            )  # or other tests would miss lines
