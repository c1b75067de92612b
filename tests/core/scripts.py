"""Running exported scripts without embviz."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def run_sources(runner: str, sources: list[str], folder: Path) -> list[Any]:
    """What `runner` tells of each source, in a fresh interpreter that turns warnings into errors.

    Args:
        runner: a program that reads the sources as JSON and writes its results as JSON.
        sources: the scripts.
        folder: where it runs.
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", runner],
        cwd=folder,
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    results: list[Any] = json.loads(done.stdout)
    return results
