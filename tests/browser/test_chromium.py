"""A machine without Chromium."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.browser.chromium import MISSING
from tests.load.server import ROOT


def test_without_chromium_browser_tests_are_skipped(tmp_path: Path) -> None:
    """Where Playwright's driver does not start, one line says what to install."""
    (tmp_path / "false").write_text("#!/bin/sh\nexit 127")
    (tmp_path / "false").chmod(0o700)
    given = {"PATH": str(tmp_path), "PLAYWRIGHT_NODEJS_PATH": str(tmp_path / "false"), "CI": ""}
    files = ["tests/browser/test_frames.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | given,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout
    summary = done.stdout.splitlines()[-2:]
    assert "skipped" in summary[-1]
    assert done.stdout.count(MISSING) == 1
    assert summary[0].endswith(f"browser tests skipped: {MISSING}")


def test_without_chromium_none_is_found(tmp_path: Path) -> None:
    """Neither on the PATH nor of Playwright."""
    given = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
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
