import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from torch import nn
from torch.nn import functional as F

from embviz.core.config import MAX_SEED, Config
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
@given(st.data(), st.sampled_from([np.float32, np.float64]), st.integers(1, 2**12))
def test_slices_of_any_size_equal_one_product(
    data: st.DataObject, dtype: type[np.floating], slice_bytes: int
) -> None:
    """For any finite table without -0.0, the slice size does not change the product's bits."""
    rows, dim = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 12))
    floats = st.floats(allow_nan=False, allow_infinity=False, width=dtype(0).itemsize * 8)
    table = torch.from_numpy(data.draw(hnp.arrays(dtype, (rows, dim), elements=floats)) + dtype(0))
    drawn = data.draw(st.lists(st.integers(0, rows - 1), max_size=60))
    ids = torch.tensor(drawn, dtype=torch.int64)
    layers = tied_by_hand(table)
    one_product = F.one_hot(ids, rows).to(table.dtype) @ table
    assert same_bits(layers.multiply(ids, slice_bytes), one_product)
    assert same_bits(layers.multiply(ids), one_product)
    assert same_bits(layers.lookup(ids), one_product)


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
