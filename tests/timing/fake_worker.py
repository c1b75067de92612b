"""A process that speaks like the worker but measures nothing: its times follow a plan.

`plan.json` beside it may have:

- `killed_at_start`: how many processes are killed before they are ready;
- `killed`, `killed_processes`: a round in which so many processes are killed;
- `dies_with`, `hangs_with`: a method whose preparation ends the process, or never ends;
- `says`: the last word on stderr of a process that does not start.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROUNDS = 12


def say(line: dict[str, Any]) -> None:
    """Write one line."""
    print(json.dumps(line), flush=True)


def end() -> None:
    """End as the system ends a process that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def measured(case: dict[str, Any], number: int, **kinds: bool) -> dict[str, Any]:
    """Three blocks of a round; rounds take turns to be quick and slow."""
    seconds = [1.001e-6 if number % 2 else 1e-6] * 3
    line = {"type": "times", "case": case, "process": 0, "round": number, "seconds": seconds}
    return {**line, "again": False, **kinds}


def answer(asked: dict[str, Any], plan: dict[str, Any], process: int) -> None:
    """Measure as asked."""
    first = asked["first"]
    for number in range(first, ROUNDS):
        for point in asked["points"]:
            for place, case in enumerate(point):
                if number == first:
                    say({"type": "now", "case": case})
                    if plan.get("dies_with") == case["method"]:
                        end()
                    if plan.get("hangs_with") == case["method"]:
                        time.sleep(600)
                say(measured(case, number))
                if place == 0:
                    say(measured(case, number, again=True))
            if number >= plan.get("killed", 10**9) and process < plan["killed_processes"]:
                end()
        if asked["anchor"] is not None:
            say(measured(asked["anchor"], number, anchor=True))
    say({"type": "done", "cancelled": False, "calibrations": []})


def main() -> None:
    """Answer requests until stdin ends."""
    plan = json.loads((HERE / "plan.json").read_text())
    process = len(list(HERE.glob("process*")))
    (HERE / f"process{process}").touch()
    if process < plan.get("killed_at_start", 0):
        end()
    if "says" in plan:
        sys.exit(plan["says"])
    say({"type": "ready", "environment": {"cpu": "none", "threads": 7}})
    for line in sys.stdin:
        asked = json.loads(line)
        with (HERE / "asked.jsonl").open("a") as file:
            file.write(line)
        if "points" in asked:
            answer(asked, plan, process)


if __name__ == "__main__":
    main()
