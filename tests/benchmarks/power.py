"""What the statistics of timing tell on a machine whose true times are known. Nothing is measured.

- **one run**: the command's own 44 cases, where memory placement moves each case by 0, 5 or 20 %.
  `index_select` takes 1.3 times as long as a lookup, `matmul` twice, all else the same. A run is
  false if it tells apart what is equal, there or in as many runs without any difference.
- **two runs**: 12 cases in two runs of five processes, on a machine that is up to 1.5 times as slow
  in one of them; a start moves each case by 2 or 5 %. One case may have become 1.3 times slower.

    python -m tests.benchmarks.power [--runs 100]
"""

import numpy as np
import pandas as pd

from embviz.timing.tell.two_runs import changes_of
from tests.load.figures import options, show
from tests.timing.made import Drawn, grows, verdicts_on, vocab
from tests.timing.tell.fake_machine import sweep

METHODS = "lookup", "index_select", "matmul", "onehot_matmul"
CASES = vocab(*METHODS, rows=[2**k for k in range(6, 17)])
TRUE = {"index_select": 1.3, "matmul": 2.0}
FEW = vocab(*METHODS[:3], rows=[256, 1024, 4096, 65536])


def one_run(runs, place, random):
    """Shares of true differences that are told, and how many runs are false."""

    def seconds(case):
        return 1e-5 * TRUE.get(case.method, 1)

    found, false = [], 0
    for _ in range(runs):
        false += bool(verdicts_on(sweep(CASES, lambda _: 1e-5, random, place=place)).told.any())
        frame = verdicts_on(sweep(CASES, seconds, random, place=place))
        frame["true"] = [TRUE.get(case.method, 1) for case in frame["a"]]
        false += bool(frame.told[frame.true == 1].any())
        found.append(frame)
    told = pd.concat(found).groupby("true").told.mean()
    return {"runs": 2 * runs, "false_runs": false, **{f"told_{k}x": told[k] for k in (1.3, 2.0)}}


def drawn(seconds, start, random):
    """A run of five processes."""
    run = Drawn("drawn")
    run.times = sweep(FEW, seconds, random, processes=5, start=start, place=0.05)
    return run


def two_runs(pairs, start, random):
    """How many pairs of identical code exit with 1, and in how many the slower case is found."""
    false = found = 0
    for _ in range(pairs):
        before, speed = drawn(grows, start, random), random.uniform(1, 1.5)

        def same(case, speed=speed):
            return speed * grows(case)

        def slower(case, speed=speed):
            return speed * grows(case) * (1.3 if case == FEW[1] else 1)

        false += changes_of(before, drawn(same, start, random)).regressed
        table = changes_of(before, drawn(slower, start, random)).table
        found += table["verdict"][1] == "slower"
    return {"pairs": pairs, "false": int(false), "found_1.3x": int(found)}


def main():
    """Simulate and print."""
    parser = options("The statistics of timing, on known times.", runs=(100, "of each kind"))
    given, random = parser.parse_args(), np.random.default_rng(1)
    found = {f"placement {p:.0%}": one_run(given.runs, p, random) for p in (0, 0.05, 0.2)}
    pairs = max(1, given.runs // 2)
    found |= {f"start {s:.0%}": two_runs(pairs, s, random) for s in (0.02, 0.05)}
    show(found)


if __name__ == "__main__":
    main()
