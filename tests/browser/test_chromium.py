"""A machine without Chromium."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.chromium import MISSING
from tests.browser.conftest import ROOT


@pytest.mark.parametrize(("ci", "code", "outcome"), [("", 0, "skipped"), ("1", 1, "errors")])
def test_without_chromium_browser_tests_are_skipped_and_fail_in_ci(
    tmp_path: Path, ci: str, code: int, outcome: str
) -> None:
    """Without Chromium one line says what to install; only with `CI` set the run fails."""
    environment = os.environ | {
        "PATH": str(tmp_path),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path),
        "CI": ci,
    }
    files = [f"tests/browser/test_{name}.py" for name in ("frame", "benchmark")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == code, done.stdout
    summary = done.stdout.splitlines()[-2:]
    assert outcome in summary[-1]
    if ci:
        assert MISSING in done.stdout
    else:
        assert done.stdout.count(MISSING) == 1
        assert summary[0].endswith(f"browser tests skipped: {MISSING}")
