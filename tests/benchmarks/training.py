"""*Learn to write* without a page: time, losses and separation, both routes at once.

60,000 characters of a play, a table of 100 x 16, Adam, 2,000 steps, five seeds: seconds of the
steps of both routes with all points and frames; the loss before and after, beside the bigram limit;
the silhouette of the kinds before and after; and the cores that other processes used meanwhile. If
those are not near 0, the seconds are wrong.

    python tests/benchmarks/training.py [--quick] [--threads N]
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

from embviz.training.text import play, symbols  # noqa: E402
from embviz.training.writing import Writing  # noqa: E402

STEPS, SEEDS, DIM = 2000, 5, 16


def train(seed: int, steps: int) -> dict[str, Any]:
    """One training, from start to end."""
    writing = Writing(play(), symbols("characters"), DIM, seed)
    started = time.perf_counter()
    writing.training.advance(steps)
    points, frames = writing.training.points, writing.frames
    return {
        "seed": seed,
        "seconds": time.perf_counter() - started,
        "limit": writing.limit,
        "losses": [points[0].loss_embedding, points[-1].loss_embedding],
        "loss_linear": points[-1].loss_linear,
        "max_abs_weight_difference": writing.training.furthest.max_abs_weight_difference,
        "silhouettes": [writing.separation(frame) for frame in (frames[0], frames[-1])],
    }


def main() -> None:
    """Measure, and print one JSON object a training."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one seed, 100 steps")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    for seed in range(1 if given.quick else SEEDS):
        others = Others()
        run = train(seed, 100 if given.quick else STEPS)
        print(json.dumps(run | {"others": others.cores()}))


if __name__ == "__main__":
    main()
