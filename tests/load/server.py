"""The app under load: starts it as a user does, measures it from outside and stops it.

Memory is resident memory as the system counts it, of the server alone; its children (the measuring
process, a prover of cases) are counted apart.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 300.0
# The server pauses for 4 s between its two batches of imports; a longer pause is their end.
RESTED_S, REST_SHARE, WARM_LIMIT_S = 5.0, 0.05, 60.0
STOP_LIMIT_S = 5.0
SAMPLE_S = 0.2
POLL_S = 0.02
MB = 1_000_000
COLOUR = re.compile(r"\x1b\[[\d;]*m")
BANNER = re.compile(r"\s*|\s*You can now view your Streamlit app in your browser\.|\s*URL: \S+")


class ServerError(RuntimeError):
    """The app did not start; the message has its output."""


@dataclass
class Server:
    """A running app.

    Attributes:
        peak_mb: the most that a sample of the server showed.
        worker_mb: the most that its children had together.
        total_mb: peak of the server and its measuring process together.
        children_mb: the most that each had, by the end of its command line.
        started_at: when its process began, in seconds of the epoch.
    """

    address: str
    process: subprocess.Popen[bytes]
    log: Path
    started_at: float = 0.0
    peak_mb: float = 0.0
    worker_mb: float = 0.0
    total_mb: float = 0.0
    children_mb: dict[str, float] = field(default_factory=dict)
    launch: Callable[[], subprocess.Popen[bytes]] | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _sampler: threading.Thread | None = None
    _worker_cpu: dict[int, float] = field(default_factory=dict)

    def watch(self) -> None:
        """Start to sample the memory, until the server stops."""
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._sampler.start()

    def _sample(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            with contextlib.suppress(psutil.Error):
                now, children = self.rss_mb(), self.children()
                measuring = sum(map(_rss_mb, filter(_measures, children)))
                self.peak_mb = max(self.peak_mb, now)
                self.worker_mb = max(self.worker_mb, sum(map(_rss_mb, children)))
                self.total_mb = max(self.total_mb, now + measuring)
                for child in children:
                    self._worker_cpu[child.pid] = _cpu_s(child)
                    name = _name(child)
                    self.children_mb[name] = max(self.children_mb.get(name, 0.0), _rss_mb(child))

    def rss_mb(self) -> float:
        """Memory of the server now, without its children."""
        return _rss_mb(psutil.Process(self.process.pid))

    def cpu_s(self) -> float:
        """Seconds of processor time the server has used, without its children."""
        return _cpu_s(psutil.Process(self.process.pid))

    def worker_cpu_s(self) -> float:
        """Seconds of processor time of its children, as far as they were sampled."""
        return sum(self._worker_cpu.values())

    def children(self) -> list[psutil.Process]:
        """Running processes that the server has started."""
        return list(psutil.Process(self.process.pid).children(recursive=True))

    def measures(self) -> bool:
        """Whether a measuring process runs."""
        with contextlib.suppress(psutil.Error):  # one of them ends
            return any(map(_measures, self.children()))
        return False

    def wait_until_warm(self) -> None:
        """Wait until the server has been idle for long enough, so that everything is imported."""
        end = time.monotonic() + WARM_LIMIT_S
        since, used = time.monotonic(), self.cpu_s()
        while time.monotonic() < min(end, since + RESTED_S):
            time.sleep(0.5)
            if (now := self.cpu_s()) - used > REST_SHARE * 0.5 + 0.02:
                since = time.monotonic()
            used = now

    def printed(self) -> list[str]:
        """Lines on the console other than the address."""
        text = COLOUR.sub("", self.log.read_text(encoding="utf-8", errors="replace"))
        lines = [line.strip("│ ") for line in text.splitlines()]
        return [line for line in lines if not BANNER.fullmatch(line)]

    def restart(self) -> None:
        """Kill it, and start it again at the same address with the same files."""
        assert self.launch is not None
        self.process.kill()
        self.process.wait()
        self.process = self.launch()
        _wait_until_it_answers(self)

    def stop(self) -> tuple[float | None, list[str]]:
        """Stop it; return the seconds (None if it was killed) and the children still running."""
        self._stop.set()
        if self._sampler is not None:
            self._sampler.join()
        with contextlib.suppress(psutil.Error):
            children = self.children()
        begun = time.monotonic()
        self.process.terminate()
        try:
            self.process.wait(timeout=STOP_LIMIT_S)
            took: float | None = round(time.monotonic() - begun, 2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            took = None
        _, stayed = psutil.wait_procs(children, timeout=max(0.5, STOP_LIMIT_S - (took or 0)))
        names = []
        for child in stayed:
            with contextlib.suppress(psutil.Error):
                names.append(_name(child))
                child.kill()
        return took, names


@contextlib.contextmanager
def start(
    folder: Path, hosted: bool, environment: Mapping[str, str], app: Path = ROOT
) -> Iterator[Server]:
    """Start the `app.py` of a folder on a free port, until the end of the block.

    Its log and its data are in `folder`.

    Raises:
        ServerError: it does not answer.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
        "--browser.serverAddress",
        "localhost",
    ]
    given = {**os.environ, "EMBVIZ_DATA_FOLDER": str(folder / "data"), **environment}
    given.pop("EMBVIZ_HOSTED", None)
    if hosted:
        given["EMBVIZ_HOSTED"] = "1"
    log = folder / "log"
    started_at = time.time()
    log.write_bytes(b"")

    def launch() -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(command, cwd=app, stdout=output, stderr=output, env=given)

    base = given.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
    address = f"http://localhost:{port}/{base}".rstrip("/")
    server = Server(address, launch(), log, started_at=started_at, launch=launch)
    try:
        _wait_until_it_answers(server)
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def _wait_until_it_answers(server: Server) -> None:
    end = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end and server.process.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=1).close()
            return
        time.sleep(POLL_S)
    raise ServerError("the app did not start:\n" + "\n".join(server.printed()))


def _measures(process: psutil.Process) -> bool:
    return "embviz.timing.measure" in process.cmdline()


def _name(process: psutil.Process) -> str:
    return " ".join(process.cmdline()[1:])[-60:]


def _rss_mb(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss) / MB
    except psutil.NoSuchProcess:
        return 0.0


def _cpu_s(process: psutil.Process) -> float:
    try:
        return float(sum(process.cpu_times()[:2]))
    except psutil.NoSuchProcess:
        return 0.0
