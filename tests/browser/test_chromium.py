"""A machine without Chromium."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.browser.chromium import MISSING
from tests.load.server import ROOT


def test_without_chromium_browser_tests_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Chromium one line says what to install; with `CI` set the tests fail."""
    nowhere = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), "CI": ""}
    command = "-m pytest -q -n0 -pno:cacheprovider tests/browser/test_axe.py"
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | nowhere,
    )
    assert (done.returncode, done.stdout.count(MISSING)) == (0, 1)
    assert f"browser tests skipped: {MISSING}" in done.stdout
    monkeypatch.setattr(chromium, "find", lambda: None)
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match=r"^no Chromium found"):
        chromium.require()
