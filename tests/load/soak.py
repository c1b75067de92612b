"""Students who come and go for a long time: a hosted server must stay as large as it was.

Without it nobody would know whether something of each visitor stays for ever.

    python -m tests.load.soak --sessions 20 --seconds 600

Each student opens a page, acts for half a minute on average, leaves without a word, and another one
comes. The server has the variable of the hosting page. Its memory, descriptors, threads and
children are noted after each fifth of a minute. The exit code is 1 if its memory at the end is more
than `MOST` times that after `EARLY_S`, or if anything else is then above what it was at the start.
"""

import asyncio
import sys
import time
from itertools import count
from pathlib import Path

from tests.load.figures import Log, options, show, watch
from tests.load.server import HOSTED, ROOT, start
from tests.load.student import ACTIONS, Student

MOST = 1.15  # times the memory after `EARLY_S`
EARLY_S = 120.0  # seconds in which caches are filled; a fifth of a shorter run
STAY_S = 30.0  # seconds that a student stays, on average
NOTE_S = 12.0  # seconds between two notes
LEAVE_S = 75.0  # seconds after the last student, in which what was held is freed
MORE = {"files": 12, "threads": 4}  # above the start: pools that begin when they are first used


async def place(server, log, number, until):
    """One seat: students take it one after the other."""
    for visit in count():
        student = Student(server.address, log, number, visit)
        stays = min(until, time.monotonic() + student.chance.expovariate(1 / STAY_S))
        await student.attend([*ACTIONS], stays)
        await student.close()
        if time.monotonic() >= until:
            return


def note(server):
    """What the server holds now."""
    process = server.process
    with process.oneshot():
        found = {"rss_mb": process.memory_info().rss / 1e6, "threads": process.num_threads()}
    children = len(process.children(recursive=True))
    return found | {"files": process.num_fds(), "children": children}


async def notes(server, until, found):
    """Note again and again until the end."""
    begun = time.monotonic()
    while time.monotonic() < until:
        await asyncio.sleep(NOTE_S)
        found.append(note(server) | {"second": time.monotonic() - begun})


async def soaked(server, log, given):
    """The notes of a run, the first before anybody comes, the last after all have left."""
    found = [note(server) | {"second": 0.0}]
    until = time.monotonic() + given.seconds
    works = [place(server, log, number, until) for number in range(given.sessions)]
    await asyncio.gather(*works, notes(server, until, found))
    await asyncio.sleep(LEAVE_S)
    found.append(note(server) | {"second": given.seconds + LEAVE_S})
    return found


def main():
    """Measure and print."""
    parser = options(
        "Students who come and go.",
        sessions=(20, "students at a time"),
        seconds=(600.0, "for which they come"),
    )
    parser.add_argument("--app", type=Path, default=ROOT, help="another version, to compare two")
    given, log = parser.parse_args(), Log()
    with start(given.app, **HOSTED, MALLOC_ARENA_MAX="2") as server:
        server.wait_for("ready")
        others = watch()
        found = asyncio.run(soaked(server, log, given))
        log.wrong.update(f"did not stop in time: {one}" for one in server.stop())
        log.wrong.update(f"console: {one[:200]}" for one in server.printed())
    early = min(EARLY_S, given.seconds / 5)
    before = next(one for one in found if one["second"] >= early)
    first, last, end = found[0], found[-2], found[-1]
    wrong = [f"{times} x {what}" for what, times in log.wrong.items()]
    if last["rss_mb"] > MOST * before["rss_mb"]:
        wrong.append(f"memory: {last['rss_mb'] / before['rss_mb']:.2f} times")
    for name in ("files", "threads", "children"):
        if end[name] > first[name] + MORE.get(name, 0):
            wrong.append(f"{name}: {first[name]} at the start, {end[name]} at the end")
    ratio = last["rss_mb"] / before["rss_mb"]
    show(
        log.figures()
        | {"start": first, "early": before, "last": last, "end": end, "ratio": ratio}
        | {"others_cores": others(), "wrong": wrong}
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
