"""Finds the Chromium that the browser tests and the benchmarks start."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = 'no Chromium found: install Debian\'s chromium, or run "playwright install chromium"'
# A new page starts processes for the suggestions of the address bar, at 1 s of CPU a page. The last
# flag of this name counts, so the second line repeats what Playwright turns off itself.
FEATURES = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,"
    "HttpsUpgrades,PaintHolding,OptimizationHints,NetworkTimeServiceQuerying,MediaRouter,AimEnabled"
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={FEATURES}",
]


def find() -> str | None:
    """The path of a Chromium on the PATH, else of Playwright's own, or None."""
    try:
        with sync_playwright() as playwright:
            own = playwright.chromium.executable_path
    except Exception:  # its driver does not start: libraries of the system are missing
        return None
    path = next(filter(None, map(shutil.which, NAMES)), None)
    return path or (own if Path(own).exists() else None)


def require() -> str:
    """The path of a Chromium; without one the test is skipped, and with `CI` set it fails."""
    path = find()
    if path is None and os.environ.get("CI"):
        pytest.fail(MISSING, pytrace=False)
    return path or pytest.skip(MISSING)
