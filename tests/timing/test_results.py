"""Measurements are pooled by process and round, whatever the order of their lines."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.timing.results import Failure, Measurement, Pool
from tests.timing.made_results import CASE, QUICK


def line(process: int, number: int, *times: float, **kinds: Any) -> Measurement:
    """What a worker writes for one round."""
    return Measurement(CASE, {(process, number): times}, **kinds)


@given(st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 5)), st.integers(1, 4)))
@QUICK
def test_lines_in_any_order_are_one_measurement(blocks: dict[tuple[int, int], int]) -> None:
    """Each round of each process has its own blocks, in order, and no round is lost."""
    pool = Pool()
    places = list(blocks)
    random.Random(1).shuffle(places)  # noqa: S311 - an order, no secret
    for process, number in places:
        pool.add(line(process, number, *[1e-6 * (1 + process + number)] * blocks[process, number]))
    if not blocks:
        assert pool.results == []
        return
    (one,) = pool.results
    assert isinstance(one, Measurement)
    assert [*one.blocks] == sorted(blocks)
    assert {place: len(times) for place, times in one.blocks.items()} == blocks
    assert len(one.times_s) == sum(blocks.values())
    assert pool.results == [one]  # reading changes nothing


def test_control_and_anchor_are_apart_and_no_results() -> None:
    """Control and anchor have keys of their own, and serve to know the noise."""
    pool = Pool()
    for kinds in ({"anchor": True}, {}, {"again": True}):
        for number in range(3):
            pool.add(line(0, number, 1e-6, **kinds))
    assert [getattr(one, "helps", None) for one in pool.results] == [False, True, True]
    pool.add(Failure(CASE, "it broke"))
    pool.add(line(0, 3, 1e-6))
    pool.add(line(0, 3, 1e-6, again=True))
    pool.add(Failure(CASE, "again"))
    failure, anchor = pool.results
    assert isinstance(anchor, Measurement)
    assert anchor.anchor
    assert failure == Failure(CASE, "it broke")


def test_results_are_sorted_whatever_came_first() -> None:
    """A worker measures in random order; results come by device, then by size and method."""
    changes: list[dict[str, Any]] = [
        {},
        {"method": "matmul"},
        {"num_embeddings": 128},
        {"num_embeddings": 1024},
        {"cache": "new"},
        {"device": "cuda"},
    ]
    cases = [replace(CASE, **change) for change in changes]
    pool = Pool()
    for case in reversed(cases):
        pool.add(Failure(case, ""))
    assert [one.case for one in pool.results] == cases


def test_statistics_are_of_all_blocks() -> None:
    """Median and quartiles are those of all blocks."""
    one = line(0, 0, 1e-6, 2e-6).with_rounds(line(0, 1, 3e-6), line(1, 0, 4e-6, 5e-6))
    assert one.median_s == 3e-6
    assert one.quartiles_s == pytest.approx((2e-6, 4e-6))
    assert one.processes == {0, 1}
