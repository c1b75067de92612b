"""The app, or a bare app to compare with, started as a user does, and measured from outside.

Without it no test of a real server and no benchmark could run.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

import psutil
import requests

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 200.0
STOP_LIMIT_S = 5.0
PRINTED = re.compile(r"\s*|\s*You can now view your Streamlit app in your browser\.|\s*URL: \S+")
TEXT = "WTF does nn.Embedding do?"  # in the bare app, as long as the playground's
HOSTED = {
    "EMBVIZ_HOSTED": "1",
    "EMBVIZ_SWEEP_SECONDS": "2",
    "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost",
}
ECHO = f"""import streamlit as st

st.text(st.text_input("Text", {TEXT!r}, live="0ms", key="text"))
"""


class Server:
    """The `app.py` of a folder as a running server.

    Attributes:
        log: the file of what it prints.
        process: the process.
        started_at: when that began, in seconds of the epoch.
    """

    def __init__(self, app, folder, **environment):
        self._app, self.log = app, folder / "log"
        self._given = os.environ | {"EMBVIZ_DATA_FOLDER": str(folder / "data")} | environment
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = probe.getsockname()[1]
        base = self._given.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
        self.address = f"http://localhost:{self._port}/{base}".rstrip("/")

    def start(self):
        """Start it, and wait until it answers."""
        command = f"-m streamlit run app.py --server.port {self._port} --server.headless true"
        self.started_at = time.time()
        with self.log.open("ab") as output:
            self.process = psutil.Popen(
                [sys.executable, *command.split()],
                cwd=self._app,
                stdout=output,
                stderr=output,
                env=self._given,
            )
        self.wait_for("_stcore/health")

    def wait_for(self, path):
        """Wait until a path has an answer other than "not yet".

        Raises:
            RuntimeError: the app ended, or has no answer in time; the message has its output.
        """
        while self.process.poll() is None and time.time() < self.started_at + START_LIMIT_S:
            with contextlib.suppress(requests.RequestException):
                if requests.get(f"{self.address}/{path}", timeout=9).status_code != 503:
                    return
            time.sleep(0.02)
        raise RuntimeError("the app did not start:\n" + "\n".join(self.printed()))

    def printed(self):
        """Lines on the console other than the address."""
        lines = self.log.read_text("utf-8", errors="replace").splitlines()
        return [line for line in lines if not PRINTED.fullmatch(line)]

    def restart(self):
        """Kill it, and start it again at the same address with the same files."""
        self.process.kill()
        self.process.wait()
        self.start()

    def stop(self, limit_s=STOP_LIMIT_S):
        """Stop it; the processes of it that did not end in so many seconds, and were killed."""
        all_of_it = [self.process, *self.process.children(recursive=True)]
        self.process.terminate()
        stayed = psutil.wait_procs(all_of_it, timeout=limit_s)[1]
        for one in stayed:
            one.kill()
        return stayed


@contextlib.contextmanager
def start(app=ROOT, folder=None, **environment):
    """Start the `app.py` of a folder on a free port, until the end of the block.

    Its log and its data are in `folder`, or are gone after the block. It is not hosted, unless the
    environment says so.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # it ends the block, too
    with tempfile.TemporaryDirectory() as made:
        server = Server(app, folder or Path(made), **{"EMBVIZ_HOSTED": "0"} | environment)
        try:
            server.start()
            yield server
        finally:
            if server.process.poll() is None:
                server.stop()


@contextlib.contextmanager
def start_echo(first=""):
    """Start the bare app: one live text field, its text below it, the project's configuration.

    `first` is a line of Python that its script begins with.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
        (folder / "echo.py").write_text(f"{first}\n{ECHO}")
        (folder / "app.py").write_text('import streamlit as st\n\napp = st.App("echo.py")\n')
        with start(folder) as server:
            yield server
