"""Statements of a run where nothing differs, or where the truth is known.

- **ids**: with one row, all kinds of ids are the same tensor. `time --vary ids --rows 1
  --tokens 256 --methods lookup index_select matmul`, several times: each pair of kinds that one
  method is told apart in is a false statement.
- **dtype**: the question *Is half precision faster?* of the timing page, several times: for each
  method and dtype against float32, whether two runs contradict each other.
- **compare**: `runs compare` on pairs of runs of the same code, three processes each: each exit
  code 1 is false.

    python tests/benchmarks/null.py [--json] [--quick] [--parts ids dtype compare]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from machine import Others  # noqa: E402 - the two folders are found just above

from embviz.__main__ import main as embviz  # noqa: E402
from embviz.core.machine import default_threads  # noqa: E402
from embviz.timing.answers import answer  # noqa: E402
from embviz.timing.cases import Case, plan  # noqa: E402
from embviz.timing.runs import Run  # noqa: E402
from embviz.timing.settings import VARY  # noqa: E402
from embviz.timing.sweep import Engine  # noqa: E402
from embviz.timing.verdicts import Judged  # noqa: E402

TIMES = {"ids": 20, "dtype": 10, "compare": 20}
METHODS = ["lookup", "index_select", "matmul"]
SIZES: dict[str, Any] = {"embedding_dim": 64, "threads": default_threads()}
SWEEP_LIMIT_S = 300.0


def measured(engine: Engine, cases: list[Case]) -> Run:
    """One sweep to its end."""
    sweep = engine.start(cases)
    if not sweep.finished.wait(SWEEP_LIMIT_S) or sweep.state == "failed":
        raise RuntimeError(f"the sweep is {sweep.state}: {sweep.error}")
    return sweep.run("run")


def ids(engine: Engine, count: int) -> dict[str, Any]:
    """The null test: how many runs and pairs of kinds are told apart, where nothing differs."""
    cases = plan(
        "ids",
        VARY["ids"].values,
        METHODS,
        ["cpu"],
        num_embeddings=1,
        tokens=256,
        **SIZES,
    )
    false, pairs, across = list[int](), 0, list[float]()
    for _ in range(count):
        judged = Judged(measured(engine, cases).results)
        found = [
            judged.compared(a, b)
            for line in judged.lines
            for a, b in combinations(line.measured.values(), 2)
        ]
        known = [one for one in found if one is not None]
        pairs += len(known)
        false.append(sum(one.told for one in known))
        across.append(judged.across or 1.0)
    return {
        "runs": count,
        "false_runs": sum(map(bool, false)),
        "pairs": pairs,
        "false_pairs": sum(false),
        "noise_across_points": [round(min(across), 3), round(max(across), 3)],
    }


def dtype(engine: Engine, count: int) -> dict[str, Any]:
    """The answers of the dtype question, and the pairs of runs that contradict each other."""
    cases = plan(
        "dtype",
        VARY["dtype"].values,
        ["lookup", "matmul"],
        ["cpu"],
        num_embeddings=4096,
        tokens=64,
        **SIZES,
    )
    answers, verdicts = list[str](), dict[str, Counter[str]]()
    for _ in range(count):
        run = measured(engine, cases)
        judged = Judged(run.results)
        answers.append(answer(run, judged))
        for line in judged.lines:
            base = line.measured.get("float32")
            for value, one in line.measured.items():
                if base is not None and one is not base:
                    kinds = verdicts.setdefault(f"{line.name}, {value}", Counter())
                    kinds[judged.verdict(one, base)] += 1
    return {
        "runs": count,
        "contradictions": sum(
            bool(kinds["slower"] and kinds["faster"]) for kinds in verdicts.values()
        ),
        "against_float32": {name: dict(kinds) for name, kinds in verdicts.items()},
        "answers": dict(Counter(answers)),
    }


def compare(count: int) -> dict[str, Any]:
    """Exit codes of `runs compare` on two runs of the same code, three processes each."""
    codes = list[int]()
    measure = ["time", "--values", "64", "1024", "--methods", *METHODS, "--repeat", "3", "--out"]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            files = [str(Path(folder) / name) for name in ("before.jsonl", "after.jsonl")]
            with contextlib.redirect_stdout(io.StringIO()):  # only the exit codes count here
                for file in files:
                    embviz([*measure, file])
                codes.append(embviz(["runs", "compare", *files]))
    return {"pairs": count, "exit_code_1": codes.count(1), "other_codes": codes.count(2)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Statements where nothing differs.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--quick", action="store_true", help="each part once: does it work?")
    parser.add_argument("--parts", nargs="+", choices=TIMES, default=list(TIMES))
    arguments = parser.parse_args()
    counts = dict.fromkeys(TIMES, 1) if arguments.quick else TIMES
    engine, others, found = Engine(), Others(), dict[str, Any]()
    try:
        if "ids" in arguments.parts:
            found["ids"] = ids(engine, counts["ids"])
        if "dtype" in arguments.parts:
            found["dtype"] = dtype(engine, counts["dtype"])
    finally:
        engine.close()
    if "compare" in arguments.parts:
        found["compare"] = compare(counts["compare"])
    found["others_cores"] = round(others.cores(), 2)
    if arguments.json:
        print(json.dumps(found))
        return
    for part, figures in found.items():
        print(f"{part}: {json.dumps(figures, indent=2, ensure_ascii=False)}")


if __name__ == "__main__":
    main()
