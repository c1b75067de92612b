"""A process that speaks like `embviz.timing.measure.process` but measures nothing.

`plan.json` beside it says what it does:

- `rounds`: how many there are;
- `killed_at_start`: how many processes are killed before they are ready;
- `start_s`, `round_s`: seconds that its start and each round take;
- `killed`, `killed_processes`: the round in which so many processes are killed;
- `dies_with`, `hangs_with`, `when`: the method, and from which round on, that ends the process, or
  never ends.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def say(kind: str, **fields: Any) -> None:
    """Write one line."""
    print(json.dumps({"type": kind, **fields}), flush=True)


def end() -> None:
    """End as the system ends a process that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def answer(asked: dict[str, Any], plan: dict[str, Any], process: int) -> None:
    """Measure as asked."""
    say("environment", cpu="none")
    for number in range(asked["first"], plan["rounds"]):
        for index, case in enumerate(asked["cases"]):
            if index in asked["skip"]:
                continue
            if number == asked["first"] or number >= plan.get("when", 99):
                say("now", case=index)
                if number >= plan.get("when", 0):
                    if plan.get("dies_with") == case["method"]:
                        end()
                    if plan.get("hangs_with") == case["method"]:
                        time.sleep(600)
                say("now", case=None)
            where = {"case": index, "process": asked["process"], "placement": 0, "round": number}
            say("times", **where, again=False, wait=[1e-6, 2e-6])
        if number == plan.get("killed") and process < plan["killed_processes"]:
            end()
        say("round", round=number)
        time.sleep(plan.get("round_s", 0))
    say("done")


def main() -> None:
    """Answer requests until stdin ends."""
    plan = json.loads((HERE / "plan.json").read_text())
    process = len(list(HERE.glob("process[0-9]*")))
    (HERE / f"process{process}").touch()
    if process < plan.get("killed_at_start", 0):
        end()

    def read() -> None:
        for line in sys.stdin:
            with (HERE / "asked.jsonl").open("a") as file:
                file.write(line)
            requests.append(json.loads(line))
        os._exit(0)

    requests: list[dict[str, Any]] = []
    threading.Thread(target=read, daemon=True).start()
    time.sleep(plan.get("start_s", 0))
    say("ready")
    while True:
        if requests:
            answer(requests.pop(0), plan, process)
        time.sleep(0.01)


if __name__ == "__main__":
    main()
