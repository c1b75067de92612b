"""Records the run of every question of the timing page, and of its links, into the shipped folder.

Without it nobody could make these files again, for another machine or another version.

A run is taken as it comes, by the engine and with the settings of the page. *My model* measures all
presets at once, and a matmul of some of them.

    python -m tests.benchmarks.record [--questions "Backward" ...]
"""

import argparse
import gzip
import json
import os
from contextlib import closing

from embviz.settings.given import defaults
from embviz.system.machine import default_threads
from embviz.timing.cases import cases_of, settings_of
from embviz.timing.measure.sweep import Engine
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.my_model import PRESETS
from embviz.timing.tell.questions import CPU_OR_GPU, GPU_QUESTIONS, MY_MODEL, RECORDS
from embviz.timing.tell.recorded import FOLDER
from embviz.timing.tell.work import answer_and_waits

# Presets whose matmul is timed; one of the others takes minutes, or too much memory.
MATMULS = "GPT-2", "BERT"
SWEEP_S = 600.0  # Seconds that one sweep may take.
FEWER_DIGITS = 5  # Significant digits of a time in the file; no clock gives more.


def cases(question):
    """The cases of a question; of My model, those of all presets."""
    if question != MY_MODEL:
        return cases_of(defaults(one.name for one in TIMING.settings) | settings_of(question))
    models = [model.cases(default_threads()) for model in PRESETS.values()]
    matmuls = [PRESETS[name].cases(default_threads())[1] for name in MATMULS]
    return [*(lookup for lookup, _ in models), *matmuls]


def short(line):
    """The line with fewer digits of its times."""
    fewer = {}
    for clock in ("wait", "gpu"):
        if clock in line:
            fewer[clock] = [float(f"{one:.{FEWER_DIGITS}g}") for one in line[clock]]
    return line | fewer


def record(engine, question, those, path, most_s=SWEEP_S):
    """Measure these cases, for so many seconds at most, and write the run."""
    lines = []
    sweep = engine.start(those, lines.append, question=question)
    if not sweep.finished.wait(most_s):
        sweep.stop()
        sweep.finished.wait(10)
    content = "".join(f"{json.dumps(short(line))}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content, mtime=0))
    print(f"{question}: {sweep.state}, {sweep.seconds:.1f} s, {path.stat().st_size:,} bytes")
    print(*sweep.run.failures.items(), *answer_and_waits(sweep.run), sep="\n", flush=True)


def main():
    """Record them."""
    parser = argparse.ArgumentParser(description="Record the runs that embviz ships.")
    on_gpu = {CPU_OR_GPU, *(one.name for one in GPU_QUESTIONS)}  # tests.gpu.session records these
    usual = [name for name in RECORDS if name not in on_gpu]
    parser.add_argument("--questions", nargs="+", choices=RECORDS, default=usual)
    given = parser.parse_args()
    # The presets' tables, and what measuring one adds.
    os.environ.setdefault("EMBVIZ_TIMING_BUDGET_MIB", "6000")
    with closing(Engine(case_s=120.0)) as engine:
        for question in given.questions:
            path = FOLDER / f"{RECORDS[question].recorded}.jsonl.gz"
            record(engine, question, cases(question), path)


if __name__ == "__main__":
    main()
