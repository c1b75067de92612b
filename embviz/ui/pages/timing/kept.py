"""The runs that the page can open: the recorded one, earlier ones of this machine, and files.

Runs are kept in the user's data folder; a hosted server keeps none. They tell about the machine and
what its user measured, so only a browser on that machine lists them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from embviz import timing
from embviz.server.incoming import is_at_server
from embviz.system.bounds import hosted
from embviz.system.data_folder import data_folder, make_private
from embviz.text.refused import Refused
from embviz.timing.run import MAX_RUN_BYTES, Run, RunFile, read_run
from embviz.timing.sweep import Sink
from embviz.timing.timed import Timed, varying

# The page opens on it. It answers the page's first question.
RECORDED = Path(timing.__file__).parent / "reference" / "recorded.jsonl"
# MB of an uploaded file. A stranger may have made it: once read it takes up to 60 times as much.
UPLOAD_MB = 8
UPLOAD_BYTES = UPLOAD_MB << 20


@cache
def recorded() -> Run:
    """The run that embviz ships."""
    return read_run(RECORDED.read_bytes(), RECORDED.stem)


def folder() -> Path:
    """Where runs are kept.

    Raises:
        Refused: this user has no folder.
    """
    return data_folder() / "runs"


def at_server() -> bool:
    """Whether this session's browser runs on the server's own machine."""
    # Streamlit gives the usual two addresses of the machine itself as None.
    return is_at_server(st.context.ip_address or "localhost", st.context.headers)


def paths() -> dict[str, Path]:
    """The recorded run and earlier ones by name, the newest first.

    Elsewhere than in a browser on the server's own machine, and where hosted, there are no earlier
    ones.
    """
    earlier = list[Path]()
    # A user without a folder has none. Below a closed folder `Path.glob` raises.
    with suppress(Refused):
        if not hosted() and at_server() and os.access(folder(), os.R_OK):
            earlier = sorted(folder().glob("*.jsonl"), reverse=True)
    return {path.stem: path for path in (RECORDED, *earlier)}


def opened(names: Sequence[str], uploads: Sequence[Any]) -> tuple[list[Run], list[str]]:
    """The runs of these names and files, and a sentence for each that cannot be read."""
    runs, troubles, files = list[Run](), list[str](), paths()
    own = [(name, files[name].read_bytes, MAX_RUN_BYTES) for name in names if name in files]
    given = [(one.name, one.getvalue, UPLOAD_BYTES) for one in uploads]
    for name, read, most in own + given:
        try:
            runs.append(read_run(read(), name, most))
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
    name = f"{datetime.now(UTC):%Y-%m-%d %H.%M.%S} {varying(cases)}.jsonl"
    return RunFile(folder() / name, is_new=True).append
