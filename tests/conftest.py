"""Hooks for all tests: the longest run first, and one line explains skipped ones of a kind.

Without it a page that fails quietly, or writes to the user's own folder, would pass its test.
"""

import signal

import pytest
import streamlit as st
import torch
from hypothesis import settings

from embviz.system import bounds

torch.set_num_threads(1)  # as the server does: several threads make small products slow
# An example has no limit of time: on a busy machine any may be slow.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# The longest tests but those in a browser.
LONG = "test_classroom", "test_attack", "test_hosting", "[mypy]"


def pytest_configure():
    """Started with `&` from a script, a process ignores Ctrl+C, and so would its children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Put the longest tests first, so that no worker process ends long after the other.

    Those in a browser stay together: else it would be started again.
    """

    def place(item):
        is_long = any(name in item.nodeid for name in LONG)
        return not is_long, not item.nodeid.startswith("tests/browser")

    items.sort(key=place)


@pytest.fixture(autouse=True)
def nothing_fails_unseen(caplog):
    """No page shows the sentence of a failure unless the test expects it and clears the log."""
    yield
    records = caplog.get_records("call")
    failed = [one.getMessage() for one in records if one.name == "embviz" and one.exc_info]
    assert failed == []


@pytest.fixture(autouse=True)
def browser_at_the_server(monkeypatch):
    """A page without a browser has a mock for its address; None is the machine itself."""
    monkeypatch.setattr(type(st.context), "ip_address", None)


@pytest.fixture(scope="session", autouse=True)
def own_data_folder(tmp_path_factory):
    """Kept runs go to a folder of these tests, and no page lists those of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def no_home(monkeypatch):
    """A user without a home folder, as in a container that chooses any number for its user."""

    def unknown(number):
        raise KeyError(number)

    for name in ("EMBVIZ_DATA_FOLDER", "HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)


def pytest_terminal_summary(terminalreporter):
    """Say in one line how many tests of a kind were skipped, and what they need."""
    skipped = [one.longrepr[2] for one in terminalreporter.stats.get("skipped", [])]
    for kind, reason in {"browser": "no Chromium found", "GPU": "no CUDA GPU found"}.items():
        if found := [one for one in skipped if reason in one]:
            terminalreporter.write_line(f"{len(found)} {kind} tests s" + found[0][1:])


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As for strangers, with every limit at its default."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    for bound in bounds.BOUNDS:
        monkeypatch.delenv(bound.variable, raising=False)
    return monkeypatch
