"""A Dask scheduler and its workers as processes, for the tests of a cluster."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from embviz.system.data_folder import FOLDER_VARIABLE
from tests.timing.conftest import ROOT, FakeWorker, until, workers


class Processes:
    """One scheduler and any number of workers.

    Attributes:
        folder: of their files.
        address: of the scheduler.
        running: the processes, by name.
        fakes: the fake measuring processes, by the worker's name.
    """

    def __init__(self, folder: Path, protocol: str = "tcp") -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.fakes: dict[str, FakeWorker] = {}
        place = folder / "scheduler.json"
        # In a folder without embviz, which the scheduler must not need.
        host = f"{protocol}://127.0.0.1"
        self._start("scheduler", folder, "--host", host, "--port", "0", "--scheduler-file", place)
        until(lambda: place.exists() and place.read_text().endswith("}"))  # not half written
        self.address: str = json.loads(place.read_text())["address"]

    def worker(
        self, name: str, fake: bool = True, nanny: bool = False, resources: str = "embviz=1"
    ) -> None:
        """Start one; a fake one measures nothing."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        variables = {FOLDER_VARIABLE: str(home)}
        if fake:
            self.fakes[name] = self.fakes.get(name) or FakeWorker(home)
            variables["FAKE_ROOT"] = str(home)
        given = [self.address, "--nthreads", "2", "--name", name, "--resources", resources]
        given += ["--preload", str(Path(__file__).with_name("dask_fake.py"))]
        given += ["--local-directory", str(home), *([] if nanny else ["--no-nanny"])]
        self._start(name, ROOT, *given, **variables)

    def plan(self, name: str, **given: Any) -> None:
        """What its measuring processes do from now on."""
        self.fakes[name].plan(**given)
        for one in workers(self.running[name].pid):
            one.kill()

    def end(self, *names: str, number: int = signal.SIGKILL) -> None:
        """Send a signal to these in the same moment, and wait until they have ended."""
        ended = [self.running.pop(name) for name in names]
        for process in ended:
            process.send_signal(number)
        for process in ended:
            process.wait(60)

    def close(self) -> None:
        """Kill all that are left."""
        self.end(*self.running)

    def _start(self, name: str, folder: Path, *given: Any, **variables: str) -> None:
        kind = "scheduler" if name == "scheduler" else "worker"
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", "dask", kind, "--no-dashboard", *given],
                cwd=folder,
                env={**os.environ, **variables},
                stdout=log,
                stderr=log,
            )
