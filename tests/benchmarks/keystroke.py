"""The playground's speed against a bare Streamlit app on the same machine, in one run.

Two servers run headless on free loopback ports: an echo app, which is one live
text field and its text below it, and this project. Chromium types into three
pages: echo, the playground, and the playground with a million rows ("large").

- **Key to paint**: from a keydown to the first animation frame that shows its
  result: the echoed text, or as many tokens in the strip as the text has
  characters. Both times are read on the page's own clock. The three pages
  alternate, one block of keys each, so that other work on the machine affects all
  of them. Each key waits until the one before is painted. A block types some
  letters and deletes them again.
- **Bytes**: received by the playground's websocket from one key to the next.
- **Scrubbing**: a script in the page moves the slider once per animation frame.
  Measured: frames per second, the longest frame, and websocket frames meanwhile.
- **Start**: from the start of the process to the first painted text or token strip.
  The browser is already running and connects as soon as the server answers.

    python tests/benchmarks/keystroke.py [--json] [--quick]
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.chromium import FLAGS, MISSING, find  # noqa: E402 - found just above

VIEWPORT: Any = {"width": 1440, "height": 900}

ECHO = "/?echo"  # tells the probe below that the page is the echo app
LARGE = "/?rows=1000000&dim=64"
PACE_MS = 150  # from key to key, as a quick typist; longer if painting takes longer
KEY_LIMIT_MS = 10_000  # a key that is not painted by then ends the benchmark
PAGE_LIMIT_MS = 30_000  # for a page to appear
HEALTH_LIMIT_S = 60.0  # for a server to answer
HEALTH_POLL_S = 0.02
STOP_LIMIT_S = 10.0
SETTLE_MS = 500  # of rest before the first key and before scrubbing

ECHO_TEXT = "WTF does nn.Embedding do?"  # as long as the playground's
ECHO_FILES = {
    "app.py": 'import streamlit as st\n\napp = st.App("echo.py")\n',
    "echo.py": "import streamlit as st\n\n"
    f'st.text(st.text_input("Text", {ECHO_TEXT!r}, live="0ms", key="text"))\n',
}
FIELD = ".st-key-text input"

# The measuring script in each page. `shows()` is true if the page shows `text`, or any text.
PROBE = """(() => {
  const isEcho = location.search === "?echo";
  let stage; // the component's shadow root
  const findStage = () => {
    if (!stage?.host.isConnected) {
      const all = [...document.querySelectorAll("*")];
      stage = all.find((e) => e.shadowRoot?.querySelector(".stage"))?.shadowRoot;
    }
    return stage;
  };
  const shows = (text) => {
    if (isEcho) {
      const echoed = document.querySelector("[data-testid=stText]")?.textContent;
      return text === undefined ? echoed !== undefined : echoed === text;
    }
    const chips = findStage()?.querySelectorAll(".chip").length ?? 0;
    return text === undefined ? chips > 0 : chips === text.length;
  };
  const bench = (window.bench = { paintedAt: 0 });

  const lookForFirstPaint = () => {
    if (shows()) bench.paintedAt = performance.timeOrigin + performance.now();
    else requestAnimationFrame(lookForFirstPaint);
  };
  requestAnimationFrame(lookForFirstPaint);

  // Before a key: what the page will show after it. `bench.painted` gives the milliseconds.
  bench.expect = (text, limit) => {
    bench.painted = new Promise((resolve, reject) => {
      let pressed;
      const late = setTimeout(() => reject(new Error(`"${text}" was not painted`)), limit);
      const note = (event) => { pressed = event.timeStamp; }; // performance.now()'s clock
      document.addEventListener("keydown", note, { capture: true, once: true });
      const observer = new MutationObserver(() => {
        if (pressed === undefined || !shows(text)) return;
        observer.disconnect();
        clearTimeout(late);
        requestAnimationFrame(() => resolve(performance.now() - pressed));
      });
      const changes = { childList: true, characterData: true, subtree: true };
      observer.observe(isEcho ? document : findStage(), changes);
    });
    bench.painted.catch(() => {}); // reported when it is awaited
  };

  // Move the slider to and fro, once per animation frame; give the frames' times.
  bench.scrub = (milliseconds) => new Promise((resolve) => {
    const slider = findStage().querySelector(".slider");
    const times = [];
    let [value, step] = [Number(slider.value), 1];
    const frame = (now) => {
      times.push(now);
      if (value + step < 0 || value + step > Number(slider.max)) step = -step;
      value += step;
      slider.value = value;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      if (now - times[0] < milliseconds) requestAnimationFrame(frame);
      else resolve(times);
    };
    requestAnimationFrame(frame);
  });
})()"""


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        letters: what a block types and deletes again.
        blocks: blocks of each page, of twice as many keys as letters.
        warm_up: further blocks of each page before these, not counted.
        starts: starts of each server.
        scrub_ms: how long the slider moves.
        limit_s: time limit of the run.
    """

    letters: str = "abcde"
    blocks: int = 6
    warm_up: int = 1
    starts: int = 3
    scrub_ms: int = 2000
    limit_s: int = 180


QUICK = Effort(letters="ab", blocks=1, warm_up=0, starts=1, scrub_ms=200, limit_s=250)


@dataclass
class Server:
    """A running `streamlit run app.py`; `started_at` is in seconds of the epoch."""

    url: str
    process: subprocess.Popen[bytes]
    started_at: float


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """The app in `folder` on a free loopback port, until the end of the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.address",
        "127.0.0.1",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    with tempfile.TemporaryFile() as log:
        started_at = time.time()
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            server = Server(f"http://127.0.0.1:{port}", process, started_at)
            if not answers(server):
                log.seek(0)
                raise RuntimeError(f"no answer from {folder}:\n{log.read().decode()}")
            yield server
        finally:
            stop(process)


def answers(server: Server) -> bool:
    """Whether the server becomes healthy before it ends or takes too long."""
    while time.time() < server.started_at + HEALTH_LIMIT_S and server.process.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1).close()
            return True
        time.sleep(HEALTH_POLL_S)
    return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and wait for it."""
    process.terminate()
    try:
        process.wait(STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A started Chromium, until the end of the block; exits without one."""
    if (path := find()) is None:
        sys.exit(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """One page with its websocket traffic and the times of its keys.

    Attributes:
        page: the browser's page.
        text: the text in the field.
        frames: websocket frames, sent or received.
        received: bytes of the received ones.
        key_ms: key to paint of each counted key.
        key_bytes: bytes received from each counted key to the next.
    """

    page: Page
    text: str = ""
    frames: int = 0
    received: int = 0
    key_ms: list[float] = field(default_factory=list)
    key_bytes: list[int] = field(default_factory=list)

    def watch(self, websocket: WebSocket) -> None:
        """Count what goes through a websocket."""

        def receive(payload: bytes | str) -> None:
            self.frames += 1
            self.received += len(payload.encode() if isinstance(payload, str) else payload)

        def send(_payload: bytes | str) -> None:
            self.frames += 1

        websocket.on("framereceived", receive)
        websocket.on("framesent", send)

    def press(self, key: str) -> tuple[float, int]:
        """Press a key at the end of the text: key to paint (ms), and bytes until the next key."""
        self.text = self.text[:-1] if key == "Backspace" else self.text + key
        before, due = self.received, time.monotonic() + PACE_MS / 1000
        self.page.evaluate("(expected) => bench.expect(...expected)", [self.text, KEY_LIMIT_MS])
        self.page.keyboard.press(key)
        milliseconds = float(self.page.evaluate("bench.painted"))
        self.page.wait_for_timeout(max(0.0, due - time.monotonic()) * 1000)
        return milliseconds, self.received - before

    def block(self, letters: str, counted: bool = True) -> None:
        """Type the letters and delete them again."""
        self.page.bring_to_front()
        for key in [*letters, *["Backspace"] * len(letters)]:
            milliseconds, received = self.press(key)
            if counted:
                self.key_ms.append(milliseconds)
                self.key_bytes.append(received)


def visit(browser: Browser, url: str) -> tuple[Visit, float]:
    """Open an address without a cache: the page, and the time of its first paint (s, epoch)."""
    page = browser.new_context(viewport=VIEWPORT).new_page()
    page.set_default_timeout(PAGE_LIMIT_MS)
    opened = Visit(page)
    page.on("websocket", opened.watch)
    page.add_init_script(PROBE)
    page.goto(url, wait_until="commit")
    page.wait_for_function("window.bench?.paintedAt")
    return opened, float(page.evaluate("bench.paintedAt")) / 1000


def ready(browser: Browser, url: str) -> Visit:
    """A page at rest, with the caret at the end of its text."""
    opened, _ = visit(browser, url)
    # Streamlit fills the field after it has drawn it.
    opened.page.wait_for_function("(field) => document.querySelector(field)?.value", arg=FIELD)
    opened.page.wait_for_timeout(SETTLE_MS)
    box = opened.page.locator(FIELD)
    opened.text = box.input_value()
    box.press("End")
    return opened


def start_seconds(browser: Browser, server: Server, path: str) -> float:
    """From the process's start to the first painted text or token strip."""
    opened, painted_at = visit(browser, server.url + path)
    opened.page.context.close()
    return painted_at - server.started_at


def type_everywhere(visits: list[Visit], effort: Effort) -> None:
    """Type into all pages, block by block."""
    for number in range(effort.warm_up + effort.blocks):
        for one in visits:
            one.block(effort.letters, counted=number >= effort.warm_up)


def scrub(one: Visit, effort: Effort) -> dict[str, float]:
    """Move the slider: frames per second, longest frame, and websocket frames."""
    one.page.bring_to_front()
    one.page.wait_for_timeout(SETTLE_MS)
    before = one.frames
    times = one.page.evaluate("(milliseconds) => bench.scrub(milliseconds)", effort.scrub_ms)
    one.page.wait_for_timeout(SETTLE_MS)  # time for requests to the server, if it makes any
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    return {
        "fps": 1000 * len(gaps) / sum(gaps),
        "longest_frame_ms": max(gaps),
        "frames_while_scrubbing": one.frames - before,
    }


def p95(values: list[float]) -> float:
    """The value that one in twenty exceeds."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def measure(browser: Browser, echo_folder: Path, effort: Effort) -> dict[str, float]:
    """Everything this benchmark measures."""
    paths = {echo_folder: ECHO, ROOT: "/"}
    starts: dict[Path, list[float]] = {echo_folder: [], ROOT: []}
    for _ in range(effort.starts - 1):
        for folder, path in paths.items():
            with serving(folder) as server:
                starts[folder].append(start_seconds(browser, server, path))
    with serving(echo_folder) as echo_server:
        starts[echo_folder].append(start_seconds(browser, echo_server, ECHO))
        with serving(ROOT) as server:
            starts[ROOT].append(start_seconds(browser, server, "/"))
            echo = ready(browser, echo_server.url + ECHO)
            playground = ready(browser, server.url)
            large = ready(browser, server.url + LARGE)
            type_everywhere([echo, playground, large], effort)
            scrubbed = scrub(playground, effort)

    p50 = statistics.median
    echo_s, playground_s = p50(starts[echo_folder]), p50(starts[ROOT])
    figures = {
        "echo_p50_ms": p50(echo.key_ms),
        "playground_p50_ms": p50(playground.key_ms),
        "large_p50_ms": p50(large.key_ms),
        "echo_p95_ms": p95(echo.key_ms),
        "playground_p95_ms": p95(playground.key_ms),
        "large_p95_ms": p95(large.key_ms),
        "ratio_p50": p50(playground.key_ms) / p50(echo.key_ms),
        "ratio_large_p50": p50(large.key_ms) / p50(echo.key_ms),
        **scrubbed,
        "bytes_per_rerun": p50(playground.key_bytes),
        "echo_start_s": echo_s,
        "playground_start_s": playground_s,
        "start_ratio": playground_s / echo_s,
    }
    return {name: tidy(name, value) for name, value in figures.items()}


def tidy(name: str, value: float) -> float:
    """The value with sensible digits: counts whole, milliseconds to 0.1, the rest to 0.01."""
    if name in ("frames_while_scrubbing", "bytes_per_rerun"):
        return round(value)
    return round(value, 1 if name.endswith("_ms") or name == "fps" else 2)


def table(figures: dict[str, float]) -> str:
    """The figures for people."""
    f = figures
    rows: list[tuple[object, ...]] = [
        ("", "echo", "playground", "large", "ratio", "large"),
        (
            "key to paint, p50 (ms)",
            f["echo_p50_ms"],
            f["playground_p50_ms"],
            f["large_p50_ms"],
            f["ratio_p50"],
            f["ratio_large_p50"],
        ),
        ("key to paint, p95 (ms)", f["echo_p95_ms"], f["playground_p95_ms"], f["large_p95_ms"]),
        (
            "start to first paint (s)",
            f["echo_start_s"],
            f["playground_start_s"],
            "",
            f["start_ratio"],
        ),
        ("bytes received per key", "", f["bytes_per_rerun"]),
        ("scrubbing, frames per second", "", f["fps"]),
        ("scrubbing, longest frame (ms)", "", f["longest_frame_ms"]),
        ("scrubbing, websocket frames", "", f["frames_while_scrubbing"]),
    ]
    lines = [f"{row[0]:<30}" + "".join(f"{cell:>12}" for cell in row[1:]) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def give_up(number: int, _frame: object) -> None:
    """Exit through every `finally`, so that no server keeps running."""
    sys.exit(f"keystroke: ended by {signal.Signals(number).name}")


def write_echo_app(folder: Path) -> None:
    """The bare app, under the project's own configuration."""
    for name, source in ECHO_FILES.items():
        (folder / name).write_text(source, encoding="utf-8")
    (folder / ".streamlit").mkdir()
    shutil.copy(ROOT / ".streamlit" / "config.toml", folder / ".streamlit")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Key to paint, scrubbing and start, measured.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="few keys, one start: does it work?")
    arguments = parser.parse_args()
    effort = QUICK if arguments.quick else Effort()
    signal.signal(signal.SIGTERM, give_up)
    if hasattr(signal, "SIGALRM"):  # not on Windows
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(effort.limit_s)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        write_echo_app(Path(folder))
        figures = measure(browser, Path(folder), effort)
    print(json.dumps(figures) if arguments.json else table(figures))


if __name__ == "__main__":
    main()
