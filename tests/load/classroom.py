"""Measures a class on one server: N students, each with a websocket and pauses between actions.

Without it nobody would know how many students one process carries. The app starts as a user
starts it. The students are tasks of this process, which speaks Streamlit's own protocol (see
`client.py`). No browser takes part: nothing is drawn or downloaded.

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
or an error, an answer was lost or counted twice, the server or a process of it did not stop within
5 s, or the console has more than the address.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from tests.load.figures import Log, show, watch
from tests.load.lesson import ACTIONS as OF_A_LAB
from tests.load.lesson import Pupil, Teacher
from tests.load.server import ROOT, Server, start, start_echo
from tests.load.student import ACTIONS, Student
from tests.load.typist import Typist

ARRIVE_S = 5.0  # in which all students connect, at most
REST_S = 13.0  # between two turns; what students held is freed some seconds after they left
TURNS = 3  # of typing, in each app


async def each(log: Log, works: Sequence[Coroutine[Any, Any, None]], arrive_s: float = 0.0) -> None:
    """Let all students work; each begins a little after the one before."""

    async def later(place: int, work: Coroutine[Any, Any, None]) -> None:
        await asyncio.sleep(arrive_s * place / len(works))
        await work

    ends = map(later, range(len(works)), works)
    failed = await asyncio.gather(*ends, return_exceptions=True)
    log.wrong.update(repr(one) for one in failed if one)


async def mixed(given: Namespace, server: Server, log: Log) -> dict[str, Any]:
    """Students on one page, or on all."""

    def used() -> tuple[float, float]:
        """Seconds of processor time and megabytes of the server, without its children."""
        process = server.process
        return 1000 * sum(process.cpu_times()[:2]), process.memory_info().rss / 1_000_000

    pages = [*ACTIONS] if given.page == "mix" else [""]
    until = time.monotonic() + given.seconds
    cpu_ms, mb = used()
    students = [Student(server.address, log, place) for place in range(given.sessions)]
    works = [one.sweep(until) for one in students[: given.sweeps]]
    works += [one.attend(pages, until) for one in students[given.sweeps :]]
    await each(log, works, given.arrive_s)
    (ms_now, mb_now), runs = used(), len(log.seconds["run"])
    return log.figures() | {
        "server_cpu_ms_per_run": (ms_now - cpu_ms) / runs,
        "start_mb": mb,
        "per_session_mb": (mb_now - mb) / given.sessions,
    }


async def typing(given: Namespace, server: Server, log: Log) -> dict[str, Any]:
    """Students type into the app and into the echo app, in turns."""
    with start_echo() as bare:
        sides = []
        for app, address in (("echo", bare.address), ("playground", server.address)):
            sides.append([Typist(address, log, place) for place in range(given.sessions)])
            await each(log, [one.arrive(app) for one in sides[-1]], given.arrive_s)
        for students in sides * TURNS:
            until = time.monotonic() + given.seconds / TURNS
            await each(log, [one.type(until) for one in students])
    return log.compared("key: playground", "key: echo")


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
        works = [one.attend(kind, teacher, given.seconds / OF_A_LAB) for one in pupils]
        working = [each(log, works, given.arrive_s)]
        if kind == "killed":
            working.append(kill(teacher))
        await asyncio.gather(*working)
        if kind != "alone":
            await teacher.compare(kind)
        for one in pupils:
            await one.tab.close()
        # Else the students who left, and are forgotten later, would cost the next turn.
        await asyncio.sleep(min(REST_S, given.seconds))

    for wave in range(given.waves):
        for kind in ("alone", "class")[:: -1 if wave % 2 else 1]:
            await turn(kind, wave)
    await turn("killed", given.waves)
    return log.compared("answer: class", "answer: alone")


def options() -> Namespace:
    """The command line."""
    made = argparse.ArgumentParser(description="A class of students on one server.")
    add = made.add_argument
    add("--class", type=int, dest="pupils", metavar="N", help="students who work through a lab")
    add("--sessions", type=int, default=30, help="students on the pages")
    add("--seconds", type=float, default=60, help="for which they work")
    add("--waves", type=int, default=1, help="with --class: turns alone and in a class")
    add("--page", choices=["mix", "playground", "typing"], default="mix", help="where they are")
    add("--sweeps", type=int, default=3, help="how many press Start on the timing page")
    add("--hosted", action="store_true", help="with EMBVIZ_HOSTED=1")
    add("--app", type=Path, default=ROOT, help="another version, to compare two in turns")
    given = made.parse_args()
    given.arrive_s = min(ARRIVE_S, given.seconds / 4)
    return given


def main() -> int:
    """Measure and print."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # stops the server too
    given, log = options(), Log()
    with start(
        given.app,
        EMBVIZ_CLASSES="on",
        EMBVIZ_HOSTED=str(int(given.hosted)),
        STREAMLIT_SERVER_ALLOWED_HOSTS="localhost",
    ) as server:
        server.wait_for("ready")
        others = watch()
        work = lessons if given.pupils else typing if given.page == "typing" else mixed
        found = asyncio.run(work(given, server, log))
        found["others_cores"] = others()
        log.wrong.update(f"did not stop in time: {one}" for one in server.stop())
        log.wrong.update(f"console: {one[:200]}" for one in server.printed())
    found["wrong"] = [f"{count} x {what}" for what, count in log.wrong.items() if count]
    show(found)
    return bool(found["wrong"])


if __name__ == "__main__":
    sys.exit(main())
