"""The log: JSON, bounded, without a user's words, and with the failures of embviz itself."""

import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.logger import get_logger

from embviz.request import inputs
from embviz.request.parameters import DEFAULTS
from embviz.server import log

ROOT = Path(__file__).resolve().parents[2]


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The lines on stderr since the last call."""
    return [json.loads(one) for one in capsys.readouterr().err.splitlines()]


def failing(source: str, file: Path) -> logging.LogRecord:
    """The record of an error that this source raises, as if it stood in this file."""
    try:
        exec(compile(source, str(file), "exec"), {})  # noqa: S102 - a traceback through any file
    except Exception:
        return logging.LogRecord("streamlit", logging.ERROR, "", 0, "Uncaught", (), sys.exc_info())
    raise AssertionError


def test_the_log_is_bounded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many lines a minute; the rest is counted, also when nothing more happens."""
    now = [1000.0]
    monkeypatch.setattr(log, "time", SimpleNamespace(monotonic=lambda: now[0]))
    handler = log.Bounded(lines=3, minute_s=0.4)

    def write(number: int) -> None:
        fields = {"limit": "tokens", "allowed": number}
        handler.handle(logging.makeLogRecord({"msg": "refused", "fields": fields}))

    for number in range(10):
        write(number)
    lines, end = written(capsys), time.monotonic() + 60
    while len(lines) < 4 and time.monotonic() < end:  # a timer writes the count
        time.sleep(0.05)
        lines += written(capsys)
    now[0] += 0.5
    write(99)
    lines += written(capsys)
    assert [one.get("allowed") for one in lines] == [0, 1, 2, None, 99]
    assert (lines[3]["event"], lines[3]["lines"]) == ("left out", 7)


def test_a_refusal_is_logged_without_a_word_of_the_visitor(
    hosted: pytest.MonkeyPatch, start_log: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A refused request is one line with the limit, and nothing that was typed."""
    start_log()
    given = inputs.read_inputs({**DEFAULTS, "text": "secret" * 5000})
    assert given.refusal is not None
    (line,) = written(capsys)
    assert set(line) == {"time", "event", "limit", "allowed", "unit"}
    assert (line["event"], line["limit"], line["allowed"]) == ("refused", "tokens", 10_000)


def test_a_forged_message_is_one_line_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    """A failure inside Streamlit loses its traceback; one of embviz always keeps it."""
    handler = log.Bounded(lines=1)
    streamlits = "from streamlit.runtime.state.common import user_key_from_element_id as f; f(1)"
    handler.handle(failing(streamlits, ROOT / "embviz" / "ui" / "parts" / "widgets.py"))
    handler.handle(failing("1 / 0", ROOT / "pages" / "timing.py"))
    forged, own = written(capsys)
    assert (forged["event"], forged["error"]) == ("failed", "AttributeError")
    assert forged["at"] == "embviz/ui/parts/widgets.py:1"
    assert "traceback" not in forged
    assert own["message"] == "Uncaught"
    assert own["traceback"].endswith("ZeroDivisionError: division by zero")


@pytest.mark.parametrize("number", range(2))
def test_a_logger_created_after_the_start_is_bounded_too(
    number: int, start_log: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every logger writes one short JSON line, whoever made it, before the start or after."""
    start_log()
    made = [
        get_logger(f"streamlit.made_later_{number}"),
        logging.getLogger(f"other.made.later_{number}"),
        get_logger("streamlit"),
        logging.getLogger(),
    ]
    for logger in made:
        logger.info("a connection from an address")
        logger.warning("no fragment %s", "x" * 9999)
    lines = written(capsys)
    assert [one["logger"] for one in lines] == [logger.name for logger in made]
    for line in lines:
        assert (line["event"], line["level"]) == ("log", "WARNING")
        assert len(line["message"]) < 2 * log.LONGEST
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("a warning", UserWarning, stacklevel=1)
    assert "UserWarning: a warning" in written(capsys)[0]["message"]
