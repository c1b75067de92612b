"""Measures a class on one server: N students, each with a websocket and pauses between actions.

The app starts as a user starts it. The students are tasks of this process, which speaks Streamlit's
own protocol (see `client.py`). No browser takes part: nothing is drawn or downloaded.

    python -m tests.load.classroom --sessions 30 --seconds 60 [--page playground] [--sweeps 0]

They change text, numbers, options and pages (see `student.py`). Three of them press Start on the
timing page, or `--sweeps`. A run's latency is the time from the request until its end is reported.

    python -m tests.load.classroom --sessions 100 --seconds 45 --page typing

They type words into the playground and into a bare echo app, in turns (see `typist.py`). Both
servers run all the time, and the turns are short, so the machine's speed meets both.

    python -m tests.load.classroom --class 100 --seconds 180 --waves 2

They work through a lab, alone and in a class with the board open, in turns, and in one more class
whose server is killed in the middle and started again (see `lesson.py`).

The exit code is 1 if a connection ended, a run did not finish in time, a page showed an exception
or an error, an answer was lost or counted twice, the server did not stop within 5 s, left a process
behind or printed a traceback.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import signal
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from tests.load.client import NoAnswerError, Tab
from tests.load.figures import Log, Others, ratios, show
from tests.load.lesson import ACTIONS as OF_A_LAB
from tests.load.lesson import Pupil, Teacher
from tests.load.server import ROOT, Server, start, start_echo
from tests.load.student import ACTIONS, Student
from tests.load.typist import Typist

ARRIVE_S = 5.0  # in which all students connect
REST_S = 13.0  # between two turns; what students held is freed some seconds after they left
TURNS = 3  # of typing, in each app


async def each(log: Log, works: Sequence[Coroutine[Any, Any, None]], arrive_s: float = 0.0) -> None:
    """Let all students work; each begins a little after the one before."""

    async def later(place: int, work: Coroutine[Any, Any, None]) -> None:
        await asyncio.sleep(arrive_s * place / len(works))
        try:
            await work
        except* (NoAnswerError, KeyError) as group:
            log.wrong.update(f"{type(e).__name__}: {e}" for e in group.exceptions)

    await asyncio.gather(*map(later, range(len(works)), works))


async def mixed(given: Namespace, server: Server, log: Log) -> dict[str, Any]:
    """Students on one page, or on all."""
    pages = [*ACTIONS] if given.page == "mix" else [given.page]
    first_mb, cpu_s, until = server.rss_mb(), server.cpu_s(), time.monotonic() + given.seconds
    students = [Student(server.address, log, place) for place in range(given.sessions)]
    works = [one.sweep(until) for one in students[: given.sweeps]]
    works += [one.attend(pages, until) for one in students[given.sweeps :]]
    await each(log, works, given.arrive_s)
    found = log.figures()
    return found | {
        "server_cpu_ms_per_run": (server.cpu_s() - cpu_s) * 1000 / found["run"]["count"],
        "start_mb": first_mb,
        "per_session_mb": (server.rss_mb() - first_mb) / given.sessions,
    }


async def typing(given: Namespace, server: Server, log: Log) -> dict[str, Any]:
    """Students type into the app and into the echo app, in turns."""
    with start_echo() as bare:
        sides = {
            name: [Typist(app.address, log, place) for place in range(given.sessions)]
            for name, app in (("echo", bare), ("key", server))
        }
        for name, students in sides.items():
            await each(log, [one.arrive(name) for one in students], given.arrive_s)
        for students in [*sides.values()] * TURNS:
            until = time.monotonic() + given.seconds / TURNS
            await each(log, [one.type(until) for one in students])
    return log.figures() | ratios(log.figures(), "key", "echo")


async def lessons(given: Namespace, server: Server, log: Log) -> dict[str, Any]:
    """Students work through a lab, alone and in a class, in turns; once the server dies."""

    async def kill(teacher: Teacher) -> None:
        await asyncio.sleep(given.seconds / 2)
        await asyncio.to_thread(server.restart)
        await teacher.look()

    async def turn(kind: str, wave: int) -> None:
        teacher = Teacher(server.address, log)
        if kind != "alone":
            await teacher.open(server.log.parent)
        pupils = [Pupil(server.address, log, wave, place) for place in range(given.pupils)]
        think_s = given.seconds / OF_A_LAB
        works = [one.attend(kind, teacher.code, teacher.seed, think_s) for one in pupils]
        working = [each(log, works, given.arrive_s)]
        if kind == "killed":
            working.append(kill(teacher))
        await asyncio.gather(*working)
        if kind != "alone":
            await teacher.compare(pupils, kind)
        for one in pupils:
            await one.tab.close()
        # Else the students who left, and are forgotten later, would cost the next turn.
        await asyncio.sleep(min(REST_S, given.seconds))

    for wave in range(given.waves):
        for kind in ("alone", "class")[:: -1 if wave % 2 else 1]:
            await turn(kind, wave)
    await turn("killed", given.waves)
    return log.figures() | ratios(log.figures(), "answer, class", "answer, alone")


def options() -> Namespace:
    """The command line."""
    made = argparse.ArgumentParser(description="A class of students on one server.")
    add = made.add_argument
    add("--class", type=int, dest="pupils", metavar="N", help="students who work through a lab")
    add("--sessions", type=int, default=30, help="students on the pages")
    add("--seconds", type=float, default=60, help="for which they work")
    add("--waves", type=int, default=1, help="with --class: turns alone and in a class")
    add("--page", choices=[*ACTIONS, "mix", "typing"], default="mix", help="where they are")
    add("--sweeps", type=int, default=3, help="how many press Start on the timing page")
    add("--limit", type=float, default=Tab.limit_s, help="seconds for a run to finish")
    add("--hosted", action="store_true", help="with EMBVIZ_HOSTED=1")
    add("--app", type=Path, default=ROOT, help="another version, to compare two in turns")
    given = made.parse_args()
    given.arrive_s = min(ARRIVE_S, given.seconds / 4)
    return given


def main() -> int:
    """Measure and print."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # stops the server too
    given, log = options(), Log()
    Tab.limit_s = given.limit
    switches = {"EMBVIZ_CLASSES": "on", "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost"}
    with (
        tempfile.TemporaryDirectory() as name,
        start(Path(name), given.hosted, switches, given.app) as server,
    ):
        server.wait_until_warm()
        others = Others()
        work = lessons if given.pupils else typing if given.page == "typing" else mixed
        found = asyncio.run(work(given, server, log))
        found["others_cores"] = others.cores()
        found["stop_s"], stayed = server.stop()
        log.wrong.update(f"a process was left: {one}" for one in stayed)
        log.wrong.update(f"console: {one[:200]}" for one in server.printed())
    log.wrong["the server did not stop within 5 s"] += found["stop_s"] is None
    # In KiB on Linux: the largest of the server and the processes that it started.
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1.024e-3
    found["wrong"] = [f"{count} x {what}" for what, count in log.wrong.items() if count]
    show(found)
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
