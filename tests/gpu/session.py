"""One session on a machine with a GPU, kept short: it records the runs that ship, then it tests.

`python -m tests.gpu.session FOLDER` does all steps, and goes on where one fails. Files in FOLDER:
`tests.txt`, `limits.json` (for `embviz/limits/recorded_gpu.json`), `runs.tar.gz` (one run file for
each of `sweeps`). With `--dry` a machine without a GPU measures a little of everything on its CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from embviz.limits.cases import CASES, gpu
from embviz.settings.given import defaults
from embviz.system.machine import default_threads
from embviz.timing.cases import cases_of, settings_of
from embviz.timing.measure.sweep import Engine
from embviz.timing.measure.timed import Timed
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.my_model import PRESETS, ModelSizes
from embviz.timing.tell.questions import CPU_OR_GPU, GPU_MODELS, GPU_QUESTIONS, MY_MODEL, RECORDS
from tests.benchmarks.record import record as record_run

ROOT = Path(__file__).resolve().parents[2]
SWEEP_S = 40.0  # Seconds that one sweep may take.
TESTS_S = 270.0  # Seconds that the tests may take.
CASE_S = 45.0  # Seconds that one case of *Where it breaks* may take.
AT_ONCE = 4  # Cases of *Where it breaks* at once.
# A recommender of a batch whose one-hot a GPU holds: that of the preset needs 153 GiB.
ITEMS = ModelSizes(10_000_000, 64, 256, 1)
DRY_ROWS = 600  # Rows of a table in a dry run, at most.


def sweeps(dry: bool) -> dict[str, tuple[str, list[Timed]]]:
    """By name of the shipped file: the question that the run answers, and its cases."""
    usual = defaults(one.name for one in TIMING.settings)
    found = {
        RECORDS[name].recorded: (name, cases_of(usual | settings_of(name)))
        for name in (CPU_OR_GPU, *(one.name for one in GPU_QUESTIONS))
    }
    for model, name in GPU_MODELS.items():
        sizes = PRESETS.get(model, ITEMS)
        found[name] = (MY_MODEL, sizes.cases(default_threads(), "cuda"))
    if dry:
        return {name: (asked, _on_cpu(cases)) for name, (asked, cases) in found.items()}
    return found


def _on_cpu(cases: list[Timed]) -> list[Timed]:
    """The cases as a CPU can measure them, the small ones alone."""
    changed = [replace(case, device="cpu", precision="highest") for case in cases]
    few = [replace(case, num_embeddings=min(case.num_embeddings, DRY_ROWS)) for case in changed]
    return sorted({replace(case, tokens=min(case.tokens, 64)) for case in few})[:6]


def limits(out: Path, dry: bool) -> None:
    """Run each GPU case in a process of its own, and keep what it gave."""
    names = [one.name for one in CASES if one.own_process and one.lacks == gpu.no_gpu]
    found = dict[str, Any]()
    where = "no GPU" if dry else torch.cuda.get_device_name()
    kept = {"gpu": where, "torch": torch.__version__.partition("+")[0]}
    kept |= {"date": f"{datetime.now(UTC):%Y-%m-%d}", "cases": found}
    for start in range(0, len(names), AT_ONCE):
        some = names[start : start + AT_ONCE]
        line = [sys.executable, "-m", "embviz.limits.own_process"]
        pipe: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started = {one: subprocess.Popen([*line, one], cwd=ROOT, **pipe) for one in some}
        for name, process in started.items():
            try:
                said, err = process.communicate(timeout=CASE_S)
                found[name] = json.loads(said)["sides"]
            except (subprocess.TimeoutExpired, ValueError) as error:
                process.kill()
                print(f"{name}: {error}")
                continue
            asserted = [one for one in err.splitlines() if "ssert" in one][:1]
            print(json.dumps({name: found[name], "stderr": asserted}), flush=True)
            text = json.dumps(kept, indent=1, ensure_ascii=False)
            (out / "limits.json").write_text(f"{text}\n", encoding="utf-8")


def record(out: Path, dry: bool) -> None:
    """Measure all of `sweeps`, one after another, each into a run file."""
    folder = Path(tempfile.mkdtemp())
    with closing(Engine()) as engine:
        for name, (question, cases) in sweeps(dry).items():
            record_run(engine, question, cases, folder / f"{name}.jsonl.gz", SWEEP_S)
            with tarfile.open(out / "runs.tar.gz", "w:gz") as tar:
                tar.add(folder, "runs")


def tests(out: Path, dry: bool) -> None:
    """Run the tests of the GPU; the figures of those that pass are printed too."""
    line = [sys.executable, "-m", "pytest", "-n", "0", "-rA", "--durations=15", "tests/gpu"]
    if dry:
        line.append("--co")
    with (out / "tests.txt").open("w", encoding="utf-8") as file:
        subprocess.run(line, cwd=ROOT, stdout=file, stderr=file, check=False, timeout=TESTS_S)


STEPS = {"limits": limits, "record": record, "tests": tests}


def main() -> None:
    """Do all steps, or some of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--only", nargs="+", choices=STEPS, default=[*STEPS])
    given = parser.parse_args()
    given.out.mkdir(exist_ok=True)
    os.environ["EMBVIZ_DATA_FOLDER"] = tempfile.mkdtemp()
    for name in given.only:
        begun = time.monotonic()
        try:
            STEPS[name](given.out.resolve(), given.dry)
        except Exception as error:  # The machine is lent for minutes: the next step goes on.
            print(f"{name}: {error!r}")
        print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
