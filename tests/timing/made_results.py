"""Results whose right findings are known."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from embviz.timing.cases import Case, plan
from embviz.timing.findings import sentences
from embviz.timing.methods import METHODS
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.runs import Run
from embviz.timing.settings import PASSES, SKEWS

QUICK = settings(deadline=None, max_examples=60)
ROWS = [64, 256, 1024, 4096, 16384, 65536]
CASE = Case("lookup", 64, 8, 4)
STEPS = (-2, -1.5, -1.2, -1, -0.8, -0.3, 0.3, 0.8, 1, 1.2, 1.5, 2)  # quartiles near -1 and 1


def measured(case: Case, seconds: float, spread: float = 0.001, again: bool = False) -> Measurement:
    """Twelve rounds of one block, in an order of their own; IQR about `spread` of the median."""
    steps = random.Random(f"{case}{again}").sample(STEPS, len(STEPS))  # noqa: S311
    return rounds_of(case, *(seconds * (1 + spread / 2 * step) for step in steps), again=again)


def rounds_of(case: Case, *seconds: float, **kind: bool) -> Measurement:
    """One block a round."""
    return Measurement(case, {(0, n): (time,) for n, time in enumerate(seconds)}, **kind)


def scaled(one: Measurement, factor: float) -> Measurement:
    """The same, with `factor` times the seconds."""
    blocks = {place: tuple(factor * t for t in times) for place, times in one.blocks.items()}
    return replace(one, blocks=blocks)


def point(
    cases: Sequence[Case], seconds: Callable[[Case], float], again: float = 1.001, **more: Any
) -> list[Result]:
    """The results of one point; the control takes `again` times what the first method took."""
    found: list[Result] = [measured(case, seconds(case), **more) for case in cases]
    control = measured(cases[0], again * seconds(cases[0]), again=True, **more)
    return [found[0], control, *found[1:]]


def anchor(case: Case, places: Sequence[float] = (1.0, 1.001)) -> Measurement:
    """The anchor of twelve rounds: its seconds at each place."""
    return Measurement(case, {(0, n): tuple(places) for n in range(12)}, anchor=True)


def vocab(
    methods: Sequence[str],
    seconds: Callable[[Case], float],
    rows: Sequence[int] = ROWS,
    devices: Sequence[str] = ("cpu",),
    again: float = 1.001,
    **fixed: Any,
) -> list[Result]:
    """The results of a sweep over rows."""
    found: list[Result] = []
    for device in devices:
        for value in rows:
            cases = plan(
                "vocab", [value], methods, [device], **{"embedding_dim": 64, "tokens": 64, **fixed}
            )
            found = found or [anchor(cases[0])]
            found += point(cases, seconds, again)
    return found


def flat_and_growing(case: Case) -> float:
    """Lookup always takes 2 µs, index_select 1.5 % more; matmul 20 ns a row, others 30 ns."""
    if METHODS[case.method].route == "lookup":
        return 2e-6 * (1 if case.method == "lookup" else 1.015)
    return 20e-9 * case.num_embeddings * (1 if case.method == "matmul" else 1.5)


def sentences_of(results: Sequence[Result]) -> list[str]:
    """The sentences on these results."""
    return sentences(Run("r", {}, tuple(results)))


ANY_CASE = st.builds(
    Case,
    method=st.sampled_from(["lookup", "matmul", "index_select", "embedding_bag"]),
    num_embeddings=st.sampled_from([1, 64, 4096, 2**27]),
    embedding_dim=st.sampled_from([1, 64]),
    tokens=st.sampled_from([1, 256, 2**20]),
    ids=st.sampled_from(list(SKEWS)),
    dtype=st.sampled_from(["float32", "float16"]),
    device=st.sampled_from(["cpu", "cuda"]),
    threads=st.sampled_from([1, 4]),
    pass_=st.sampled_from(list(PASSES)),
)
ANY_RESULT = st.one_of(
    st.builds(Failure, ANY_CASE, st.text(max_size=20)),
    st.builds(
        Measurement,
        ANY_CASE,
        st.dictionaries(
            st.tuples(st.integers(0, 2), st.integers(0, 9)),
            st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=4).map(tuple),
            min_size=1,
            max_size=6,
        ).map(lambda blocks: dict(sorted(blocks.items()))),
        st.booleans(),
        st.booleans(),
        st.none() | st.integers(0, 2**60),
    ),
)
