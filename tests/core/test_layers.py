import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from embviz.core.config import MAX_SEED, Config, available_devices
from embviz.core.dtypes import DTYPES
from embviz.core.inits import INITS
from embviz.core.layers import TiedLayers, tie

DRAWN = [init for init in INITS if init != "own"]

QUICK = settings(deadline=None, max_examples=60)
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}

# PyTorch's own calls, as a person would write them after torch.manual_seed(seed).
PYTORCH: dict[str, Callable[[int, int], torch.Tensor]] = {
    "normal": lambda v, d: nn.Embedding(v, d).weight,
    "uniform": lambda v, d: nn.init.uniform_(torch.empty(v, d)),
    "xavier_uniform": lambda v, d: nn.init.xavier_uniform_(torch.empty(v, d)),
    "kaiming_uniform": lambda v, d: nn.Linear(v, d, bias=False).weight.T,
    "integers": lambda v, d: torch.randint(0, 10, (v, d)).float(),
}


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether shape, dtype and every bit agree, without embviz's own Comparison."""
    bits = BITS[a.element_size()]
    same_kind = a.shape == b.shape and a.dtype == b.dtype
    return same_kind and torch.equal(a.contiguous().view(bits), b.contiguous().view(bits))


def tied_by_hand(table: torch.Tensor) -> TiedLayers:
    """Both layers of a given table (V, D), built with PyTorch alone."""
    linear = nn.Linear(*table.shape, bias=False, dtype=table.dtype)
    linear.weight = nn.Parameter(table.t().contiguous())
    return TiedLayers(nn.Embedding.from_pretrained(table), linear)


def random_bits(seed: int, rows: int, dim: int, dtype: torch.dtype) -> torch.Tensor:
    """Finite floats of every size and sign, subnormal too; no -0.0, whose sum with 0.0 is 0.0."""
    generator = np.random.default_rng(seed)
    whole = {torch.float32: np.int32, torch.float64: np.int64}[dtype]
    limits = np.iinfo(whole)
    drawn = generator.integers(limits.min, limits.max, (rows, dim), dtype=whole)
    table = torch.from_numpy(drawn).view(dtype)
    return torch.where(table.isfinite() & (table != 0), table, 1.0)


@pytest.mark.parametrize("seed", [0, MAX_SEED])
@pytest.mark.parametrize("init", DRAWN)
def test_the_numbers_are_those_of_pytorchs_own_call(init: str, seed: int) -> None:
    """Each init gives the numbers of PyTorch's own call after manual_seed."""
    for rows, dim in [(1, 1), (100, 10), (3, 70)]:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            expected = PYTORCH[init](rows, dim).detach()
        layers = tie(Config("", rows, dim, seed=seed, init=init))
        assert same_bits(layers.embedding.weight.detach(), expected)
        assert same_bits(layers.linear.weight.detach(), expected.T)


@pytest.mark.parametrize("init", DRAWN)
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_seed_is_one_table_in_every_dtype(dtype: str, init: str) -> None:
    """Another dtype holds the same numbers, rounded."""
    drawn = tie(Config("", 9, 7, init=init)).embedding.weight.detach()
    layers = tie(Config("", 9, 7, init=init, dtype=dtype))
    assert same_bits(layers.embedding.weight.detach(), drawn.to(DTYPES[dtype].torch))
    assert same_bits(layers.linear.weight.detach(), drawn.to(DTYPES[dtype].torch).T)


@pytest.mark.parametrize("device", available_devices())
def test_one_seed_is_one_table_on_every_device(device: str) -> None:
    """Another device holds the same numbers."""
    here = tie(Config("", 9, 7))
    there = tie(Config("", 9, 7, device=device))
    assert there.embedding.weight.device.type == there.linear.weight.device.type == device
    assert same_bits(there.embedding.weight.detach().cpu(), here.embedding.weight.detach())
    ids = torch.tensor([[8, 0], [3, 3]])
    assert same_bits(there.lookup(ids).cpu(), here.lookup(ids))
    assert same_bits(there.multiply(ids).cpu(), here.lookup(ids))


@pytest.mark.parametrize("init", DRAWN)
@pytest.mark.parametrize(("rows", "dim"), [(5, 3), (1, 4), (4, 1)])
def test_the_weights_are_equal_and_independent(init: str, rows: int, dim: int) -> None:
    """The two weights are equal and have separate memory."""
    layers = tie(Config("", rows, dim, init=init))
    embedding, linear = layers.embedding.weight, layers.linear.weight
    assert (tuple(embedding.shape), tuple(linear.shape)) == ((rows, dim), (dim, rows))
    assert same_bits(linear.detach(), embedding.detach().T)
    assert embedding.is_contiguous()
    assert linear.is_contiguous()
    assert embedding.requires_grad
    assert linear.requires_grad
    assert layers.linear.bias is None
    assert embedding.untyped_storage().data_ptr() != linear.untyped_storage().data_ptr()
    before = linear.detach().clone()
    with torch.no_grad():
        embedding.add_(1.0)
    assert same_bits(linear.detach(), before)


@pytest.mark.parametrize("init", DRAWN)
def test_the_global_generator_is_neither_read_nor_moved(init: str) -> None:
    """`tie` neither reads nor changes the global generator."""
    config = Config("", 20, 6, init=init)
    before = torch.get_rng_state()
    first = tie(config)
    assert torch.equal(torch.get_rng_state(), before)
    with torch.random.fork_rng():
        torch.manual_seed(before[0].item() + 1)
        second = tie(config)
    assert same_bits(first.embedding.weight.detach(), second.embedding.weight.detach())


def test_eight_threads_get_the_same_weights_as_one() -> None:
    """Concurrent calls of `tie` give the same tables."""
    settings_of = itertools.cycle(itertools.product(DRAWN, DTYPES))
    configs = [
        Config("", 1 + 7 * n % 90, 1 + 5 * n % 40, seed=n, init=init, dtype=dtype)
        for n, (init, dtype) in zip(range(200), settings_of, strict=False)
    ]
    assert len(set(configs)) == 200
    alone = [tie(config) for config in configs]
    before = torch.get_rng_state()
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(tie, configs))
    assert torch.equal(torch.get_rng_state(), before)
    for one, other in zip(alone, together, strict=True):
        assert same_bits(one.embedding.weight.detach(), other.embedding.weight.detach())
        assert same_bits(one.linear.weight.detach(), other.linear.weight.detach())


@QUICK
@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(1, 400),
    dim=st.integers(1, 100),
    tokens=st.integers(0, 300),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    slice_bytes=st.integers(1, 2**20),
)
def test_slices_of_any_size_equal_one_product(
    seed: int, rows: int, dim: int, tokens: int, dtype: torch.dtype, slice_bytes: int
) -> None:
    """The slice size does not change the product."""
    layers = tied_by_hand(random_bits(seed, rows, dim, dtype))
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(rows, (tokens,), generator=generator)
    one_product = F.one_hot(ids, rows).to(dtype) @ layers.embedding.weight.detach()
    assert same_bits(layers.multiply(ids, slice_bytes), one_product)
    assert same_bits(layers.multiply(ids), one_product)
    assert same_bits(layers.lookup(ids), one_product)


@pytest.mark.parametrize("slice_bytes", [1, 400, 1_000, 4_096, 2**30])
def test_no_one_hot_is_larger_than_its_slice(
    slice_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No one-hot is larger than `slice_bytes` or one row."""
    rows, seen = 100, []
    original = F.linear

    def spy(one_hot: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        seen.append(one_hot.clone())
        return original(one_hot, weight)

    layers = tie(Config("", rows, 8))
    ids = torch.arange(rows).repeat(50)
    monkeypatch.setattr("embviz.core.layers.F.linear", spy)
    layers.multiply(ids, slice_bytes)
    monkeypatch.undo()
    assert max(one_hot.nbytes for one_hot in seen) <= max(slice_bytes, rows * 4)
    assert torch.equal(torch.cat(seen), torch.eye(rows))  # each distinct id, once


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (7,), (2, 1, 3, 2)])
def test_ids_of_any_shape_add_one_axis(shape: tuple[int, ...], dtype: str) -> None:
    """Ids of shape (...) give outputs of shape (..., D)."""
    layers = tie(Config("", 10, 4, dtype=dtype))
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(10, shape, generator=generator)
    for output in (layers.lookup(ids), layers.multiply(ids), layers.multiply(ids, 1)):
        assert tuple(output.shape) == (*shape, 4)
        assert output.dtype is DTYPES[dtype].torch
        assert not output.requires_grad
        assert same_bits(output, layers.embedding.weight.detach()[ids])


@pytest.mark.parametrize("bad", [[0, 1, 4], [[0], [-5]], [2**40]])
def test_ids_without_a_row_are_refused(bad: list[object]) -> None:
    """Ids outside the table raise an IndexError on both routes."""
    layers = tie(Config("", 4, 2))
    for route in (layers.lookup, layers.multiply):
        with pytest.raises(IndexError, match="this table has rows 0 to 3"):
            route(torch.tensor(bad))
