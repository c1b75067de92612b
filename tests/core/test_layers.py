"""One weight in two layers: PyTorch's own numbers, both routes, every dtype, bounded memory."""

import itertools
import json
import string
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from embviz.core.config import (
    BUDGET_VARIABLE,
    MAX_SEED,
    MIB,
    ONE_HOT_SLICE_BYTES,
    Config,
    OverLimitError,
    check_work_bytes,
)
from embviz.core.dtypes import DTYPES
from embviz.core.inits import INITS, linear_promise, measure
from embviz.core.layers import TiedLayers, placements, spring_trap, tie
from embviz.core.refused import Refused
from embviz.core.routes import run_both
from embviz.core.typed import parse_ids
from embviz.core.vocabulary import Vocabulary
from embviz.core.weights import parse_weights

FACTS = json.loads((Path(__file__).parents[1] / "seed_facts.json").read_text("utf-8"))
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
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    one, other = (value.detach().contiguous().view(BITS[a.element_size()]) for value in (a, b))
    return torch.equal(one, other)


def weights(config: Config) -> torch.Tensor:
    """The table of the embedding, after a look at the linear layer's."""
    layers = tie(config)
    assert same_bits(layers.linear.weight, layers.embedding.weight.T)
    return layers.embedding.weight.detach()


@pytest.mark.parametrize("seed", [0, MAX_SEED])
@pytest.mark.parametrize("init", PYTORCH)
def test_the_numbers_are_pytorchs_own_with_and_without_unk(init: str, seed: int) -> None:
    """A table has the bits of PyTorch's constructor, and `<unk>` changes none of them."""
    for rows, dim in [(1, 1), (100, 10), (3, 70)]:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            expected, second = (PYTORCH[init](rows, dim) for _ in range(2))
        assert same_bits(weights(Config("", rows, dim, seed, init)), expected)
        with_unk = weights(Config("", rows + 1, dim, seed, init, unk=True))
        assert same_bits(with_unk, torch.cat([expected, second[:1]]))


@pytest.mark.parametrize("init", PYTORCH)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_setting(dtype: str, init: str) -> None:
    """One seed is one table in every dtype; the layers are apart; both routes agree."""
    drawn = weights(Config("", 30, 7, init=init)).to(DTYPES[dtype].torch)
    ids = torch.tensor([[0, 29], [29, 3]])
    both = run_both(Config("", 30, 7, init=init, dtype=dtype), ids)
    assert both.comparison.bitwise_equal
    assert same_bits(both.comparison.lookup, drawn[ids])
    assert both.comparison.lookup.data_ptr() != both.comparison.matmul.data_ptr()
    one_hot = F.one_hot(ids, 30).to(drawn.dtype)
    assert both.one_hot_shape == tuple(one_hot.shape)
    assert (both.ids_shape, both.output_shape) == ((2, 2), (2, 2, 7))
    embedding, linear = both.layers.embedding.weight, both.layers.linear.weight
    for one in (embedding, linear):
        assert (one.is_contiguous(), one.requires_grad) == (True, True)
    assert both.layers.linear.bias is None
    cost = both.cost
    assert (cost.ids_bytes, cost.one_hot_bytes) == (ids.nbytes, one_hot.nbytes)
    assert (cost.table_bytes, cost.numbers_read) == (linear.nbytes, drawn[ids].numel())
    assert cost.multiplications == one_hot.numel() * 7
    assert cost.multiplications_by_zero == int((one_hot == 0).sum()) * 7
    with torch.no_grad():
        embedding.add_(1.0)
    assert same_bits(linear, drawn.T)


def test_eight_threads_get_the_same_weights_as_one() -> None:
    """Concurrent sessions get their own tables, and PyTorch's global generator is not used."""
    kinds = itertools.cycle(itertools.product(PYTORCH, DTYPES))
    configs = [Config("", 2 + n, 1 + n % 9, n, *next(kinds), unk=n % 2 == 0) for n in range(60)]
    alone = [weights(config) for config in configs]
    before = torch.get_rng_state()
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(weights, configs))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(map(same_bits, alone, together))


@settings(deadline=None)
@given(st.data(), st.integers(1, 40), st.sampled_from(["float32", "float64"]))
def test_slices_of_any_size_equal_one_product(data: st.DataObject, rows: int, dtype: str) -> None:
    """Slices of one-hot rows change no bits, and ids of shape (...) give (..., D)."""
    layers = tie(Config("", rows, 3, dtype=dtype))
    table = layers.embedding.weight.detach()
    shape = data.draw(st.sampled_from([(), (0,), (3, 0), (7,), (50,), (2, 1, 3, 2)]))
    ids = torch.randint(rows, shape)
    size = data.draw(st.integers(1, 2**11))
    one_product = F.one_hot(ids, rows).to(table.dtype) @ table
    for output in (layers.lookup(ids), layers.multiply(ids), layers.multiply(ids, size)):
        assert same_bits(output, one_product)
        assert not output.requires_grad


@pytest.mark.parametrize("bad", [[0, 1, 4], [[0], [-5]], [2**40]])
def test_ids_without_a_row_are_refused_on_both_routes(bad: list[object]) -> None:
    """An id outside the table never reaches a kernel."""
    layers = tie(Config("", 4, 2))
    for route in (layers.lookup, layers.multiply):
        with pytest.raises(IndexError, match="rows 0 to 3"):
            route(torch.tensor(bad))


def test_own_weights_are_copied_and_asked_for() -> None:
    """The layers copy the user's table; `own` without one is refused."""
    table = parse_weights("1 2")
    layers = tie(Config("", 1, 2, init="own", dtype="float64"), table)
    with torch.no_grad():
        layers.embedding.weight.fill_(9)
    assert (table.tolist(), layers.linear.weight.tolist()) == ([[1, 2]], [[1], [2]])
    with pytest.raises(Refused, match="init='own'"):
        tie(Config("", 1, 2, init="own"))


def test_each_route_goes_through_its_own_layer() -> None:
    """A change of one layer alone is seen, where it is."""
    config = Config("", 5, 2, init="integers")
    layers = tie(config)
    with torch.no_grad():
        layers.linear.weight[1, 3] += 0.5
    result = run_both(config, torch.tensor([0, 3, 4, 3]), lambda _: layers).comparison
    assert (result.num_equal, result.num_values) == (6, 8)
    assert result.differing_tokens == [1, 3]
    assert torch.equal(result.matmul - result.lookup, torch.tensor([0.0, 0.5]) * result.differs)


def peak_bytes(work: Callable[[], object]) -> int:
    """Peak bytes of tensors during the work, from PyTorch's profiler."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        kept = work()
    events = recorded.profiler.kineto_results.events()
    taken = [event.nbytes() for event in events if event.name() == "[memory]"]
    del kept
    return max(itertools.accumulate(taken))


@pytest.mark.parametrize("unk", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("init", ["normal", "kaiming_uniform"])
def test_building_both_tables_takes_the_budgeted_bytes(init: str, dtype: str, unk: bool) -> None:
    """What is checked before is at least what is allocated, but for small buffers."""
    config = Config("", 2_000, 256, init=init, dtype=dtype, unk=unk)
    assert peak_bytes(lambda: tie(config)) <= config.tie_bytes + 64 * 1024


def test_too_much_work_is_refused_before_the_tables_are_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The whole one-hot is never held; the check counts at least what the routes take."""

    def never(_: Config) -> TiedLayers:
        raise AssertionError("the tables were built")

    layers, ids = tie(Config("", 4_000, 2)), torch.arange(4_000).repeat(5)
    assert peak_bytes(lambda: layers.multiply(ids, slice_bytes=MIB)) < 4 * MIB
    one, two = (peak_bytes(lambda b=b: layers.multiply(ids[:9], b)) for b in (1, 32_000))
    assert one < two  # a row at least, and then as many as fit
    config = Config("", 4_000, 512)
    taken = peak_bytes(lambda: run_both(config, ids[:4_000])) - ONE_HOT_SLICE_BYTES
    monkeypatch.setenv(BUDGET_VARIABLE, str(taken // MIB - 1))
    with pytest.raises(OverLimitError, match="over the budget"):
        check_work_bytes(config, 4_000)
    monkeypatch.setenv(BUDGET_VARIABLE, "1")
    for tokens, words in ((1_000, "over the budget"), (100_001, "100,001 tokens")):
        with pytest.raises(OverLimitError, match=words):
            run_both(Config("", 10, 1024), torch.zeros(tokens, dtype=torch.int64), never)


@pytest.mark.parametrize("init", PYTORCH)
def test_each_start_keeps_its_promise(init: str) -> None:
    """Each init has the promised moments and ends, and its density an area of 1."""
    layers = tie(Config("", 400, 300, init=init))
    promised: Any = INITS[init].promise
    found, promised = layers.distribution, promised(400, 300)
    assert found.mean == pytest.approx(promised.mean, abs=4 * promised.std / 300)
    assert found.std == pytest.approx(promised.std, rel=0.02)
    assert (found.low, found.high) == layers.extremes
    if init != "normal":
        assert promised.ends == pytest.approx(layers.extremes, rel=1e-3, abs=1e-4)
    assert layers.linear_distribution.std == pytest.approx(found.std)
    assert (promised.density is None) is (init == "integers")
    if promised.density:
        x = np.linspace(-8 * promised.std, 8 * promised.std + 1, 400_001)
        assert np.trapezoid(promised.density(x), x) == pytest.approx(1, abs=1e-3)
        assert np.trapezoid(promised.density(x) * x, x) == pytest.approx(promised.mean, abs=1e-3)
    assert linear_promise(400).ends == (-0.05, 0.05)


@given(st.lists(st.floats(-(2.0**40), 2.0**40, width=32), min_size=1, max_size=40))
def test_every_number_is_counted(values: list[float]) -> None:
    """The histogram counts every number, also the smallest, the largest and equal ones."""
    found = measure(torch.tensor(values))
    counts = found.density * np.diff(found.edges) * len(values)
    assert counts.sum() == pytest.approx(len(values))
    assert min(counts[0], counts[-1] if min(values) < max(values) else 1) > 0.5
    assert (found.low, found.high) == (min(values), max(values))
    spread = 1e-6 * max(map(abs, values)) + 1e-12
    assert found.mean == pytest.approx(np.mean(values), abs=spread)
    assert found.std == pytest.approx(np.std(values), rel=1e-4, abs=spread)


def test_the_trap_of_a_transposed_view() -> None:
    """`.T` shares the table's memory and its changes; the linear layer's copy does not."""
    layers = tie(Config("", 3, 2, init="integers"))
    first = float(layers.embedding.weight.detach()[0, 0])
    assert spring_trap(layers) == (first, first + 1, first + 1, first)
    assert float(layers.embedding.weight.detach()[0, 0]) == first
    names = ("shape", "stride", "contiguous", "shares Embedding's storage")
    assert [tuple(row[name] for name in names) for row in placements(layers)] == [
        ("(3, 2)", "(2, 1)", True, True),
        ("(2, 3)", "(3, 1)", True, False),
        ("(2, 3)", "(1, 2)", False, True),
    ]


def as_published(values: torch.Tensor, published: list[object]) -> None:
    """Asserts that values are the published ones, printed to 4 decimals."""
    expected = torch.tensor(published, dtype=values.dtype)
    torch.testing.assert_close(values.detach(), expected, rtol=0, atol=5.1e-5)


def test_the_articles_numbers_and_shapes() -> None:
    """Seed 123 gives the article's layers and outputs; its ids and text have its shapes."""
    fact = FACTS["embedding_seed_123_4x5"]
    both = run_both(Config("", 4, 5, seed=fact["seed"]), parse_ids("2 3 1", 4))
    assert both.ids.tolist() == fact["ids"]
    as_published(both.layers.embedding.weight, fact["weight"])
    as_published(both.comparison.lookup, fact["output"])
    as_published(both.comparison.matmul, fact["output"])
    fact = FACTS["linear_seed_123_4_to_5"]
    layers = tie(Config("", 4, 5, seed=fact["seed"], init="kaiming_uniform"))
    as_published(layers.linear.weight, fact["weight"])
    for fact in FACTS["batch_shapes"]:
        config = Config("", fact["num_embeddings"], fact["embedding_dim"])
        both = run_both(config, parse_ids(str(fact["ids"]), config.num_embeddings))
        assert list(both.output_shape) == fact["output_shape"]
    fact, known = FACTS["printable"], Vocabulary(string.printable)
    assert (len(known), known.encode("a")) == (fact["characters"], [fact["id_of_a"]])
    both = run_both(Config(string.printable), torch.tensor([known.encode(fact["text"])]))
    assert [*both.ids_shape] == fact["ids_shape"]
    assert [*both.output_shape] == fact["output_shape"]


def test_a_one_hot_row_times_a_matrix_as_json() -> None:
    """The article's matrix can be typed, and a one-hot row of it gives that row."""
    fact = FACTS["one_hot_times_matrix"]
    table = parse_weights(json.dumps(fact["weight"]))
    row = torch.tensor([fact["one_hot"].index(1)])
    config = Config(b"abc", 5, 4, init="own")
    told = json.loads(run_both(config, row, lambda config: tie(config, table)).to_json())
    assert told["lookup"] == told["matmul"] == [fact["output"]]
    assert (told["bitwise_equal"], told["max_abs_error"], told["ids"]) == (True, 0.0, [3])
    assert (told["ids_bytes"], told["one_hot_bytes"]) == (8, 20)
    assert (told["ids_shape"], told["output_shape"]) == ([1], [1, 4])
    assert Config(**told["config"] | {"characters": b"abc"}) == config
    assert told["config"]["characters"] == "bytes"
    table[0, 0] = torch.inf
    odd = run_both(config, torch.tensor([0, 1]), lambda config: tie(config, table))
    assert json.loads(odd.to_json())["max_abs_error"] == "nan"
