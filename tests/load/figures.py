"""The log of one run, its figures and its table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Log:
    """Observations of all students together.

    Attributes:
        reruns: seconds of each rerun that a student asked for, by page.
        opens: seconds from connecting to the end of the first run.
        fragments: seconds of each automatic run of a fragment.
        actions: seconds of each action, one value each time.
        wrong: number of times that each fault happened.
        exceptions: how many of the faults were exceptions or errors on a page.
        sweeps_done: sweeps that were started and seen to end.
        received: bytes.
        keys: seconds from each typed key to an answer to its text, or to a later one.
        route_bytes: bytes of each answer of the route `live`.
        busy: answers of the route that asked to wait.
        polls: seconds of each answer to the question for a class's version.
    """

    reruns: dict[str, list[float]] = field(default_factory=dict)
    opens: list[float] = field(default_factory=list)
    fragments: list[float] = field(default_factory=list)
    actions: dict[str, list[float]] = field(default_factory=dict)
    wrong: Counter[str] = field(default_factory=Counter)
    exceptions: int = 0
    sweeps_done: int = 0
    received: int = 0
    keys: list[float] = field(default_factory=list)
    route_bytes: list[int] = field(default_factory=list)
    busy: int = 0
    polls: list[float] = field(default_factory=list)

    def rerun(self, page: str, action: str, seconds: float) -> None:
        """Record a rerun of a page."""
        self.reruns.setdefault(page, []).append(seconds)
        self.actions.setdefault(f"{page}: {action}", []).append(seconds)

    def complain(self, sentences: Sequence[str]) -> None:
        """Record the faults that a page showed."""
        self.exceptions += len(sentences)
        self.wrong.update(f"page: {one[:200]}" for one in sentences)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all values do not exceed; nan without values.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 0.5)
    2.0
    """
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def spread(seconds: Sequence[float]) -> dict[str, Any]:
    """Number, p50, p95 and maximum of durations, in ms; None without durations."""

    def ms(value: float) -> float | None:
        return None if math.isnan(value) else round(value * 1000, 1)

    return {
        "reruns": len(seconds),
        "p50_ms": ms(percentile(seconds, 0.5)),
        "p95_ms": ms(percentile(seconds, 0.95)),
        "max_ms": ms(percentile(seconds, 1.0)),
    }


def summary(log: Log) -> dict[str, Any]:
    """The figures of a log."""
    together = [one for seconds in log.reruns.values() for one in seconds]
    return {
        **spread(together),
        "errors": sum(log.wrong.values()),
        "exceptions": log.exceptions,
        "sweeps_done": log.sweeps_done,
        "opens": spread(log.opens),
        "fragments": spread(log.fragments),
        "pages": {page: spread(seconds) for page, seconds in sorted(log.reruns.items())},
        "actions": {action: len(seconds) for action, seconds in sorted(log.actions.items())},
        "slowest": {
            action: round(max(seconds) * 1000, 1)
            for action, seconds in sorted(log.actions.items(), key=lambda one: -max(one[1]))[:5]
        },
        "wrong": dict(log.wrong.most_common()),
        "received_kb_per_rerun": round(
            log.received / 1000 / max(1, len(together) + len(log.fragments) + len(log.opens)), 1
        ),
    }


def table(found: Mapping[str, Any]) -> str:
    """The figures as a table."""

    def shown(value: object) -> str:
        return (
            "-" if value is None else f"{value:,}" if isinstance(value, int | float) else str(value)
        )

    rows = [
        ("sessions", found["sessions"], f"on {found['page']}, {found['seconds']:g} s"),
        ("reruns", found["reruns"], f"{found['received_kb_per_rerun']} KB each"),
        ("p50", found["p50_ms"], "ms"),
        ("p95", found["p95_ms"], "ms"),
        ("max", found["max_ms"], "ms"),
        ("first run, p95", found["opens"]["p95_ms"], "ms, connecting included"),
        ("automatic runs", found["fragments"]["reruns"], "of fragments"),
        ("automatic, p95", found["fragments"]["p95_ms"], "ms"),
        ("errors", found["errors"], ""),
        ("exceptions", found["exceptions"], "and error boxes on pages"),
        ("memory at start", found["rss_start_mb"], "MB, the server alone"),
        ("memory, peak", found["rss_peak_mb"], "MB"),
        ("memory, both", found["total_peak_mb"], "MB: server and measuring process, peak"),
        ("memory at end", found["rss_end_mb"], "MB, all tabs closed"),
        ("memory a session", found["per_session_mb"], "MB, from start to before closing"),
        ("memory, children", found["worker_mb"], "MB at most: the measuring process and others"),
        ("CPU, server", found["server_cpu_percent"], "% of one core"),
        ("CPU, each run", found["server_cpu_ms_per_run"], "ms of the server, automatic ones too"),
        ("CPU, children", found["worker_cpu_percent"], "%"),
        ("CPU, client", found["client_cpu_percent"], "%: it competes where there are few cores"),
        ("CPU, others", found["others_cpu_percent"], "%: a quiet machine has none"),
        ("sweeps done", found["sweeps_done"], ""),
        ("stopped in", found["stop_s"], "s"),
    ]
    lines = [f"{name:<18}{shown(value):>12}  {unit}".rstrip() for name, value, unit in rows]
    if len(found["pages"]) > 1:
        lines += [
            f"  {page:<16}{shown(one['reruns']):>12}  reruns, p50 {shown(one['p50_ms'])}, "
            f"p95 {shown(one['p95_ms'])} ms"
            for page, one in found["pages"].items()
        ]
    lines += [f"  {shown(ms):>28}  ms at most: {name}" for name, ms in found["slowest"].items()]
    lines += [f"  {shown(mb):>28}  MB: {name}" for name, mb in found["children_mb"].items()]
    if len(found["rss_after_wave_mb"]) > 1:
        waves = ", ".join(shown(one) for one in found["rss_after_wave_mb"])
        lines.append(f"memory after each wave: {waves} MB")
    lines += [f"WRONG {count:>6} x {what}" for what, count in found["wrong"].items()]
    return "\n".join(lines)
