"""The end of the server is bounded."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
END_S = 20.0  # 4 s on a quiet machine; without the bound it takes 60 s
STUCK = """
import signal, sys, threading, time
from embviz.server import shutdown

signal.signal(signal.SIGTERM, lambda *_: print("the earlier handler", flush=True))
def cleanup():
    print("cleanup", flush=True)
    time.sleep({cleanup_s})
shutdown.bound(cleanup)
threading.Thread(target=time.sleep, args=(60,)).start()  # a visitor's thread
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("cleanup_s", [0, 60])
def test_a_signal_ends_the_process_in_time(cleanup_s: int) -> None:
    """The process ends although its threads go on and its cleanup hangs."""
    code = STUCK.format(cleanup_s=cleanup_s)
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        printed = process.stdout.read()
        assert process.wait(30) == 0
    assert time.monotonic() - began < END_S
    assert printed == "the earlier handler\ncleanup\n"
