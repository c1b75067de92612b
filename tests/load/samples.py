"""A profile of the server's threads, from the samples that `hook/sitecustomize.py` wrote."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

HOOK = Path(__file__).resolve().parent / "hook"
SHOWN = 30


def environment(place: Path) -> dict[str, str]:
    """Environment variables that make the server write samples to a file."""
    path = os.pathsep.join(filter(None, [str(HOOK), os.environ.get("PYTHONPATH", "")]))
    return {"PYTHONPATH": path, "CLASSROOM_PROFILE": str(place.resolve())}


def short(function: str) -> str:
    """A function with the end of its file's path.

    >>> short("/usr/lib/site-packages/streamlit/runtime/caching/hashing.py:update")
    'streamlit/runtime/caching/hashing.py:update'
    """
    _, installed, rest = function.rpartition("site-packages/")
    if installed:
        return rest
    path, _, name = function.rpartition(":")
    return "/".join(Path(path).parts[-3:]) + f":{name}"


def shares(stacks: dict[str, float]) -> tuple[Counter[str], Counter[str]]:
    """For each function the share of time in its own code, and with the functions it called."""
    total = sum(stacks.values()) or 1.0
    own: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for stack, weight in stacks.items():
        functions = [short(one) for one in stack.split(";")]
        own[functions[-1]] += weight / total  # type: ignore[assignment]
        for one in set(functions):
            within[one] += weight / total  # type: ignore[assignment]
    return own, within


def report(place: Path) -> str:
    """The functions with the largest shares, and the time of garbage collection."""
    found = json.loads(place.read_text(encoding="utf-8"))
    own, within = shares(found["stacks"])
    lines = [f"busy in {found['busy']:,} of {found['samples']:,} samples", "", "in itself:"]
    lines += [f"{share:7.1%}  {name}" for name, share in own.most_common(SHOWN)]
    lines += ["", "in itself and what it called:"]
    lines += [f"{share:7.1%}  {name}" for name, share in within.most_common(2 * SHOWN)]
    lines += [
        "",
        "garbage collections: "
        + "; ".join(
            f"generation {generation}: {count:,.0f} in {seconds:.2f} s"
            for generation, (count, seconds) in sorted(found["collected"].items())
        ),
    ]
    return "\n".join(lines)
