"""The tables that all sessions share: built once, bounded, and without a user's own weights."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from embviz.core.config import Config
from embviz.core.layers import TiedLayers, tie
from embviz.request.inputs import read_inputs
from embviz.request.parameters import DEFAULTS
from embviz.server import tables


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Config]:
    """The configurations whose tables were built, from an empty cache on."""
    tables.tables.cache_clear()  # type: ignore[attr-defined]
    built: list[Config] = []
    monkeypatch.setattr(
        tables, "tie", lambda config, *own: built.append(config) or tie(config, *own)
    )
    return built


def test_one_configuration_is_built_once(built: list[Config]) -> None:
    """Many sessions share one table, whatever its rows are named; any other number is another."""
    asked = Config("abc", 5000, 5)
    with ThreadPoolExecutor(8) as pool:
        layers = list(pool.map(tables.tables, [asked] * 30))
    assert all(one is layers[0] for one in layers)
    assert tables.tables(replace(asked, characters="xyz")) is layers[0]
    assert built == [asked]
    changes = {"num_embeddings": 9, "embedding_dim": 9, "seed": 1, "init": "uniform"}
    for name, value in (changes | {"dtype": "float64"}).items():
        other = tables.tables(replace(asked, **{name: value}))  # type: ignore[arg-type]
        assert torch.equal(other.embedding.weight, tie(built[-1]).embedding.weight)
        assert other is not layers[0]


def test_the_cache_is_bounded_by_bytes(built: list[Config]) -> None:
    """A table counts both its layers, and the ones used longest ago go first."""
    kept = tables.tables.cache  # type: ignore[attr-defined]
    small = Config("ab", 10, 2)
    tables.tables(small)
    assert kept.currsize == 2 * 4 * 20 + tables.MODULES_BYTES
    layer = tie(Config("ab", 1000, 100))
    most = kept.maxsize // (2 * layer.embedding.weight.nbytes)
    for number in range(most + 1):  # without building them
        kept[number] = TiedLayers(layer.embedding, layer.linear)
    assert kept.currsize <= kept.maxsize
    tables.tables(small)
    assert built == [small, small]


def test_own_weights_are_not_shared() -> None:
    """Each user gets the rows of his own weights, by both routes."""
    wanted = {**DEFAULTS, "init": "own", "input": "ids", "ids": "0"}
    for weights, row in (("1 2", [[1, 2]]), ("3 4", [[3, 4]])):
        both = tables.run_both_cached(read_inputs({**wanted, "weights": weights}))
        assert both.comparison.lookup.tolist() == both.comparison.matmul.tolist() == row


def test_both_routes_run_for_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """No product of an earlier answer is given again, for large tables either."""
    ran: list[str] = []
    for name in ("lookup", "multiply"):
        route = getattr(TiedLayers, name)
        spy = lambda self, ids, *more, r=route, n=name: ran.append(n) or r(self, ids, *more)  # noqa: E731
        monkeypatch.setattr(TiedLayers, name, spy)
    for _ in range(2):
        tables.run_both_cached(read_inputs({**DEFAULTS, "rows": 600_000, "dim": 2}))
    assert sorted(ran) == ["lookup"] * 2 + ["multiply"] * 2
