"""One session on a machine with a GPU, kept short: it records the runs that ship, then it tests.

`python -m tests.gpu.session FOLDER` does all steps, each in a process of its own and for a time of
its own, and goes on where one fails. Files in FOLDER: `log.txt`, `tests.txt`, `limits.json` (for
`embviz/limits/recorded_gpu.json`), `runs.tar.gz` (one run file for each of SWEEPS). With `--dry` a
machine without a GPU measures a little of everything on its CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SWEEP_S = 40.0  # Seconds that one sweep may take.
# Steps: seconds that each may take. The longest comes last.
STEPS = {"machine": 40.0, "limits": 80.0, "record": 170.0, "tests": 270.0}
CASE_S = 45.0  # Seconds that one case of *Where it breaks* may take.
AT_ONCE = 4  # Cases of *Where it breaks* at once.
# Real tables, as *My model* offers them: rows, numbers in a row, tokens, dtype.
MODELS = {
    "gpt2": (50257, 768, 4096, "float32"),
    "gpt2_bf16": (50257, 768, 4096, "bfloat16"),
    "bert": (30522, 768, 4096, "float32"),
    "llama3": (128256, 4096, 4096, "float32"),
    "llama3_bf16": (128256, 4096, 4096, "bfloat16"),
    "recommender": (10_000_000, 64, 4096, "float32"),
    "recommender_256": (10_000_000, 64, 256, "float32"),
}


def sweeps(dry: bool) -> dict[str, tuple[str, list[Any]]]:
    """By name of the run: the question that it answers, and its cases."""
    from embviz.system.machine import default_threads
    from embviz.timing.timed import plan

    gpu = ["cpu"] if dry else ["cuda"]
    both = ["lookup", "matmul"]
    threads = {"threads": default_threads()}
    usual: dict[str, Any] = {"embedding_dim": 64, "tokens": 256} | threads
    half: dict[str, Any] = {"embedding_dim": 64, "num_embeddings": 512 if dry else 65536} | threads
    rows = [2**k for k in range(6, 9 if dry else 17)]
    few = [2**k for k in range(1, 3 if dry else 13)]
    dtypes = ["float64", "float32", "bfloat16", "float16"]
    precisions = ["highest"] if dry else ["highest", "high"]
    backward = ["lookup", "lookup_sparse", "matmul"]
    found: dict[str, tuple[str, list[Any]]] = {
        "cost": ("CPU or GPU?", plan("vocab", rows, both, [*{"cpu", *gpu}], **usual)),
        "win": (
            "Can matmul win?",
            plan("vocab", few, [*both, "matmul_table"], gpu, **usual | {"tokens": 1}),
        ),
        "backward": ("Backward", plan("vocab", rows, backward, gpu, mode="backward", **usual)),
        "one_hot": (
            "What does the one-hot cost?",
            plan("vocab", rows, [*both, "onehot_matmul"], gpu, **usual),
        ),
        "dtype": (
            "Half precision",
            plan(
                "dtype",
                dtypes,
                both,
                gpu,
                precisions=precisions,
                tokens=64 if dry else 4096,
                **half,
            ),
        ),
        "tokens": (
            "",
            plan("tokens", [1, 2, 4, 8, 16, 17, 64, 1024], both, gpu, **half),
        ),
    }
    for name, (count, dim, tokens, dtype) in [*MODELS.items()][: 1 if dry else None]:
        size = {"embedding_dim": dim, "tokens": 4 if dry else tokens, "dtype": dtype} | threads
        found[name] = ("My model", plan("vocab", [count], both, gpu, **size))
    return found


def machine(_out: Path, _dry: bool) -> None:
    """Print which machine it is."""
    if shutil.which("nvidia-smi"):
        subprocess.run(["nvidia-smi"], check=False)
    subprocess.run([sys.executable, "-m", "embviz", "env", "--json"], cwd=ROOT, check=False)


def limits(out: Path, dry: bool) -> None:
    """Run each GPU case in a process of its own, and keep what it gave."""
    import torch

    from embviz.limits.cases import CASES, gpu

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
    """Measure all of SWEEPS, one after another, each into a run file."""
    from contextlib import closing

    from embviz.timing.run import RunFile, read_run
    from embviz.timing.sentences import answer
    from embviz.timing.sweep import Engine

    folder = Path(tempfile.mkdtemp())
    with closing(Engine()) as engine:
        for name, (question, cases) in sweeps(dry).items():
            file = folder / f"{name}.jsonl"
            sweep = engine.start(cases, RunFile(file).append, question=question)
            if not sweep.finished.wait(SWEEP_S):
                sweep.stop()
                sweep.finished.wait(10)
            run = read_run(file.read_bytes(), name)
            with tarfile.open(out / "runs.tar.gz", "w:gz") as tar:
                tar.add(folder, "runs")
            print(f"{name}: {len(cases)} cases, {sweep.state}, {sweep.seconds:.1f} s", flush=True)
            print(*run.failures.items(), *answer(run), sep="\n", flush=True)


def tests(out: Path, dry: bool) -> None:
    """Run the tests of the GPU; the figures of those that pass are printed too."""
    line = [sys.executable, "-m", "pytest", "-n", "0", "-rA", "--durations=15", "tests/gpu"]
    if dry:
        line.append("--co")
    with (out / "tests.txt").open("w", encoding="utf-8") as file:
        subprocess.run(line, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False)
    print("".join((out / "tests.txt").read_text("utf-8").splitlines(keepends=True)[-60:]))


RUN: dict[str, Callable[[Path, bool], None]] = {
    "machine": machine,
    "limits": limits,
    "record": record,
    "tests": tests,
}


def steps(out: Path, names: Iterable[str], dry: bool) -> None:
    """Each step in a process of its own, which ends with all that it started."""
    variables = os.environ | {"STREAMLIT_GLOBAL_DEVELOPMENT_MODE": "false"}
    variables |= {"EMBVIZ_DATA_FOLDER": tempfile.mkdtemp(), "PYTHONUNBUFFERED": "1"}
    with (out / "log.txt").open("a", encoding="utf-8") as log:
        for name in names:
            begun = time.monotonic()
            line = [sys.executable, "-m", "tests.gpu.session", str(out), "--step", name]
            process = subprocess.Popen(
                [*line, *["--dry"] * dry],
                cwd=ROOT,
                env=variables,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code: int | str = process.wait(STEPS[name])
            except subprocess.TimeoutExpired:
                code = "too long"
            with suppress(ProcessLookupError):  # what it started, in its group
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            print(f"{name}: {code}, {time.monotonic() - begun:.0f} s", flush=True)


def main() -> None:
    """Do one step, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--step", choices=RUN)
    parser.add_argument("--only", nargs="+", choices=RUN, default=[*RUN])
    given = parser.parse_args()
    given.out.mkdir(exist_ok=True)
    if given.step:
        RUN[given.step](given.out.resolve(), given.dry)
    else:
        steps(given.out.resolve(), given.only, given.dry)


if __name__ == "__main__":
    main()
