"""A class together: the same students work through a lab in a class and alone, in turns.

In a class a teacher has the board open. All turns have one server and as many students, who come
and leave; the order of the turns changes from wave to wave. The board must count each student once,
and the file must have each last answer once. In the last turn of a class the server may be killed
and started again.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psutil
from figures import Log, percentile, spread
from machine import Others
from pupil import ACTIONS, Pupil
from server import Server, start
from session import Session
from teacher import Teacher

ARRIVE_S = 5.0  # in which all students connect
SHOWN_S = 20.0  # in which the last answers are on the board
LOOK_S = 0.2
REST_S = 13.0  # between two turns; what students held is freed some seconds after they left


@dataclass
class Side:
    """All turns of one kind: alone, or in a class.

    Attributes:
        p95_ms: of the answers of each turn.
        cpu_s: processor time of the server while students worked.
        wall_s: seconds in which they did.
        delays: seconds until each answer was on the board.
        redraws: seconds of the board's redraws.
    """

    log: Log = field(default_factory=Log)
    p95_ms: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    wall_s: float = 0.0
    delays: list[float] = field(default_factory=list)
    redraws: list[float] = field(default_factory=list)

    @property
    def answers(self) -> list[float]:
        """Seconds of each answer, from the press to the end of the rerun."""
        return self.log.actions.get("labs: answer", [])

    async def turn(
        self, server: Server, lesson: Lesson, wave: int, teacher: Teacher | None, restarts: bool
    ) -> None:
        """Let all students come, work, and leave."""
        if teacher is not None:
            await teacher.open()
        pupils = [
            Pupil(
                Session(server.address, self.log.fragments.append, lesson.limit_s),
                Random(f"{lesson.seed} {wave} {place}"),  # noqa: S311 - the same in both kinds
                self.log,
                teacher.seed if teacher else wave * lesson.sessions + place + 1,
                teacher.code if teacher else "",
                lesson.seconds / ACTIONS,
            )
            for place in range(lesson.sessions)
        ]
        before, cpu, begun = len(self.answers), server.cpu_s(), time.monotonic()
        arrive_s = min(ARRIVE_S, lesson.seconds / 4)
        gaps = [arrive_s * place / len(pupils) for place in range(len(pupils))]
        restart = self._restart(server, lesson, teacher) if restarts else asyncio.sleep(0)
        await asyncio.gather(restart, *map(Pupil.attend, pupils, gaps))
        self.cpu_s += 0.0 if restarts else server.cpu_s() - cpu
        self.wall_s += time.monotonic() - begun
        self.p95_ms.append(round(1000 * percentile(self.answers[before:], 0.95), 1))
        if teacher is not None:
            await self._end(teacher, pupils)
        await asyncio.gather(*map(Pupil.leave, pupils))

    async def _restart(self, server: Server, lesson: Lesson, teacher: Teacher | None) -> None:
        """Kill the server in the middle, and start it again."""
        await asyncio.sleep(lesson.seconds / 2)
        await asyncio.to_thread(server.restart)
        assert teacher is not None
        await teacher.look()

    async def _end(self, teacher: Teacher, pupils: list[Pupil]) -> None:
        """Wait for the last answers on the board."""
        until = time.monotonic() + SHOWN_S
        while teacher.missing(pupils) and time.monotonic() < until:
            await asyncio.sleep(LOOK_S)
        self.delays += teacher.delays(pupils)
        self.redraws += teacher.redraws
        await teacher.close()

    def figures(self) -> dict[str, Any]:
        """What these students saw, and what it cost."""
        return {
            "answers": {**spread(self.answers), "count": len(self.answers)},
            "answers_p95_ms_of_each_turn": self.p95_ms,
            "opens": spread(self.log.opens),
            "server_cpu_percent": round(100 * self.cpu_s / self.wall_s, 1),
            "server_cpu_ms_per_answer": round(1000 * self.cpu_s / max(1, len(self.answers)), 1),
            "actions": {name: spread(found) for name, found in sorted(self.log.actions.items())},
            "wrong": dict(self.log.wrong.most_common()),
        }


@dataclass(frozen=True)
class Lesson:
    """The options of one run.

    Attributes:
        sessions: how many students.
        seconds: that a student takes for the lab, about.
        waves: how often all come and go, of each kind.
        limit_s: for a run to finish.
        seed: of what the students do.
        restart: whether the server is killed in the middle of one more turn of a class.
    """

    sessions: int
    seconds: float
    waves: int
    limit_s: float
    seed: int
    restart: bool = False


def measure(lesson: Lesson, hosted: bool, cold: bool, app: Path) -> dict[str, Any]:
    """All figures of one run."""
    alone, together, killed = Side(), Side(), Side()

    async def teach(server: Server) -> None:
        folder = server.log.parent
        for wave in range(lesson.waves):
            teacher = Teacher(server.address, folder, lesson.limit_s, together.log)
            turns = [(alone, None), (together, teacher)]
            for side, its_teacher in turns[:: -1 if wave % 2 else 1]:
                await side.turn(server, lesson, wave, its_teacher, False)
                # Else the students who left, and are forgotten later, would cost the next turn.
                await asyncio.sleep(min(REST_S, lesson.seconds))
        if lesson.restart:
            teacher = Teacher(server.address, folder, lesson.limit_s, killed.log)
            await killed.turn(server, lesson, lesson.waves, teacher, True)

    switch = {"EMBVIZ_CLASSES": "on"}
    with tempfile.TemporaryDirectory() as name, start(Path(name), hosted, switch, app) as server:
        if not cold:
            server.wait_until_warm()
        others, own = Others(), psutil.Process()
        own_start, begun = sum(own.cpu_times()[:2]), time.monotonic()
        asyncio.run(teach(server))
        client = (sum(own.cpu_times()[:2]) - own_start) / (time.monotonic() - begun)
        elsewhere = others.cores()
        printed = server.printed()
    before, after = alone.figures(), together.figures()
    errors = sum(sum(side.log.wrong.values()) for side in (alone, together, killed))
    return {
        "page": "class",
        "sessions": lesson.sessions,
        "seconds": lesson.seconds,
        "waves": lesson.waves,
        **{
            f"ratio_{name}": round(
                after["answers"][f"{name}_ms"] / before["answers"][f"{name}_ms"], 2
            )
            if after["answers"][f"{name}_ms"] and before["answers"][f"{name}_ms"]
            else None
            for name in ("p50", "p95")
        },
        "alone": before,
        "class": after,
        "on_board": {**spread(together.delays), "count": len(together.delays)},
        "redraw": spread(together.redraws),
        "killed": {"count": len(killed.delays), "wrong": dict(killed.log.wrong)},
        "polls": spread(together.log.polls),
        "client_cpu_percent": round(100 * client, 1),
        "others_cpu_percent": round(100 * elsewhere, 1),
        "printed": printed[:20],
        "errors": errors + sum("Traceback" in line for line in printed),
    }


def table(found: dict[str, Any]) -> str:
    """The figures as a table."""

    def ms(name: str, one: dict[str, Any]) -> str:
        return (
            f"{name:<34}{one['reruns']:>8,}  p50 {one['p50_ms'] or '-':>8}  "
            f"p95 {one['p95_ms'] or '-':>8}  max {one['max_ms'] or '-':>8} ms"
        )

    sides = found["alone"], found["class"]
    return "\n".join(
        [
            f"{found['sessions']} students go through the lab in about {found['seconds']:g} s, "
            f"{found['waves']} times alone and in a class, in turns",
            *(
                ms(f"an answer, {name}", side["answers"])
                for name, side in zip(("alone", "in a class"), sides, strict=True)
            ),
            *(
                f"  p95 of each turn: {side['answers_p95_ms_of_each_turn']} ms; server: "
                f"{side['server_cpu_percent']} % of a core, "
                f"{side['server_cpu_ms_per_answer']} ms for each answer and all beside it"
                for side in sides
            ),
            f"ratio, class to alone: p50 {found['ratio_p50']}, p95 {found['ratio_p95']}",
            ms("from sending to the board", found["on_board"]),
            ms("the board's redraws", found["redraw"]),
            ms("class/CODE/version", found["polls"]),
            f"with a server that was killed: {found['killed']}",
            f"client: {found['client_cpu_percent']} % of a core; "
            f"other processes: {found['others_cpu_percent']} %; errors: {found['errors']}",
            *(f"  {count} x {what}" for side in sides for what, count in side["wrong"].items()),
            *(f"  console: {line}" for line in found["printed"]),
        ]
    )
