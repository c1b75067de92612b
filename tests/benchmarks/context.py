"""The small transformer's training: loss and time, compared with the bigram model.

The page's training, 1,000 steps on the English of the standard library, for three seeds:

- **Losses**: on the held-out text, in nats, with the bigram model's on the same characters; and the
  first evaluation step at which the transformer is better.
- **Seconds**: of the steps, evaluations included; `cpu` is the CPU time of this process.
- **Letters**: mean cosine of the letter's vectors before the same character and before others.
- **Others**: cores that other processes used meanwhile. If it is not near 0, the seconds are wrong.

Exit code 1 if a seed does not beat the bigram model or takes more than `--limit` seconds of CPU
time. Other processes change CPU time less than wall time. The first seed also pays for the modules
that torch imports with its first optimizer.

    python tests/benchmarks/context.py [--json] [--threads N] [--limit SECONDS]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from machine import Others  # noqa: E402 - the two folders are found just above

from embviz.context.transformer import Learner  # noqa: E402
from embviz.training.text import library_text  # noqa: E402

SEEDS = (0, 1, 2)
LETTERS = "taio"


def train(seed: int, text: str) -> dict[str, Any]:
    """One training, from start to end."""
    begun = time.process_time()
    learner = Learner(seed, text)
    learner.advance(learner.budget_steps)
    cpu = time.process_time() - begun
    better = [one.step for one in learner.evaluations if one.held_out < learner.bigram_loss]
    apart = {}
    for letter in LETTERS:
        found = learner.separation(letter)
        apart[letter] = [found.within[-1], found.across[-1]]
    return {
        "seed": seed,
        "steps": learner.steps,
        "parameters": learner.num_parameters,
        "seconds": learner.seconds,
        "cpu_seconds": cpu,
        "first_loss": learner.evaluations[0].held_out,
        "held_out_loss": learner.held_out_loss(),
        "bigram_loss": learner.bigram_loss,
        "better_from_step": better[0] if better else None,
        "letters": apart,
        "writes": learner.vocabulary.decode(
            learner.sample(learner.vocabulary.encode("The "), 120, temperature=0.7)
        ),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--threads", type=int, default=1, help="as in the app on two cores")
    parser.add_argument(
        "--limit", type=float, default=30.0, help="seconds a training may take, each thread"
    )
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    text = library_text()
    others = Others()
    runs = [train(seed, text) for seed in SEEDS]
    busy = others.cores()
    if given.json:
        print(json.dumps({"threads": given.threads, "other_cores_busy": busy, "runs": runs}))
    else:
        print(f"{given.threads} threads, others kept {busy:.1f} cores busy")
        for run in runs:
            letters = ", ".join(f"{k} {a:.2f}/{b:.2f}" for k, (a, b) in run["letters"].items())
            print(
                f"seed {run['seed']}: {run['seconds']:.1f} s (cpu {run['cpu_seconds']:.1f}), "
                f"held-out loss {run['first_loss']:.3f} -> {run['held_out_loss']:.3f}, bigram "
                f"{run['bigram_loss']:.3f}, better from step {run['better_from_step']}; "
                f"cosines within/across {letters}\n  writes {run['writes']!r}"
            )
    slow = [run for run in runs if run["cpu_seconds"] > given.limit * given.threads]
    worse = [run for run in runs if run["held_out_loss"] >= run["bigram_loss"]]
    sys.exit(1 if slow or worse else 0)


if __name__ == "__main__":
    main()
