"""Fixtures of the server's tests."""

import logging
import warnings
from collections.abc import Callable, Iterator

import pytest

from embviz.core import bounds
from embviz.server import log


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As for strangers, with every limit at its default."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    for bound in bounds.BOUNDS:
        monkeypatch.delenv(bound.variable, raising=False)
    return monkeypatch


@pytest.fixture
def start_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Starts the log, for this test alone."""
    kept_class, kept_level = logging.getLoggerClass(), logging.getLogger("embviz").level
    monkeypatch.setattr(bounds, "_listeners", [])
    with warnings.catch_warnings():
        yield lambda: log.start(log.Bounded())
        logging.captureWarnings(False)
    logging.setLoggerClass(kept_class)
    logging.getLogger("embviz").setLevel(kept_level)
    for name in ("", *logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        for one in [one for one in logger.filters if one.__module__ == log.__name__]:
            logger.removeFilter(one)
