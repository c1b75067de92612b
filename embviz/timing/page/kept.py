"""The runs that the page can open: recorded ones, earlier ones of this machine, and files.

Runs are kept in the user's data folder; a hosted server keeps none. They tell about the machine and
what its user measured, so only a browser on that machine lists them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from embviz.server.incoming import page_at_server
from embviz.system.bounds import hosted
from embviz.system.data_folder import data_folder, make_private
from embviz.text.refused import Refused
from embviz.timing.measure.run import Run, RunFile, read_run
from embviz.timing.measure.sweep import Sink
from embviz.timing.measure.timed import Timed, varying
from embviz.timing.tell.questions import QUESTIONS
from embviz.timing.tell.recorded import recorded

# MB of an uploaded file. A stranger may have made it: once read it takes up to 60 times as much.
UPLOAD_MB = 8
UPLOAD_BYTES = UPLOAD_MB << 20


def folder() -> Path:
    """Where runs are kept.

    Raises:
        Refused: this user has no folder.
    """
    return data_folder() / "runs"


def earlier() -> dict[str, Path]:
    """Earlier runs of this machine by name, the newest first.

    Elsewhere than in a browser on the server's own machine, and where hosted, there are none.
    """
    found = list[Path]()
    # A user without a folder has none. Below a closed folder `Path.glob` raises.
    with suppress(Refused):
        if not hosted() and page_at_server() and os.access(folder(), os.R_OK):
            found = sorted(folder().glob("*.jsonl"), reverse=True)
    return {path.stem: path for path in found}


def openable() -> Mapping[str, Callable[[], Run]]:
    """For each run of the list, by its name, a function that reads it: the recorded ones first.

    It raises Refused, or OSError, where the run cannot be read.
    """
    runs = {f"Recorded: {one.name}": partial(recorded, one.name) for one in QUESTIONS}
    return runs | {name: partial(_read, path) for name, path in earlier().items()}


def _read(path: Path) -> Run:
    return read_run(path.read_bytes(), path.stem)


def opened(chosen: Sequence[str], uploads: Sequence[Any]) -> tuple[list[Run], list[str]]:
    """The runs of these names and files, and a sentence for each that cannot be read."""
    known = openable()
    reads = [known[name] for name in chosen if name in known]
    reads += [partial(read_run, one.getvalue(), one.name, UPLOAD_BYTES) for one in uploads]
    runs, troubles = list[Run](), list[str]()
    for read in reads:
        try:
            runs.append(read())
        except (Refused, OSError) as error:
            troubles.append(str(error))
    return runs, troubles


def new(cases: Sequence[Timed]) -> Sink | None:
    """The sink of a run that begins now: a file named by moment and axis; hosted, there is none."""
    if hosted():
        return None
    with suppress(OSError):  # The writing says what fails.
        make_private(data_folder())
        make_private(folder())
    # With microseconds: no two runs have the same name.
    name = f"{datetime.now(UTC):%Y-%m-%d %H.%M.%S.%f} {varying(cases)}.jsonl"
    return RunFile(folder() / name).append
