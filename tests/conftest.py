"""Hooks for all tests: the longest run first, and one line explains skipped browser tests.

Without it a page that fails quietly, or writes to the user's own folder, would pass its test.
"""

import signal
from collections.abc import Iterator

import pytest

# The longest tests of all.
LONG = (
    "test_attack.py",
    "test_class.py",
    "test_classroom.py",
    "[mypy]",
    "test_every_script_prints",
    "test_characters_learn",
    "test_a_real_model",
    "test_a_hosted_server",
    "by_keyboard",
    "test_what_is_measured",
    "test_points_arrive",
    "test_one_press_measures",
)


def pytest_configure() -> None:
    """Started with `&` from a script, a process ignores Ctrl+C, and so would its children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first, so that no worker process ends long after the other."""
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONG))


@pytest.fixture(autouse=True)
def nothing_fails_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No page shows the sentence of a failure unless the test expects it and clears the log."""
    yield
    failed = [one for one in caplog.get_records("call") if one.name == "embviz" and one.exc_info]
    assert [one.getMessage() for one in failed] == []


@pytest.fixture(scope="session", autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kept runs go to a folder of these tests, and no page lists those of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path_factory.mktemp("data")))
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line how many browser tests were skipped, and what to install."""
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])]
    if found := [reason for reason in reasons if "no Chromium found" in reason]:
        reason = found[0].removeprefix("Skipped: ")
        terminalreporter.write_line(f"{len(found)} browser tests skipped: {reason}")
