"""The end of the server is bounded, and its exit code says whether it was clean."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
END_S = 150.0  # 1 s on a quiet machine; without the bound it takes 600 s
STUCK = """
import os, signal, sys, threading, time
from embviz.server import shutdown

assert shutdown.CONNECTIONS_S + shutdown.CLEANUP_S <= 5
shutdown.CONNECTIONS_S, shutdown.CLEANUP_S = 0.2, 0.5
for number in (signal.SIGINT, signal.SIGTERM):
    # Not print, which may be at work when the signal comes.
    signal.signal(number, lambda *_: os.write(1, b"the earlier handler\\n"))
def cleanup():
    print("cleanup", flush=True)
    {cleanup}
shutdown.end_in_time(cleanup)
threading.Thread(target=time.sleep, args=(600,)).start()  # a visitor's thread
print("ready", flush=True)
{main}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize(
    ("main", "cleanup", "number", "code"),
    [
        ("time.sleep(600)", "pass", signal.SIGTERM, 143),
        ("time.sleep(600)", "pass", signal.SIGINT, 130),
        ("time.sleep(600)", "time.sleep(600)", signal.SIGTERM, 1),
        ("time.sleep(600)", "1 / 0", signal.SIGTERM, 1),
        ("# ends", "pass", signal.SIGINT, 130),  # Python waits for the visitor's thread
    ],
)
def test_a_signal_ends_the_process_in_time(main: str, cleanup: str, number: int, code: int) -> None:
    """The process ends although its threads go on, and although its cleanup hangs or fails."""
    with subprocess.Popen(
        [sys.executable, "-c", STUCK.format(main=main, cleanup=cleanup)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        began = time.monotonic()
        process.send_signal(number)
        printed = process.stdout.read()
        assert process.wait(END_S) == code
    assert time.monotonic() - began < END_S
    assert printed == "the earlier handler\ncleanup\n"
