"""Measures a class on one server: N students, each with a websocket and pauses between actions.

The app starts as a user starts it. The students are tasks of this process, which speaks Streamlit's
own protocol (see `client.py`). No browser takes part: nothing is drawn or downloaded.

    python -m tests.load.classroom --sessions 30 --seconds 60 [--page playground] [--sweeps 0]

They change text, numbers, options and pages (see `student.py`). One in ten presses Start on the
timing page. A run's latency is the time from the request until the server reports its end.

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
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from tests.load.client import LIMIT_S, NoAnswerError, Tab
from tests.load.figures import Log, Others, show
from tests.load.lesson import ACTIONS as OF_A_LAB
from tests.load.lesson import Pupil, Teacher
from tests.load.server import ROOT, TEXT, Server, start, start_echo
from tests.load.student import ACTIONS, Student
from tests.load.typist import Typist

ARRIVE_S = 5.0  # in which all students connect
REST_S = 13.0  # between two turns; what students held is freed some seconds after they left
TURNS = 3  # of typing, in each app


class Class:
    """The options of a run, its server, and what it observes."""

    def __init__(self, given: Namespace, server: Server) -> None:
        self.given, self.server, self.log = given, server, Log()

    async def all_of(
        self, students: Sequence[Any], work: Callable[[Any], Awaitable[None]], arrive_s: float = 0.0
    ) -> None:
        """Let all students work; each begins a little after the one before."""

        async def later(place: int) -> None:
            await asyncio.sleep(arrive_s * place / len(students))
            try:
                await work(students[place])
            except* (NoAnswerError, KeyError) as group:
                self.log.wrong.update(f"{type(e).__name__}: {e}" for e in group.exceptions)

        await asyncio.gather(*map(later, range(len(students))))

    def tab(self, server: Server) -> Tab:
        """A new tab; without a text the playground shows its small example."""
        return Tab(server.address, self.given.limit, text=[TEXT])

    async def mixed(self) -> dict[str, Any]:
        """Students on one page, or on all."""
        given, server, log = self.given, self.server, self.log
        pages = [*ACTIONS] if given.page == "mix" else [given.page]
        first_mb, cpu_s, begun = server.rss_mb(), server.cpu_s(), time.monotonic()
        students = []
        for place in range(given.sessions):
            measures = place < given.sweeps
            page = "timing" if measures else pages[place % len(pages)]
            end = begun + given.seconds
            one = Student(self.tab(server), chance(place), log, page, pages, measures, end)
            one.tab.on_fragment = log.seconds["automatic run"].append
            students.append(one)
        await self.all_of(students, Student.attend, min(ARRIVE_S, given.seconds / 4))
        cpu_s, full_mb = server.cpu_s() - cpu_s, server.rss_mb()
        wall_s = time.monotonic() - begun
        await self.all_of(students, Student.leave)
        names = ("run", "open", "automatic run", *(f"run: {page}" for page in pages))
        found = {name: log.spread(name) for name in names}
        runs = sum(found[name]["count"] for name in names[:3])
        return {
            **found,
            "sweeps_done": len(log.seconds["sweep"]),
            "server_cpu_percent": round(100 * cpu_s / wall_s, 1),
            "server_cpu_ms_per_run": round(1000 * cpu_s / max(1, runs), 1),
            "start_mb": round(first_mb),
            "per_session_mb": round((full_mb - first_mb) / given.sessions, 2),
        }

    async def typing(self) -> dict[str, Any]:
        """Students type into the app and into the echo app, in turns."""
        with tempfile.TemporaryDirectory() as folder, start_echo(Path(folder)) as bare:
            sides = [
                [
                    Typist(self.tab(app), chance(place), self.log, app is bare)
                    for place in range(self.given.sessions)
                ]
                for app in (bare, self.server)
            ]
            for students in sides:
                await self.all_of(students, Typist.arrive, ARRIVE_S)
            for _ in range(TURNS):
                for students in sides:
                    until = time.monotonic() + self.given.seconds / TURNS
                    await self.all_of(students, lambda one, until=until: one.type(until))
            for students in sides:
                await self.all_of(students, Typist.leave)
        found = {name: self.log.spread(name) for name in sorted(self.log.seconds)}
        return found | ratio(found["key"], found["key in the echo app"])

    async def lessons(self) -> dict[str, Any]:
        """Students work through a lab, alone and in a class, in turns; once the server dies."""
        for wave in range(self.given.waves):
            for kind in ("alone", "class")[:: -1 if wave % 2 else 1]:
                await self._turn(kind, wave)
        await self._turn("killed", self.given.waves)
        found = {name: self.log.spread(name) for name in sorted(self.log.seconds)}
        return found | ratio(found["answer, class"], found["answer, alone"])

    async def _turn(self, kind: str, wave: int) -> None:
        given, server = self.given, self.server
        teacher = Teacher(kind, server.address, given.limit, server.log.parent, self.log)
        if kind != "alone":
            await teacher.open()
        pupils = []
        for place in range(given.pupils):
            seed = teacher.seed or wave * given.pupils + place + 1
            pause_s = given.seconds / OF_A_LAB
            pupils.append(Pupil(teacher, self.tab(server), chance(wave, place), seed, pause_s))
        work = self.all_of(pupils, Pupil.attend, min(ARRIVE_S, given.seconds / 4))
        if kind == "killed":
            work = asyncio.gather(work, self._kill(teacher))
        await work
        if kind != "alone":
            await teacher.compare(pupils)
        await self.all_of(pupils, Pupil.leave)
        # Else the students who left, and are forgotten later, would cost the next turn.
        await asyncio.sleep(min(REST_S, given.seconds))

    async def _kill(self, teacher: Teacher) -> None:
        await asyncio.sleep(self.given.seconds / 2)
        await asyncio.to_thread(self.server.restart)
        await teacher.look()


def chance(*place: int) -> Random:
    """What a student does by chance; the same in each run."""
    return Random(str(place))  # noqa: S311 - for repetition, not for secrecy


def ratio(a: dict[str, float], b: dict[str, float]) -> dict[str, float]:
    """How much longer `a` takes than `b`."""
    return {f"ratio_{name}": round(a[name] / b[name], 2) for name in ("p50", "p95")}


def options() -> Namespace:
    """The command line."""
    made = argparse.ArgumentParser(description="A class of students on one server.")
    add = made.add_argument
    add("--class", type=int, dest="pupils", metavar="N", help="students who work through a lab")
    add("--sessions", type=int, default=30, help="students on the pages")
    add("--seconds", type=float, default=60, help="for which they work")
    add("--waves", type=int, default=1, help="with --class: turns alone and in a class")
    add("--page", choices=[*ACTIONS, "mix", "typing"], default="mix", help="where they are")
    add("--sweeps", type=int, help="how many press Start on the timing page (one in ten)")
    add("--limit", type=float, default=LIMIT_S, help="seconds for a run to finish")
    add("--hosted", action="store_true", help="with EMBVIZ_HOSTED=1")
    add("--app", type=Path, default=ROOT, help="another version, to compare two in turns")
    add("--json", action="store_true", help="one JSON object instead of a table")
    given = made.parse_args()
    if given.sweeps is None:
        given.sweeps = max(given.page in ("timing", "mix"), given.sessions // 10)
    return given


def main() -> int:
    """Measure and print."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # stops the server too
    given = options()
    switches = {"EMBVIZ_CLASSES": "on", "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost"}
    with (
        tempfile.TemporaryDirectory() as name,
        start(Path(name), given.hosted, switches, given.app) as server,
    ):
        server.wait_until_warm()
        run, others = Class(given, server), Others()
        work = run.lessons if given.pupils else run.typing if given.page == "typing" else run.mixed
        found = asyncio.run(work())
        found["others_cores"] = others.cores()
        found["stop_s"], stayed = server.stop()
        wrong = run.log.wrong
        wrong.update(f"a process was left: {one}" for one in stayed)
        wrong.update(f"console: {one[:200]}" for one in server.printed())
    if found["stop_s"] is None:
        wrong["the server did not stop within 5 s"] += 1
    # In KiB on Linux: the largest of the server and the processes that it started.
    found["peak_mb"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1.024e-3)
    found["wrong"] = [f"{count} x {what}" for what, count in wrong.most_common() if count]
    show(found, given.json)
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
