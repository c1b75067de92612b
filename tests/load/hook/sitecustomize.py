"""Samples what a process's threads do. Python imports this by itself when it is on PYTHONPATH.

Only the load test puts it there (`--profile`), and only `streamlit run` samples, once the file
to write exists. Every few milliseconds a thread notes which functions the other threads are in.
Hooks of the garbage collector note how much processor time each collection took. It changes
nothing else in the app under test.
"""

import os
import sys

PLACE = os.environ.get("CLASSROOM_PROFILE", "")
EVERY_S, WRITE_S, DEPTH = 0.004, 2.0, 60
# A thread whose innermost function is one of these waits and costs nothing.
IDLE = {
    ("threading.py", "wait"),
    ("threading.py", "_wait_for_tstate_lock"),
    ("selectors.py", "select"),
    ("subprocess.py", "_try_wait"),
    ("thread.py", "_worker"),
    ("polling_path_watcher.py", "task"),
    ("inotify_c.py", "_check_inotify_fd"),
    ("warm_up.py", "_warm_up"),
    ("queue.py", "get"),
    ("queue.py", "wait"),
    ("child.py", "receive"),
    ("base_events.py", "_run_once"),
    ("child.py", "_read_lines"),
    ("child.py", "_read_errors"),
    ("shutdown.py", "_end"),
}


def named(frame: object) -> list[str]:
    """The functions of a thread, the innermost last."""
    found = []
    while frame is not None and len(found) < DEPTH:
        code = frame.f_code  # type: ignore[attr-defined]
        found.append(f"{code.co_filename}:{code.co_name}")
        frame = frame.f_back  # type: ignore[attr-defined]
    return found[::-1]


def waits(frame: object) -> bool:
    """Whether a thread waits."""
    code = frame.f_code  # type: ignore[attr-defined]
    name = os.path.basename(code.co_filename)  # noqa: PTH119 - no import that is not needed
    return (name, code.co_name) in IDLE


def begin() -> None:
    """Start the sampling thread."""
    import collections
    import gc
    import json
    import threading
    import time

    stacks: collections.Counter[str] = collections.Counter()
    collected: dict[int, list[float]] = {}
    begun = [0.0]
    state = {"samples": 0, "busy": 0}

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            begun[0] = time.thread_time()
        elif state["samples"]:
            entry = collected.setdefault(info["generation"], [0, 0.0])
            entry[0] += 1
            entry[1] += time.thread_time() - begun[0]

    def sample() -> None:
        while not os.path.exists(PLACE):  # noqa: PTH110 - made when the class begins
            time.sleep(0.1)
        own, written = threading.get_ident(), time.monotonic()
        while True:
            time.sleep(EVERY_S)
            state["samples"] += 1
            frames = [
                frame
                for thread, frame in sys._current_frames().items()
                if thread != own and not waits(frame)
            ]
            if frames:
                state["busy"] += 1
            for frame in frames:  # one of them has the processor, which one is not known
                stacks[";".join(named(frame))] += 1 / len(frames)  # type: ignore[assignment]
            if time.monotonic() - written > WRITE_S:
                written = time.monotonic()
                with open(PLACE + ".part", "w", encoding="utf-8") as file:  # noqa: PTH123
                    json.dump({"stacks": stacks, "collected": collected, **state}, file)
                os.replace(PLACE + ".part", PLACE)  # noqa: PTH105

    gc.callbacks.append(note)
    threading.Thread(target=sample, name="classroom-sampler", daemon=True).start()


if PLACE and "streamlit" in " ".join(getattr(sys, "orig_argv", [])):
    begin()
