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

import asyncio
import sys
import time
from pathlib import Path

from tests.load.figures import Log, options, show, watch
from tests.load.lesson import PRESSES, WORD, Pupil, Teacher
from tests.load.server import ROOT, STOP_LIMIT_S, start, start_echo
from tests.load.student import ACTIONS, Student
from tests.load.typist import Typist

ARRIVE_S = 5.0  # in which all students connect, at most
REST_S = 13.0  # between two turns; what students held is freed some seconds after they left
TURNS = 3  # of typing, in each app


async def each(log, works, seconds=0):
    """Let all students work; each begins a little after the one before, if they come only now."""

    async def later(place, work):
        await asyncio.sleep(min(ARRIVE_S, seconds / 4) * place / len(works))
        await work

    ends = await asyncio.gather(*map(later, range(len(works)), works), return_exceptions=True)
    log.wrong.update(map(repr, filter(None, ends)))


async def mixed(given, server, log):
    """Students on one page, or on all."""
    cpu_times, memory = server.process.cpu_times, server.process.memory_info
    cpu_s, mb = sum(cpu_times()[:2]), memory().rss / 1e6
    pages = [*ACTIONS] if given.page == "mix" else [""]
    until = time.monotonic() + given.seconds
    students = [Student(server.address, log, place) for place in range(given.sessions)]
    works = [one.sweep(until) for one in students[: given.sweeps]]
    works += [one.attend(pages, until) for one in students[given.sweeps :]]
    await each(log, works, given.seconds)
    return log.figures() | {
        # Of the server, without its children.
        "server_cpu_ms_per_run": 1000 * (sum(cpu_times()[:2]) - cpu_s) / len(log.seconds["run"]),
        "start_mb": mb,
        "per_session_mb": (memory().rss / 1e6 - mb) / given.sessions,
    }


async def typing(given, server, log):
    """Students type into the app and into the echo app, in turns."""
    with start_echo() as bare:
        sides = []
        for app, address in (("echo", bare.address), ("playground", server.address)):
            sides.append([Typist(address, log, place) for place in range(given.sessions)])
            await each(log, [one.arrive(app) for one in sides[-1]], given.seconds)
        for students in sides * TURNS:
            until = time.monotonic() + given.seconds / TURNS
            await each(log, [one.type(until) for one in students])
    return log.figures("key: playground", "key: echo")


async def lessons(given, server, log):
    """Students work through a lab, alone and in a class, in turns; once the server dies."""

    async def kill(teacher):
        await asyncio.sleep(given.seconds / 2)
        await asyncio.to_thread(server.restart)
        await teacher.look()

    async def turn(kind, wave):
        teacher = Teacher(server.address, log)
        if kind != "alone":
            await teacher.begin(server.log.parent)
        pupils = [Pupil(server.address, log, wave, place) for place in range(given.pupils)]
        works = [one.attend(kind, teacher, given.seconds / PRESSES) for one in pupils]
        works += [kill(teacher)] if kind == "killed" else []
        await each(log, works, given.seconds)
        if kind != "alone":
            await teacher.compare(kind)
        for one in pupils:
            await one.close()
        # Else the students who left, and are forgotten later, would cost the next turn.
        await asyncio.sleep(min(REST_S, given.seconds))

    for wave in range(given.waves):
        for kind in sorted(("alone", "class"), reverse=wave % 2):
            await turn(kind, wave)
    await turn("killed", given.waves)
    return log.figures("answer: class", "answer: alone") if given.waves else log.figures()


def main():
    """Measure and print."""
    parser = options(
        "A class of students on one server.",
        sessions=(30, "students on the pages"),
        seconds=(60.0, "for which they work"),
        waves=(1, "with --class: turns alone and in a class"),
        sweeps=(3, "how many press Start on the timing page"),
    )
    add = parser.add_argument
    add("--class", type=int, dest="pupils", help="students who work through a lab")
    add("--page", choices=["mix", "playground", "typing"], default="mix", help="where they are")
    add("--stop", type=float, default=STOP_LIMIT_S, help="seconds in which the server must end")
    add("--hosted", action="store_true", help="with EMBVIZ_HOSTED=1")
    add("--app", type=Path, default=ROOT, help="another version, to compare two in turns")
    given, log = parser.parse_args(), Log()
    work = lessons if given.pupils else typing if given.page == "typing" else mixed
    with start(
        given.app,
        EMBVIZ_CLASSES="on",
        EMBVIZ_CLASS_WORD=WORD,
        EMBVIZ_HOSTED=str(int(given.hosted)),
        STREAMLIT_SERVER_ALLOWED_HOSTS="localhost",
    ) as server:
        server.wait_for("ready")
        others = watch()
        found = asyncio.run(work(given, server, log))
        log.wrong.update(f"did not stop in time: {one}" for one in server.stop(given.stop))
        log.wrong.update(f"console: {one[:200]}" for one in server.printed())
    found["others_cores"] = others()
    found["wrong"] = [f"{count} x {what}" for what, count in log.wrong.items() if count]
    show(found)
    return bool(found["wrong"])


if __name__ == "__main__":
    sys.exit(main())
