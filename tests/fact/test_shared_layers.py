"""The tables that all sessions share: built once. `tests/test_caches.py` counts their bytes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.nn import functional

from embviz.fact import shared_layers
from embviz.fact.inputs import read_inputs
from embviz.fact.layers import TiedLayers, tie
from embviz.fact.table import Table
from embviz.settings.given import defaults
from embviz.system.bounds import Fixed

CACHE: Any = shared_layers.kept_layers.cache  # type: ignore[attr-defined]


def test_one_table_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many sessions share one table; any other setting is another."""
    CACHE.clear()
    built: list[Table] = []
    monkeypatch.setattr(shared_layers, "tie", lambda table: (built.append(table), tie(table))[1])
    asked = Table(5000, 5)
    with ThreadPoolExecutor(8) as pool:
        layers = {*map(id, pool.map(shared_layers.kept_layers, [asked] * 30))}
    assert layers == {id(shared_layers.kept_layers(Table(5000, 5)))}
    assert built == [asked]
    others: dict[str, Any] = {"num_embeddings": 9, "embedding_dim": 9, "seed": 1, "unk": True}
    for name, value in (others | {"init": "uniform", "dtype": "float64"}).items():
        shared_layers.kept_layers(replace(asked, **{name: value}))
    assert len(built) == 7


def test_both_routes_run_for_each_answer() -> None:
    """No earlier output is given again."""
    given = read_inputs(defaults())
    shared_layers.run_on_shared_layers(given)
    layers = shared_layers.layers_of(given)
    with torch.no_grad():
        layers.embedding.weight.fill_(1)
        layers.linear.weight.fill_(2)
    found = shared_layers.run_on_shared_layers(given).comparison
    assert (found.lookup.unique().tolist(), found.matmul.unique().tolist()) == ([1], [2])
    CACHE.clear()


def test_a_large_table_keeps_to_the_callers_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A one-hot slice has no more bytes than the caller allows; the rows are the same."""
    sizes, product = [], functional.linear

    def linear(one_hot: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        sizes.append(one_hot.nbytes)
        return product(one_hot, weight)

    monkeypatch.setattr(functional, "linear", linear)
    tied = tie(Table(20, 3, 9))
    layers, ids = shared_layers.LargeLayers(tied.embedding, tied.linear), torch.arange(7)
    assert torch.equal(layers.multiply(ids, slice_bytes=2 * 20 * 4), tied.lookup(ids))
    assert sizes == [160, 160, 160, 80]


def test_a_large_table_multiplies_an_id_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits are those of the product, in any order of the ids, also once the kept ones go."""
    monkeypatch.setattr(shared_layers, "LARGE_TABLE", 60)
    monkeypatch.setattr(shared_layers, "KEPT_IDS", Fixed(4, 4))
    layers = shared_layers.kept_layers(Table(20, 3, 9))
    rows = layers.embedding.weight.detach().clone()
    for ids in ([[3, 1, 3]], [[1, 5, 0]], [[7, 8]], [[]], [[9, 8, 7, 6, 5, 4]]):
        asked = torch.tensor(ids, dtype=torch.int64)
        assert torch.equal(layers.multiply(asked), rows[asked])
        assert isinstance(layers, shared_layers.LargeLayers)
        assert len(layers.products) <= 4
    with torch.no_grad():
        layers.linear.weight.zero_()
    assert torch.equal(layers.multiply(torch.tensor([8, 2])), torch.stack([rows[8], 0 * rows[2]]))
    with pytest.raises(IndexError):
        layers.multiply(torch.tensor([20]))
    assert type(shared_layers.kept_layers(Table(19, 3))) is TiedLayers
