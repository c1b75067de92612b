"""A machine without Chromium."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.browser import chromium
from tests.browser.chromium import MISSING
from tests.conftest import pytest_terminal_summary
from tests.load.server import ROOT


def test_the_summary_has_one_line_for_all_that_were_skipped() -> None:
    """It says how many, and what to install."""
    skipped = [SimpleNamespace(longrepr=("file", 1, f"Skipped: {MISSING}"))] * 3
    lines = list[str]()
    pytest_terminal_summary(SimpleNamespace(stats={"skipped": skipped}, write_line=lines.append))
    assert lines == [f"3 browser tests skipped: {MISSING}"]


def test_without_chromium_none_is_found(tmp_path: Path) -> None:
    """Neither on the PATH nor of Playwright, whose driver may not start without its libraries."""
    ends = tmp_path / "false"
    ends.write_text("#!/bin/sh\nexit 127")
    ends.chmod(0o700)
    given = {"PATH": str(tmp_path), "PLAYWRIGHT_NODEJS_PATH": str(ends)}
    code = "from tests.browser.chromium import find; print(find())"
    command = [sys.executable, "-c", code]
    printed = subprocess.check_output(command, cwd=ROOT, text=True, env=os.environ | given)
    assert printed == "None\n"


def test_without_chromium_browser_tests_fail_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `CI` set, a missing Chromium fails the test that needs one."""
    monkeypatch.setattr(chromium, "find", lambda: None)
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match=r"^no Chromium found"):
        chromium.require()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match=r"^no Chromium found"):
        chromium.require()
