"""A Dask scheduler and its workers as processes, for the tests of a cluster."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil

from embviz.timing import queue
from tests.timing.conftest import FakeWorker
from tests.timing.waiting import ROOT, until

PRELOAD = Path(__file__).with_name("dask_fake.py")


class Processes:
    """One scheduler and any number of workers.

    Attributes:
        address: of the scheduler.
        fakes: the fake measuring processes, by the worker's name.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder, self._options = folder, options
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.fakes: dict[str, FakeWorker] = {}
        place = folder / "scheduler.json"
        secure = ["--protocol", "tls"] if options else []
        given = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", *secure]
        self._start("scheduler", [*given, "--scheduler-file", str(place)], {})
        self.address: str = until(lambda: place.exists() and _address(place))

    def worker(self, name: str, fake: bool = True, resources: str = "embviz=1") -> None:
        """Start one; a fake one measures nothing, and has no nanny, which starts slowly."""
        home = self._folder / name
        (home / "queue").mkdir(parents=True, exist_ok=True)
        variables = {queue.FOLDER_VARIABLE: str(home / "queue")}
        if fake:
            if name not in self.fakes:
                self.fakes[name] = FakeWorker(home)
            variables["FAKE_ROOT"] = str(home)
        given = [self.address, "--nthreads", "2", "--no-dashboard", "--name", name]
        given += ["--no-nanny"] if fake else ["--nanny", "--nworkers", "1"]
        given += ["--local-directory", str(home), "--preload", str(PRELOAD)]
        self._start(name, [*given, *(["--resources", resources] if resources else [])], variables)

    def plan(self, name: str, **given: Any) -> None:
        """What its fake measuring processes do from now on."""
        self.fakes[name].plan(**given)
        for child in self.children(name):
            child.kill()

    def children(self, name: str) -> list[psutil.Process]:
        """The measuring processes of a worker."""
        try:
            every = psutil.Process(self.pid(name)).children(recursive=True)
            return [one for one in every if "--worker" in one.cmdline()]
        except psutil.NoSuchProcess:
            return []

    def pid(self, name: str) -> int:
        """The process id of a worker, or of the scheduler."""
        return self._running[name].pid

    def kill(self, name: str) -> None:
        """Kill it at once, and wait until it is gone; fakes do not end with their parent."""
        children = self.children(name)
        process = self._running.pop(name)
        process.kill()
        process.wait()
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()

    def close(self) -> None:
        """Kill all that are left."""
        for name in list(self._running):
            self.kill(name)

    def _start(self, name: str, given: list[str], variables: dict[str, str]) -> None:
        kind = "scheduler" if name == "scheduler" else "worker"
        with (self._folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                # -P: like the script `dask`, it does not look for modules in its folder.
                [
                    *(sys.executable, "-P", "-m", f"distributed.cli.dask_{kind}"),
                    *given,
                    *self._options,
                ],
                cwd=ROOT,
                env={**os.environ, **variables},
                stdout=log,
                stderr=log,
            )


def _address(place: Path) -> str:
    try:
        return str(json.loads(place.read_text())["address"])
    except ValueError:  # half written
        return ""
