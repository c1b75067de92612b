"""One weight in two layers: PyTorch's own numbers, both routes, every dtype, bounded memory."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import accumulate, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from torch import nn
from torch.nn import functional as F
from torch.profiler import profile

from embviz.fact.comparison import Pair
from embviz.fact.dtypes import DTYPES
from embviz.fact.inits import INITS
from embviz.fact.layers import layouts, tie
from embviz.fact.routes import run_both
from embviz.fact.table import ONE_HOT_SLICE_BYTES, Table, check_work_bytes
from embviz.system.bounds import MIB, TABLE, OverLimitError

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))

# PyTorch's own calls, as a person would write them after torch.manual_seed(seed).
PYTORCH: dict[str, Callable[[int, int], torch.Tensor]] = {
    "normal": lambda v, d: nn.Embedding(v, d).weight,
    "uniform": lambda v, d: nn.init.uniform_(torch.empty(v, d)),
    "xavier_uniform": lambda v, d: nn.init.xavier_uniform_(torch.empty(v, d)),
    "kaiming_uniform": lambda v, d: nn.Linear(v, d, bias=False).weight.T,
    "integers": lambda v, d: torch.randint(0, 10, (v, d)).float(),
}


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether every bit agrees; other shapes and dtypes raise."""
    return Pair(a, b).bitwise_equal


def weights(table: Table) -> torch.Tensor:
    """The table of the embedding; the linear layer's is the same, and nothing global is drawn."""
    before = torch.get_rng_state()
    layers = tie(table)
    assert torch.equal(torch.get_rng_state(), before)  # other sessions use it too
    assert same_bits(layers.linear.weight, layers.embedding.weight.T)
    return layers.embedding.weight.detach()


def test_each_init_is_compared_with_pytorch() -> None:
    """The calls above are those of all inits that draw."""
    assert PYTORCH.keys() == {name for name, one in INITS.items() if one.draw and not one.sizes}


@pytest.mark.parametrize("init", PYTORCH)
def test_one_seed_is_one_table_with_any_number_of_threads(init: str) -> None:
    """Threads change no bit, also where PyTorch could share the work."""
    before, drawn = torch.get_num_threads(), []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            drawn.append(weights(Table(2_000, 64, init=init)))
    finally:
        torch.set_num_threads(before)
    assert same_bits(*drawn)


@pytest.mark.parametrize(("init", "dtype"), [*product(PYTORCH, DTYPES)])
def test_the_numbers_are_pytorchs_own_in_every_setting(init: str, dtype: str) -> None:
    """One seed is PyTorch's table in every dtype, and `<unk>` changes no number of it."""
    settings: Any = {"seed": 2**32 - 1, "init": init, "dtype": dtype}
    with torch.random.fork_rng():
        torch.manual_seed(2**32 - 1)
        tables = (PYTORCH[init](30, 7).detach() for _ in range(2))
        drawn, second = (one.to(DTYPES[dtype].torch) for one in tables)
    unk = weights(Table(31, 7, unk=True, **settings))
    assert same_bits(unk, torch.cat([drawn, second[:1]]))
    ids = torch.tensor([[0, 29], [29, 3]])
    table = Table(30, 7, **settings)
    both = run_both(table, ids, tie(table))
    found, cost = both.comparison, both.cost
    assert same_bits(found.lookup, drawn[ids])
    assert same_bits(found.lookup, found.matmul)
    assert (both.one_hot_shape, both.output_shape) == ((2, 2, 30), (2, 2, 7))
    assert (cost.table_bytes, cost.multiplications_by_zero) == (drawn.nbytes, 4 * 29 * 7)
    assert both.layers.linear.bias is None


@pytest.mark.parametrize("shape", [(), (3, 0), (50,), (2, 1, 3, 2)])
def test_slices_of_any_size_equal_one_product(shape: tuple[int, ...]) -> None:
    """Slices of one-hot rows change no bits, and ids of shape (...) give (..., D)."""
    layers, ids = tie(Table(40, 3)), torch.randint(40, shape)
    one_product = F.one_hot(ids, 40).float() @ layers.embedding.weight.detach()
    for output in (layers.lookup(ids), *(layers.multiply(ids, b) for b in (1, 999, MIB))):
        assert same_bits(output, one_product)
        assert not output.requires_grad


TINY = torch.tensor([3e-39, -2e-39, 1e-39] * 34).reshape(34, 3)  # subnormal in bfloat16
MANY = torch.arange(34).repeat(3)


@pytest.mark.parametrize(
    ("weights", "ids", "dtype"),
    [
        (torch.tensor([[-0.0, -0.0]]), torch.tensor([0, 0]), "float32"),
        (torch.tensor([[-0.0, 1.0]]), torch.tensor([[0, 0, 0]]), "float64"),
        (torch.tensor([[-0.0, 1.0]]), torch.tensor(0), "float32"),
        (TINY, MANY, "bfloat16"),
        (TINY, MANY, "float32"),
        (TINY.where(TINY > 0, -torch.inf), MANY, "float32"),
        (TINY.where(TINY > 0, torch.nan), MANY, "float64"),
    ],
)
def test_the_product_is_that_of_all_ids_at_once(
    weights: torch.Tensor, ids: torch.Tensor, dtype: str
) -> None:
    """It has the bits of one call of nn.Linear, also where these depend on the size of the batch.

    So the verdict is that of the script that the page shows.
    """
    layers = tie(Table(*weights.shape, init="own", dtype=dtype), weights)
    flat = F.one_hot(ids.flatten(), len(weights)).to(layers.linear.weight.dtype)
    with torch.no_grad():
        once = layers.linear(flat).reshape(*ids.shape, -1)
    assert same_bits(layers.multiply(ids), once)


def test_each_route_goes_through_its_own_layer() -> None:
    """A change of one layer alone is seen, where it is; no id outside the table is read."""
    table = Table(5, 2, init="integers")
    layers = tie(table)
    layers.linear.weight.data[1, 3] += 0.5
    found = run_both(table, torch.tensor([0, 3, 4, 3]), layers).comparison
    assert found.differing_tokens == [1, 3]
    assert (found.matmul - found.lookup).tolist() == [[0, 0], [0, 0.5]] * 2
    for route, bad in product((layers.lookup, layers.multiply), (5, -1, 2**40)):
        with pytest.raises(IndexError, match="rows 0 to 4"):
            route(torch.tensor([[0], [bad]]))


def peak_bytes(work: Callable[[], object]) -> int:
    """Peak bytes of tensors during the work, from PyTorch's profiler."""
    with profile(profile_memory=True) as recorded:
        kept = work()
    events = recorded.profiler.kineto_results.events()
    taken = [event.nbytes() for event in events if event.name() == "[memory]"]
    del kept
    return max(accumulate(taken))


def test_what_is_checked_before_is_at_least_what_is_allocated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bytes of both tables, but for small buffers, and of both routes are checked before.

    No whole one-hot is ever held.
    """
    for init, dtype, unk in product(("normal", "kaiming_uniform"), DTYPES, (False, True)):
        table = Table(2_000, 256, init=init, dtype=dtype, unk=unk)
        assert peak_bytes(partial(tie, table)) <= table.tie_bytes + 64 * 1024
    layers, ids = tie(Table(4_000, 2)), torch.arange(4_000)
    assert peak_bytes(lambda: layers.multiply(ids.repeat(5), MIB)) < 4 * MIB
    one, two = (peak_bytes(partial(layers.multiply, ids[:9], b)) for b in (1, 32_000))
    assert one < two  # a row at least, and then as many as fit
    table = Table(4_000, 512)
    taken = peak_bytes(lambda: run_both(table, ids, tie(table))) - ONE_HOT_SLICE_BYTES
    monkeypatch.setenv(TABLE.variable, str(taken // MIB - 1))
    with pytest.raises(OverLimitError, match="over the budget"):
        check_work_bytes(table, len(ids))


@pytest.mark.parametrize("init", PYTORCH)
def test_each_start_keeps_its_promise(init: str) -> None:
    """Each init has the promised moments and ends."""
    layers, promise = tie(Table(400, 300, init=init)), INITS[init].promise
    assert promise
    weight, promised = layers.embedding.weight.detach(), promise(400, 300)
    assert float(weight.mean()) == pytest.approx(promised.mean, abs=4 * promised.std / 300)
    assert float(weight.std()) == pytest.approx(promised.std, rel=0.02)
    if init != "normal":
        assert promised.ends == pytest.approx(layers.extremes, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("init", [init.name for init in INITS.values() if init.promise])
def test_each_density_has_the_promised_moments(init: str) -> None:
    """It integrates to 1, and is 0 beyond its ends; discrete numbers are drawn equally often."""
    promise = INITS[init].promise
    assert promise
    promised = promise(400, 300)
    low, high = (
        end if end is not None else beyond
        for end, beyond in zip(promised.ends, (-math.inf, math.inf), strict=True)
    )
    density = promised.density
    if density is None:
        numbers = np.arange(low, high + 1)
        assert (numbers.mean(), numbers.std()) == pytest.approx((promised.mean, promised.std))
        weight = tie(Table(400, 300, init=init)).embedding.weight.detach().numpy()
        found, counts = np.unique(weight, return_counts=True)
        assert found.tolist() == numbers.tolist()
        assert counts / weight.size == pytest.approx(1 / len(numbers), rel=0.05)
        return

    def moment(power: int, about: float) -> float:
        integral, _ = quad(lambda x: density(np.array(x)) * (x - about) ** power, low, high)
        return float(integral)

    assert moment(0, 0) == pytest.approx(1)
    assert moment(1, 0) == pytest.approx(promised.mean, abs=1e-9)
    assert math.sqrt(moment(2, promised.mean)) == pytest.approx(promised.std)
    assert not density(np.array([low - 1e-6, high + 1e-6])).any()


def test_the_trap_of_a_transposed_view() -> None:
    """`.T` shares the table's memory; the linear layer's copy does not."""
    layers = tie(Table(3, 2, init="integers"))
    shares = [one["shares Embedding's storage"] for one in layouts(layers)]
    assert shares == [True, False, True]


def test_the_articles_numbers() -> None:
    """Seed 123 gives the article's layers and outputs."""
    table, layer = FACTS["embedding_seed_123_4x5"], FACTS["linear_seed_123_4_to_5"]
    both = run_both(Table(4, 5), torch.tensor(table["ids"]), tie(Table(4, 5)))
    linear = tie(Table(4, 5, init="kaiming_uniform")).linear
    for found, published in [
        (both.comparison.matmul, table["output"]),
        (linear.weight.detach(), layer["weight"]),
    ]:
        assert found.numpy() == pytest.approx(np.array(published), abs=5.1e-5)  # 4 decimals


def test_own_weights_and_what_json_says_of_them() -> None:
    """A one-hot row times the article's matrix is a row of it; own weights are copied."""
    fact, table = FACTS["one_hot_times_matrix"], Table(5, 4, init="own")
    own = torch.tensor(fact["weight"]).float()
    layers = tie(table, own)
    own[0, 0] = torch.inf
    for given, error in ((layers, 0), (tie(table, own), "nan")):
        ids = torch.tensor([0, fact["one_hot"].index(1)])
        shown = json.loads(run_both(table, ids, given).to_json(str))
        assert (shown["lookup"][1], shown["max_abs_error"]) == (fact["output"], error)
        assert shown["table"] == asdict(table)
