"""The app, or a bare app to compare with, started as a user does, and measured from outside."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

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
    launch: Callable[[], subprocess.Popen[bytes]]

    def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            RuntimeError: it does not answer; the message has its output.
        """
        self.started_at, self.process = time.time(), self.launch()
        while self.status("_stcore/health") != 200:
            if self.process.poll() is not None or time.time() > self.started_at + START_LIMIT_S:
                raise RuntimeError("the app did not start:\n" + "\n".join(self.printed()))
            time.sleep(0.02)

    def status(self, path: str) -> int:
        """Status of a GET; 0 without an answer."""
        try:
            with urllib.request.urlopen(f"{self.address}/{path}", timeout=9) as got:
                return int(got.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def wait_until_warm(self) -> None:
        """Wait until everything is imported; the bare app has no such address."""
        while self.status("ready") == 503 and time.time() < self.started_at + START_LIMIT_S:
            time.sleep(0.2)

    def rss_mb(self) -> float:
        """Resident memory of the server now, without its children."""
        return float(psutil.Process(self.process.pid).memory_info().rss) / 1_000_000

    def cpu_s(self) -> float:
        """Seconds of processor time the server has used, without its children."""
        return cpu_s(psutil.Process(self.process.pid))

    def children(self) -> list[psutil.Process]:
        """Running processes that the server has started."""
        return list(psutil.Process(self.process.pid).children(recursive=True))

    def measures(self) -> bool:
        """Whether a measuring process runs."""
        with contextlib.suppress(psutil.Error):  # one of them ends
            return any("embviz.timing.measure" in one.cmdline() for one in self.children())
        return False

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

    def stop(self) -> tuple[float | None, list[str]]:
        """Stop it; return the seconds (None if it was killed) and the children still running."""
        children = self.children()
        begun, took = time.monotonic(), None
        self.process.terminate()
        try:
            self.process.wait(timeout=STOP_LIMIT_S)
            took = round(time.monotonic() - begun, 2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        _, stayed = psutil.wait_procs(children, timeout=max(0.5, STOP_LIMIT_S - (took or 0)))
        names = []
        for child in stayed:
            with contextlib.suppress(psutil.Error):
                names.append(" ".join(child.cmdline())[-60:])
                child.kill()
        return took, names


@contextlib.contextmanager
def start(
    folder: Path, hosted: bool, environment: Mapping[str, str], app: Path = ROOT
) -> Iterator[Server]:
    """Start the `app.py` of a folder on a free port, until the end of the block.

    Its log and its data are in `folder`.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = f"-m streamlit run app.py --server.port {port} --server.headless true"
    command += " --browser.serverAddress localhost"
    given = {**os.environ, "EMBVIZ_DATA_FOLDER": str(folder / "data"), **environment}
    given.pop("EMBVIZ_HOSTED", None)
    if hosted:
        given["EMBVIZ_HOSTED"] = "1"
    log = folder / "log"
    log.write_bytes(b"")

    def launch() -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(
                [sys.executable, *command.split()], cwd=app, stdout=output, stderr=output, env=given
            )

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
        with start(folder, False, {}, folder) as server:
            yield server


def cpu_s(process: psutil.Process) -> float:
    """Seconds of processor time of a process; 0 if it has ended."""
    try:
        return float(sum(process.cpu_times()[:2]))
    except psutil.NoSuchProcess:
        return 0.0
