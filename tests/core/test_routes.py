from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from embviz.core.config import BUDGET_VARIABLE, MIB, Config, ConfigError, check_work_bytes
from embviz.core.dtypes import DTYPES
from embviz.core.inits import INITS
from embviz.core.layers import ONE_HOT_SLICE_BYTES, TiedLayers, tie
from embviz.core.routes import run_both

DRAWN = [init for init in INITS if init != "own"]

# What an allocation may take beyond its numbers: a few small helper buffers.
SLACK_BYTES = 64 * 1024


def peak_bytes(work: Callable[[], object]) -> int:
    """Peak bytes of tensors during the work, from PyTorch's profiler."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        kept = work()
    held = peak = 0
    for event in recorded.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    del kept
    return peak


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("init", DRAWN)
def test_building_both_tables_stays_within_the_budgeted_bytes(init: str, dtype: str) -> None:
    """Building both tables stays within tie_bytes."""
    config = Config("", 2_000, 256, init=init, dtype=dtype)
    assert peak_bytes(lambda: tie(config)) <= config.tie_bytes + SLACK_BYTES


def test_multiply_never_holds_the_whole_one_hot() -> None:
    """Multiply stays within one slice of one-hot rows."""
    layers = tie(Config("", 4_000, 2))
    ids = torch.arange(4_000).repeat(5)
    whole = ids.numel() * 4_000 * 4
    assert peak_bytes(lambda: layers.multiply(ids, slice_bytes=MIB)) < 4 * MIB < whole / 50


def test_the_check_of_the_work_covers_what_both_routes_allocate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """check_work_bytes counts at least the memory of both routes."""
    config, ids = Config("", 4_000, 512), torch.arange(4_000)
    taken = peak_bytes(lambda: run_both(config, ids)) - ONE_HOT_SLICE_BYTES
    monkeypatch.setenv(BUDGET_VARIABLE, str(taken // MIB - 1))
    with pytest.raises(ConfigError, match="over the budget"):
        check_work_bytes(config, ids.numel())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("init", DRAWN)
def test_both_routes_agree_for_every_setting(init: str, dtype: str) -> None:
    """Both routes agree for every init, dtype and device."""
    ids = torch.tensor([[0, 29], [29, 3]])
    both = run_both(Config("", 30, 9, init=init, dtype=dtype), ids)
    assert both.comparison.bitwise_equal
    assert torch.equal(both.comparison.lookup, both.layers.embedding.weight[ids])
    assert both.comparison.lookup.data_ptr() != both.comparison.matmul.data_ptr()
    assert both.ids is ids
    assert both.ids_shape == (2, 2)
    assert both.one_hot_shape == tuple(F.one_hot(ids, 30).shape)
    assert both.output_shape == (2, 2, 9)


def test_each_route_goes_through_its_own_layer() -> None:
    """Each route uses its own layer."""
    config = Config("", 5, 2, init="integers")
    layers = tie(config)
    with torch.no_grad():
        layers.linear.weight[1, 3] += 0.5
    result = run_both(config, torch.tensor([0, 3, 4, 3]), lambda _: layers).comparison
    assert not result.bitwise_equal
    assert (result.num_equal, result.num_values) == (6, 8)
    assert result.differing_tokens == [1, 3]
    assert torch.equal(result.matmul - result.lookup, torch.tensor([0.0, 0.5]) * result.differs)


def test_too_much_work_is_refused_before_the_tables_are_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Work over the budget is refused before the tables are built."""

    def never(_: Config) -> TiedLayers:
        raise AssertionError("the tables were built")

    config = Config("", 10, 1024)
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    with pytest.raises(ConfigError, match="over the budget"):
        run_both(config, torch.zeros(1_000, dtype=torch.int64), never)
    with pytest.raises(ConfigError, match="100,001 tokens"):
        run_both(config, torch.zeros(100_001, dtype=torch.int64), never)
