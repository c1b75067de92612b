"""The character model's training on the page: time, losses and quality, both routes at once.

200,000 characters of docstrings of the standard library, a table of 100 x 16, Adam, 2,000 steps,
five seeds:

- **Seconds**: of the steps of both routes together, evaluations of the loss included.
- **Losses**: mean cross-entropy over the whole text, before and after. For comparison, the bigram
  entropy, which no model of one character can go below, and the entropy of single characters.
- **Quality**: mean cosine within kinds of characters minus across them, before and after.
- **Others**: cores that other processes used meanwhile. If it is not near 0, the seconds are wrong.

    python tests/benchmarks/training.py [--json] [--quick] [--threads N]
"""

from __future__ import annotations

import argparse
import json
import string
import sys
import time
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from machine import Others  # noqa: E402 - the two folders are found just above

from embviz.core.config import Config  # noqa: E402
from embviz.core.vocabulary import Vocabulary  # noqa: E402
from embviz.training.model import CharModel  # noqa: E402
from embviz.training.space import cluster_quality, groups  # noqa: E402
from embviz.training.text import library_text, prepare  # noqa: E402

STEPS, SEEDS, DIM = 2000, 5, 16


def quality(model: CharModel, vocabulary: Vocabulary) -> float:
    """How well the kinds of characters separate."""
    return cluster_quality(model.weight, groups(vocabulary, model.occurring))


def train(seed: int, steps: int, ids: torch.Tensor, vocabulary: Vocabulary) -> dict[str, Any]:
    """One training, from start to end."""
    model = CharModel(Config(string.printable, len(vocabulary), DIM, seed=seed), ids)
    start = quality(model, vocabulary)
    started = time.perf_counter()
    model.advance(steps)
    seconds = time.perf_counter() - started
    first, last = model.history[0], model.history[-1]
    return {
        "seed": seed,
        "seconds": seconds,
        "steps_per_second": steps / seconds,
        "first_loss": first.loss_embedding,
        "loss_embedding": last.loss_embedding,
        "loss_linear": last.loss_linear,
        "max_abs_weight_difference": max(r.max_abs_weight_difference for r in model.history),
        "start": start,
        "end": quality(model, vocabulary),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="one seed, 100 steps")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    seeds, steps = (1, 100) if given.quick else (SEEDS, STEPS)

    vocabulary = Vocabulary(string.printable)
    started = time.perf_counter()
    text = library_text()
    gathered = time.perf_counter() - started
    ids = prepare(text, vocabulary)
    others = Others()
    runs = [train(seed, steps, ids, vocabulary) for seed in range(seeds)]
    found = {
        "characters": len(text),
        "gathering_s": gathered,
        "steps": steps,
        "threads": given.threads,
        "bigram_entropy": CharModel(Config(string.printable, 100, 1), ids).bigram_limit,
        "other_cores_busy": others.cores(),
        "runs": runs,
    }
    if given.json:
        print(json.dumps(found))
        return
    print(
        f"{len(text):,} characters gathered in {gathered:.2f} s; "
        f"bigram entropy {found['bigram_entropy']:.3f} nats"
    )
    print(f"{given.threads} threads, others kept {found['other_cores_busy']:.1f} cores busy")
    for run in runs:
        print(
            f"seed {run['seed']}: {run['seconds']:.1f} s, {run['steps_per_second']:,.0f} steps/s, "
            f"loss {run['first_loss']:.3f} -> {run['loss_embedding']:.4f} (linear "
            f"{run['loss_linear']:.4f}), weights within {run['max_abs_weight_difference']:.1e}, "
            f"quality {run['start']:.3f} -> {run['end']:.3f}"
        )


if __name__ == "__main__":
    main()
