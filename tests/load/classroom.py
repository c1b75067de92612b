"""Measures a class on one server: N students, each with a websocket and pauses between actions.

The app starts as a user starts it. The students are tasks of this process, which speaks Streamlit's
own protocol (see `protocol.py`). They change text, numbers, options and, with `--page mix`, pages
(see `student.py`). One in ten presses Start on the timing page and waits until the sweep has ended.
The latency of a rerun is the time from sending the request until the server reports the run's end.
No browser takes part: nothing is drawn, and no scripts or fonts are downloaded.

    python tests/load/classroom.py --sessions 30 --seconds 60 --page playground [--json]
    python tests/load/classroom.py --sessions 100 --seconds 45 --page typing [--json]

With `--page typing` they type words into the playground, and into a bare echo app for comparison:
see `typists.py`.

    python tests/load/classroom.py --class 100 --seconds 60 --waves 3 [--json]

With `--class` that many students work through a lab, in a class with the board open and alone, in
turns, and with `--restart` once more while the server is killed: see `together.py`.

The exit code is 1 if a connection ended, a run did not finish in 30 s, a page showed an exception
or an error, the server did not stop within 5 s, or it left a process behind.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "benchmarks"), str(ROOT)]

import psutil  # noqa: E402 - its folder is added just above
import typists  # noqa: E402
from figures import Log, summary, table  # noqa: E402
from machine import Others  # noqa: E402
from server import MB, Server, start  # noqa: E402
from session import LIMIT_S, Session  # noqa: E402
from student import ACTIONS, FIRST, Student  # noqa: E402

PAGES = [name for name in ACTIONS if (ROOT / "pages" / f"{name}.py").is_file()]
ARRIVE_S = 5.0  # in which all students connect
SETTLE_S = 3.0  # from closing all tabs to reading the memory
REST_S = 13.0  # the same between waves; memory is freed some seconds after the last session
MEASURERS = 10  # one student of this many presses Start


@dataclass(frozen=True)
class Lesson:
    """The options of one run.

    Attributes:
        measurers: how many press Start on the timing page.
        waves: how often all come and go.
        limit_s: for a run to finish.
        seed: of what the students do.
    """

    page: str
    sessions: int
    seconds: float
    measurers: int
    waves: int
    limit_s: float
    seed: int

    def students(self, address: str, log: Log, wave: int) -> list[Student]:
        """The class."""
        mixed = self.page == "mix"
        until = time.monotonic() + self.seconds
        made = []
        for place in range(self.sessions):
            measures = place < self.measurers
            page = PAGES[place % len(PAGES)] if mixed else self.page
            page = "timing" if measures else page
            chance = Random(f"{self.seed} {wave} {place}")  # noqa: S311 - for repetition, not for secrecy
            session = Session(address, log.fragments.append, self.limit_s)
            made.append(
                Student(session, chance, log, page, PAGES if mixed else [], measures, until)
            )
        return made


async def teach(lesson: Lesson, server: Server, log: Log) -> tuple[list[float], float]:
    """Run all waves; return the memory after each, and before the first one ended."""
    after, full = [], 0.0
    for wave in range(lesson.waves):
        students = lesson.students(server.address, log, wave)
        arrive_s = min(ARRIVE_S, lesson.seconds / 4)
        delays = [arrive_s * place / len(students) for place in range(len(students))]
        await asyncio.gather(*map(Student.attend, students, delays))
        full = full or server.rss_mb()
        await asyncio.gather(*map(Student.leave, students))
        await asyncio.sleep(REST_S if lesson.waves > 1 else SETTLE_S)
        after.append(round(server.rss_mb(), 1))
    return after, full


def measure(lesson: Lesson, hosted: bool, cold: bool, app: Path = ROOT) -> dict[str, Any]:
    """All figures of one run."""
    log = Log()
    with tempfile.TemporaryDirectory() as name, start(Path(name), hosted, {}, app) as server:
        if not cold:
            server.wait_until_warm()
        rss_start, cpu_start = server.rss_mb(), server.cpu_s()
        others, own = Others(), psutil.Process()
        own_start, begun = sum(own.cpu_times()[:2]), time.monotonic()
        server.watch()
        after, full = asyncio.run(teach(lesson, server, log))
        wall = time.monotonic() - begun
        cpu, own_cpu = server.cpu_s() - cpu_start, sum(own.cpu_times()[:2]) - own_start
        others_cores = others.cores()
        stop_s, stayed = server.stop()
        printed = server.printed()
    if stop_s is None:
        log.wrong["the server did not stop within 5 s"] += 1
    for one in stayed:
        log.wrong[f"a process was left: {one}"] += 1
    tracebacks = sum("Traceback" in line for line in printed)
    if tracebacks:
        last = next(line for line in reversed(printed) if line)
        log.wrong[f"console: a traceback, the last ending in {last[:200]}"] += tracebacks
    runs = len(log.opens) + len(log.fragments) + sum(map(len, log.reruns.values()))
    return {
        "page": lesson.page,
        "sessions": lesson.sessions,
        "seconds": lesson.seconds,
        "waves": lesson.waves,
        "measurers": lesson.measurers,
        "hosted": hosted,
        "warm": not cold,
        **summary(log),
        "rss_start_mb": round(rss_start, 1),
        "rss_peak_mb": round(max(server.peak_mb, full), 1),
        "total_peak_mb": round(server.total_mb, 1),
        "rss_end_mb": after[-1],
        "rss_after_wave_mb": after,
        "per_session_mb": None if cold else round((full - rss_start) / lesson.sessions, 2),
        "worker_mb": round(server.worker_mb, 1),
        "children_mb": {name: round(mb, 1) for name, mb in server.children_mb.items()},
        "server_cpu_percent": round(100 * cpu / wall, 1),
        "server_cpu_ms_per_run": round(1000 * cpu / runs, 1) if runs else None,
        "worker_cpu_percent": round(100 * server.worker_cpu_s() / wall, 1),
        "client_cpu_percent": round(100 * own_cpu / wall, 1),
        "others_cpu_percent": round(100 * others_cores, 1),
        "client_mb": round(own.memory_info().rss / MB, 1),
        "stop_s": stop_s,
        "children_left": stayed,
        "printed": printed[:20],
    }


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description="A class of students on one server.")
    made.add_argument(
        "--class",
        type=_positive(int),
        dest="pupils",
        metavar="N",
        help="students of a class, who each take about --seconds for a lab",
    )
    made.add_argument(
        "--restart", action="store_true", help="with --class: kill the server in one more turn"
    )
    made.add_argument("--sessions", type=_positive(int), default=30, help="students")
    made.add_argument("--seconds", type=_positive(float), default=60, help="a wave's length")
    made.add_argument(
        "--page",
        choices=[*PAGES, "mix", "typing"],
        default=FIRST,
        help="where they are; mix: on all pages, to and fro; typing: in the playground's text",
    )
    made.add_argument(
        "--measurers",
        type=int,
        help="how many press Start on the timing page (one in ten; on timing and mix at least one)",
    )
    made.add_argument("--waves", type=_positive(int), default=1, help="how often all come and go")
    made.add_argument(
        "--limit", type=_positive(float), default=LIMIT_S, help="seconds for a run to finish"
    )
    made.add_argument("--hosted", action="store_true", help="with EMBVIZ_HOSTED=1")
    made.add_argument("--seed", type=int, default=1, help="of what the students do")
    made.add_argument(
        "--cold", action="store_true", help="do not wait until the server has imported everything"
    )
    made.add_argument(
        "--app", type=Path, default=ROOT, help="folder of another version, to compare two in turns"
    )
    made.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    return made


def _positive(kind: type[int] | type[float]) -> Any:
    def read(text: str) -> float:
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text} is not above 0")
        return value

    return read


def main() -> int:
    """Measure and print."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # stops the server too
    given = parser().parse_args()
    if given.page == "typing":
        typed = typists.measure(
            given.sessions, given.seconds, given.limit, given.seed, given.hosted, given.app
        )
        print(json.dumps(typed) if given.json else typists.table(typed))
        return 1 if typed["errors"] else 0
    if given.pupils is not None:
        import together  # here, because it imports the labs, and with them PyTorch

        plan = together.Lesson(
            given.pupils, given.seconds, given.waves, given.limit, given.seed, given.restart
        )
        seen = together.measure(plan, given.hosted, given.cold, given.app)
        print(json.dumps(seen) if given.json else together.table(seen))
        return 1 if seen["errors"] else 0
    least = 1 if given.page in ("timing", "mix") else 0
    measurers = max(least, given.sessions // MEASURERS)
    if given.measurers is not None:
        measurers = min(given.measurers, given.sessions)
    lesson = Lesson(
        given.page, given.sessions, given.seconds, measurers, given.waves, given.limit, given.seed
    )
    found = measure(lesson, given.hosted, given.cold, given.app)
    print(json.dumps(found) if given.json else table(found))
    return 1 if found["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
