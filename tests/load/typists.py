"""The typing load: the same students type into the app and into the bare echo app, in turns.

Both servers run all the time, and all tabs stay open. The turns are short, so that a change of the
machine's speed meets both. The main figure is the ratio of the 95th percentiles of a key.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psutil
from echo import echo_app
from figures import Log, spread
from machine import Others
from server import Server, start
from session import Session
from typist import Typist

TURNS = 3
ARRIVE_S = 5.0  # in which all students connect


@dataclass
class Side:
    """One of the two apps.

    Attributes:
        cpu_s: processor time of its server during its turns.
        client_s: of this process, during the same.
        wall_s: seconds of its turns.
    """

    server: Server
    echo: bool
    log: Log = field(default_factory=Log)
    typists: list[Typist] = field(default_factory=list)
    cpu_s: float = 0.0
    client_s: float = 0.0
    wall_s: float = 0.0

    async def open(self, sessions: int, limit_s: float, seed: int) -> None:
        """Connect all students."""
        for place in range(sessions):
            chance = Random(f"{seed} {place}")  # noqa: S311 - the same for both apps
            session = Session(self.server.address, self.log.fragments.append, limit_s)
            self.typists.append(Typist(session, chance, self.log, self.echo))
        gaps = [ARRIVE_S * place / sessions for place in range(sessions)]
        await asyncio.gather(*map(Typist.arrive, self.typists, gaps))

    async def turn(self, seconds: float) -> None:
        """Let all students type."""
        own = psutil.Process()
        cpu, client, begun = self.server.cpu_s(), sum(own.cpu_times()[:2]), time.monotonic()
        await asyncio.gather(*(one.type(begun + seconds) for one in self.typists))
        self.wall_s += time.monotonic() - begun
        self.cpu_s += self.server.cpu_s() - cpu
        self.client_s += sum(own.cpu_times()[:2]) - client

    def figures(self) -> dict[str, Any]:
        """What this app's students saw."""
        log, reruns = self.log, [one for seconds in self.log.reruns.values() for one in seconds]
        sizes = sorted(log.route_bytes)
        return {
            "keys": {**spread(log.keys), "count": len(log.keys)},
            "reruns": spread(reruns),
            "opens": spread(log.opens),
            "route_bytes_p50": sizes[len(sizes) // 2] if sizes else None,
            "busy": log.busy,
            "server_cpu_percent": round(100 * self.cpu_s / self.wall_s, 1),
            "client_cpu_percent": round(100 * self.client_s / self.wall_s, 1),
            "wrong": dict(log.wrong.most_common()),
        }


async def _teach(
    sides: list[Side], sessions: int, seconds: float, limit_s: float, seed: int
) -> None:
    for side in sides:
        await side.open(sessions, limit_s, seed)
    for _ in range(TURNS):
        for side in sides:
            await side.turn(seconds / TURNS)
    for side in sides:
        await asyncio.gather(*map(Typist.leave, side.typists))


def measure(
    sessions: int, seconds: float, limit_s: float, seed: int, hosted: bool, app: Path
) -> dict[str, Any]:
    """All figures of one run; `seconds` are those of one app's turns together."""
    with ExitStack() as stack:
        sides = []
        for echo in (True, False):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            code = stack.enter_context(echo_app()) if echo else app
            server = stack.enter_context(start(folder, hosted, {}, code))
            server.wait_until_warm()
            sides.append(Side(server, echo))
        others = Others()
        asyncio.run(_teach(sides, sessions, seconds, limit_s, seed))
        elsewhere = others.cores()
    theirs, ours = (side.figures() for side in sides)
    keys, echoed = ours["keys"], theirs["keys"]
    return {
        "page": "typing",
        "sessions": sessions,
        "seconds": seconds,
        **{
            f"ratio_{name}": round(keys[f"{name}_ms"] / echoed[f"{name}_ms"], 2)
            if keys[f"{name}_ms"] and echoed[f"{name}_ms"]
            else None
            for name in ("p50", "p95")
        },
        "playground": ours,
        "echo": theirs,
        "others_cpu_percent": round(100 * elsewhere, 1),
        "errors": sum(sum(side.log.wrong.values()) for side in sides),
    }


def table(found: dict[str, Any]) -> str:
    """The figures as a table."""
    sides = found["playground"], found["echo"]

    def row(name: str, *path: str) -> str:
        cells = []
        for side in sides:
            value: Any = side
            for step in path:
                value = value[step]
            cells.append(f"{'-' if value is None else format(value, ',')}")
        return f"{name:<28}" + "".join(f"{cell:>12}" for cell in cells)

    return "\n".join(
        [
            f"{found['sessions']} students type {found['seconds']:g} s into each, in turns",
            f"{'':<28}{'playground':>12}{'echo':>12}",
            row("keys", "keys", "count"),
            row("key, p50 (ms)", "keys", "p50_ms"),
            row("key, p95 (ms)", "keys", "p95_ms"),
            row("key, max (ms)", "keys", "max_ms"),
            row("reruns after a pause", "reruns", "reruns"),
            row("rerun, p95 (ms)", "reruns", "p95_ms"),
            row("first run, p95 (ms)", "opens", "p95_ms"),
            row("bytes of a key's answer", "route_bytes_p50"),
            row("refused as busy", "busy"),
            row("CPU, server (% of a core)", "server_cpu_percent"),
            row("CPU, client (% of a core)", "client_cpu_percent"),
            f"p50: {found['ratio_p50']} x the echo's; p95: {found['ratio_p95']} x",
            f"other processes: {found['others_cpu_percent']} % of a core; "
            f"errors: {found['errors']}",
            *(f"  {count} x {what}" for side in sides for what, count in side["wrong"].items()),
        ]
    )
