from typing import Any

import pytest
import torch
from torch.nn import functional as F

from embviz.timing.caches import Batches, FlushedBlocks, RenewedBlocks, blocks
from embviz.timing.cases import BAG, Case
from embviz.timing.methods import METHODS
from embviz.timing.settings import SKEWS
from embviz.timing.tensors import Ready, statement

LOOKUPS = [name for name, one in METHODS.items() if one.route == "lookup"]


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Seconds since it was made."""
        return self.now

    def passes(self, seconds: float) -> None:
        """Move the clock."""
        self.now += seconds


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("rows", [1, 7, 5000])
def test_new_ids_are_within_the_table_and_differ_from_block_to_block(skew: str, rows: int) -> None:
    """Each call of a block has its own ids; the next block has others."""
    case = Case("lookup", rows, 4, 60, ids=skew, cache="new")
    batches = Batches(case)
    first = torch.stack(batches.draw(3)).clone()
    second = torch.stack(batches.draw(5)).clone()
    assert first.shape == (3, 60)
    assert second.shape == (5, 60)
    assert first.dtype == torch.int64
    for drawn in (first, second):
        assert 0 <= drawn.min() <= drawn.max() < rows
    if rows > 1 and skew != "equal":
        every = torch.cat([first, second])
        assert len({tuple(ids) for ids in every.tolist()}) == 8
    assert torch.equal(torch.stack(Batches(case).draw(3)), first), "two runs time the same ids"


@pytest.mark.parametrize("method", LOOKUPS)
def test_every_lookup_is_right_for_each_of_its_new_ids(method: str) -> None:
    """The loop over new ids calls the method once with each id tensor, and gets its rows."""
    passes = METHODS[method].passes[0]
    case = Case(method, 50, 4, 40, pass_=passes, cache="new")
    ready = Ready(case.point)
    names, drawn = ready.names(case), Batches(case).draw(3)
    source = statement(case)
    assert source.startswith("for ids in batches: ")
    forward = source.removeprefix("for ids in batches: ").split(".backward")[0]
    table = ready._shared("table").detach()
    for ids in drawn:
        output = eval(forward, {**names, "ids": ids}).detach()  # noqa: S307 - our own
        rows = F.embedding(ids, table)
        if case.record.bags:
            rows = torch.stack([bag.sum(0) for bag in torch.split(rows, BAG)])
        assert torch.allclose(output, rows, atol=1e-5)
    timer = blocks(case, ready)
    assert isinstance(timer, RenewedBlocks)
    assert timer.seconds(2) > 0


def test_drawing_ids_is_outside_the_clock() -> None:
    """A block takes one id tensor a call, and the time of drawing them does not count."""
    clock, seen = Clock(), list[int]()

    def draw(calls: int) -> list[Any]:
        clock.passes(100.0)
        return list(range(calls))

    def looked_up(ids: int) -> None:
        seen.append(ids)
        clock.passes(0.5)

    names = {"looked_up": looked_up}
    timer = RenewedBlocks("for ids in batches: looked_up(ids)", names, draw, clock)
    assert timer.seconds(4) == 0.5
    assert seen == [0, 1, 2, 3]


def test_flushing_is_before_each_call_and_outside_the_clock() -> None:
    """The caches are flushed before each single call; the time of flushing does not count."""
    clock, order = Clock(), list[str]()

    def flush() -> None:
        order.append("flush")
        clock.passes(100.0)

    def call() -> None:
        order.append("call")
        clock.passes(0.5)

    assert FlushedBlocks("call()", {"call": call}, flush, clock).seconds(3) == 0.5
    assert order == ["flush", "call"] * 3
