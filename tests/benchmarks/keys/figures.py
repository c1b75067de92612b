"""From what was measured to figures, and to a table for people."""

from __future__ import annotations

import statistics

from keys.replay import replay, sizes
from keys.visits import Visit

PAUSE_MS = 600  # of the playground's field before its rerun
SETTLED_ECHOES = 2.5  # a page should settle within the pause and so many times the echo
Figures = dict[str, float]
LABELS = {
    "p50_ms": "key to paint, p50 (ms)",
    "p95_ms": "key to paint, p95 (ms)",
    "ratio_p50": "key to paint / echo",
    "ratio_first": "key to paint / first page",
    "slow_p50_ms": "key to paint, slow typist (ms)",
    "slow_ratio_p50": "slow typist / echo",
    "burst_ms": "burst: last key to paint (ms)",
    "settled_ms": "settled after a key (ms)",
    "settled_goal_ms": "pause + 2.5 x echo (ms)",
    "route_server_ms": "server CPU, route (ms)",
    "route_wait_ms": "answer of the route (ms)",
    "rerun_server_ms": "server CPU, rerun (ms)",
    "route_bytes": "bytes of the route's answer",
    "route_request_bytes": "bytes of its request",
    "rerun_messages": "messages of the rerun",
    "rerun_bytes": "bytes received, rerun",
    "rerun_sent_bytes": "bytes sent, rerun",
    **{
        f"{what}_{name}": f"{what}, {label}"
        for what in ("playing", "pointing", "scrubbing")
        for name, label in (
            ("frames_per_second", "frames a second"),
            ("longest_frame_ms", "longest frame (ms)"),
            ("messages", "messages"),
        )
    },
    "start_s": "start to first paint (s)",
    "start_ratio": "start / echo",
}


def of_visit(one: Visit, visits: list[Visit], replays: int) -> Figures:
    """All figures of a page; the first two visits are the echo, and what others are compared to."""
    echo, first = visits[:2]
    echo_p50 = statistics.median(echo.key_ms)
    figures: Figures = {
        "p50_ms": statistics.median(one.key_ms),
        "p95_ms": p95(one.key_ms),
        "ratio_p50": statistics.median(one.key_ms) / echo_p50,
        "ratio_first": statistics.median(one.key_ms) / statistics.median(first.key_ms),
    }
    if one.slow_ms:
        slow = statistics.median(one.slow_ms)
        figures["slow_p50_ms"] = slow
        figures["slow_ratio_p50"] = slow / statistics.median(echo.slow_ms)
    if one.burst_ms:
        figures["burst_ms"] = statistics.median(one.burst_ms)
    return figures | _of_cost(one, echo_p50, replays)


def _of_cost(one: Visit, echo_p50: float, replays: int) -> Figures:
    if one.cost is None:
        return {}
    cost, keys = one.cost, one.cost.keys
    figures: Figures = {
        "settled_ms": statistics.median(cost.settled_ms),
        "settled_goal_ms": PAUSE_MS * one.kind.paused + SETTLED_ECHOES * echo_p50,
    }
    route = {"cpu_ms": 0.0}
    if cost.requests:
        route = replay(one.server, cost.requests[-1], replays)
        answer, asked = sizes(cost.requests)
        figures["route_server_ms"] = route["cpu_ms"]
        figures["route_wait_ms"] = route["wait_ms"]
        figures["route_bytes"] = answer
        figures["route_request_bytes"] = asked
    asked_per_key = len(cost.requests) / keys
    return figures | {
        "rerun_server_ms": 1000 * cost.cpu_s / keys - route["cpu_ms"] * asked_per_key,
        "rerun_messages": (cost.traffic["received"] + cost.traffic["sent"]) / keys,
        "rerun_bytes": cost.traffic["receivedBytes"] / keys,
        "rerun_sent_bytes": cost.traffic["sentBytes"] / keys,
    }


def p95(values: list[float]) -> float:
    """The value that one in twenty exceeds."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def tidy(name: str, value: float) -> float:
    """The value with sensible digits: bytes whole, milliseconds to 0.1, the rest to 0.01."""
    if "bytes" in name:
        return round(value)
    return round(value, 1 if name.endswith(("_ms", "_second", "messages")) else 2)


def table(pages: dict[str, Figures]) -> str:
    """The figures for people: a line each, a column for each page."""
    lines = [" " * 32 + "".join(f"{name:>12}" for name in pages)]
    for name, label in LABELS.items():
        values = [figures.get(name) for figures in pages.values()]
        if any(value is not None for value in values):
            cells = ("" if value is None else f"{value:,}" for value in values)
            lines.append(f"{label:<32}" + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(line.rstrip() for line in lines)
