"""Measurements are pooled by process and round, whatever the order of their lines."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.timing.results import Failure, Measurement, Pool
from tests.timing.made_results import CASE, QUICK


def line(process: int, number: int, *times: float, **kinds: Any) -> Measurement:
    """What a worker writes for one round."""
    rounds, processes = (*[0] * number, len(times)), (*[0] * process, number + 1)
    return Measurement(CASE, times, 10, rounds=rounds, processes=processes, **kinds)


@given(st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 5)), st.integers(1, 4)))
@QUICK
def test_lines_in_any_order_are_one_measurement(blocks: dict[tuple[int, int], int]) -> None:
    """Each round of each process has its own blocks, and no round is lost."""
    pool = Pool()
    keys = list(blocks)
    random.Random(1).shuffle(keys)  # noqa: S311 - an order, no secret
    for process, number in keys:
        pool.add(line(process, number, *[1e-6 * (1 + process + number)] * blocks[process, number]))
    if not blocks:
        assert pool.results == []
        return
    (one,) = pool.results
    assert isinstance(one, Measurement)
    found = {
        (process, number): len(times)
        for process, rounds in enumerate(one.by_process)
        for number, times in enumerate(rounds)
        if times
    }
    assert found == blocks
    assert [times for rounds in one.by_process for times in rounds] == one.by_round
    assert [time for times in one.by_round for time in times] == list(one.times_s)
    assert pool.results == [one]  # reading changes nothing


def test_an_old_measurement_is_one_round() -> None:
    """Without counts, all blocks are one round of one process."""
    one = Measurement(CASE, (1e-6, 2e-6), 10)
    assert one.by_round == [(1e-6, 2e-6)]
    assert one.by_process == [[(1e-6, 2e-6)]]
    assert one.with_rounds(one).by_process == [[(1e-6, 2e-6, 1e-6, 2e-6)]]


def test_control_and_anchor_are_apart_and_no_results() -> None:
    """Control and anchor have keys of their own, and serve to know the noise."""
    pool = Pool()
    for kinds in ({}, {"control": True}, {"anchor": True}):
        for number in range(3):
            pool.add(line(0, number, 1e-6, **kinds))
    assert [getattr(one, "helps", None) for one in pool.results] == [False, True, True]
    pool.add(Failure(CASE, "it broke"))
    pool.add(line(0, 3, 1e-6))
    pool.add(line(0, 3, 1e-6, control=True))
    pool.add(Failure(CASE, "again"))
    anchor, failure = pool.results
    assert isinstance(anchor, Measurement)
    assert anchor.anchor
    assert failure == Failure(CASE, "it broke")


def test_statistics_are_of_all_blocks() -> None:
    """Median, quartiles and timed seconds are those of all blocks."""
    one = line(0, 0, 1e-6, 2e-6).with_rounds(line(0, 1, 3e-6), line(1, 0, 4e-6, 5e-6))
    assert one.median_s == 3e-6
    assert one.quartiles_s == pytest.approx((2e-6, 4e-6))
    assert one.timed_s == pytest.approx(15e-5)
