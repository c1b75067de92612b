"""The app, or a bare app to compare with, started as a user does, and measured from outside.

Without it no test of a real server and no benchmark could run.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import requests

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 300.0
STOP_LIMIT_S = 5.0
PRINTED = re.compile(r"\s*|\s*You can now view your Streamlit app in your browser\.|\s*URL: \S+")
TEXT = "WTF does nn.Embedding do?"  # in the bare app, as long as the playground's
ECHO = f"""import streamlit as st

st.text(st.text_input("Text", {TEXT!r}, live="0ms", key="text"))
"""


@dataclass
class Server:
    """A running app.

    Attributes:
        log: the file of what it prints.
        launch: starts its process again.
        process: the process.
        started_at: when that began, in seconds of the epoch.
    """

    address: str
    log: Path
    launch: Callable[[], psutil.Popen]

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.started_at, self.process = time.time(), self.launch()
        self.wait_for("_stcore/health")

    def wait_for(self, path: str) -> None:
        """Wait until a path has an answer other than "not yet".

        Raises:
            RuntimeError: it has none in time; the message has the output of the app.
        """
        while self._status(path) in (0, 503):
            if self.process.poll() is not None or time.time() > self.started_at + START_LIMIT_S:
                raise RuntimeError("the app did not start:\n" + "\n".join(self.printed()))
            time.sleep(0.02)

    def _status(self, path: str) -> int:
        """Status of a GET; 0 without an answer."""
        try:
            return requests.get(f"{self.address}/{path}", timeout=9).status_code
        except requests.RequestException:
            return 0

    def printed(self) -> list[str]:
        """Lines on the console other than the address."""
        text = re.sub(r"\x1b\[[\d;]*m", "", self.log.read_text("utf-8", errors="replace"))
        lines = [line.strip("│ ") for line in text.splitlines()]
        return [line for line in lines if not PRINTED.fullmatch(line)]

    def restart(self) -> None:
        """Kill it, and start it again at the same address with the same files."""
        self.process.kill()
        self.process.wait()
        self.start()

    def stop(self) -> list[str]:
        """Stop it; the processes of it that did not end in time, and were killed."""
        all_of_it = [self.process, *self.process.children(recursive=True)]
        self.process.terminate()
        _, stayed = psutil.wait_procs(all_of_it, timeout=STOP_LIMIT_S)
        names = [str(one) for one in stayed]
        for one in stayed:
            one.kill()
        return names


@contextlib.contextmanager
def start(app: Path = ROOT, folder: Path | None = None, **environment: str) -> Iterator[Server]:
    """Start the `app.py` of a folder on a free port, until the end of the block.

    Its log and its data are in `folder`, or are gone after the block. It is not hosted, unless the
    environment says so.
    """
    with tempfile.TemporaryDirectory() as made, socket.create_server(("127.0.0.1", 0)) as probe:
        folder = folder or Path(made)
        port = probe.getsockname()[1]
        probe.close()
        command = f"-m streamlit run app.py --server.port {port} --server.headless true"
        command += " --browser.serverAddress localhost"
        own = {"EMBVIZ_DATA_FOLDER": str(folder / "data"), "EMBVIZ_HOSTED": "0"}
        given = {**os.environ, **own, **environment}
        log = folder / "log"

        def launch() -> psutil.Popen:
            arguments = [sys.executable, *command.split()]
            with log.open("ab") as output:
                return psutil.Popen(arguments, cwd=app, stdout=output, stderr=output, env=given)

        base = given.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
        server = Server(f"http://localhost:{port}/{base}".rstrip("/"), log, launch)
        try:
            server.start()
            yield server
        finally:
            if server.process.poll() is None:
                server.stop()


@contextlib.contextmanager
def start_echo() -> Iterator[Server]:
    """Start the bare app: one live text field, its text below it, the project's configuration."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
        (folder / "echo.py").write_text(ECHO, encoding="utf-8")
        (folder / "app.py").write_text('import streamlit as st\n\napp = st.App("echo.py")\n')
        with start(folder) as server:
            yield server
