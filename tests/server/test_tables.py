"""The tables that all sessions share: built once, bounded, and without a user's own weights."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from embviz.core.comparison import Comparison
from embviz.core.config import Config
from embviz.core.layers import TiedLayers, tie
from embviz.request.inputs import read_inputs
from embviz.request.parameters import DEFAULTS
from embviz.server import tables


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    tables.shared_tables.cache_clear()  # type: ignore[attr-defined]
    tables.small_tables.cache_clear()  # type: ignore[attr-defined]


def test_one_configuration_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty requests for one configuration build its table once."""
    built: list[Config] = []
    monkeypatch.setattr(tables, "tie", lambda config: built.append(config) or tie(config))
    with ThreadPoolExecutor(8) as pool:
        layers = list(pool.map(tables.tables, [Config("abc", 5000, 5)] * 30))
    assert len(built) == 1
    assert all(one is layers[0] for one in layers)
    assert tables.tables(Config("xyz", 5000, 5)) is layers[0]
    assert tables.tables(Config("abc", 5000, 5, seed=1)) is not layers[0]
    assert tables.tables(Config("abc", 5000, 5, unk=True)) is not layers[0]


def test_few_small_tables_are_kept() -> None:
    """Small tables do not count against the memory budget, and the last `KEPT_SMALL` are kept."""
    small = Config("ab", 1_000, 16)
    assert torch.equal(tables.tables(small).embedding.weight, tie(small).embedding.weight)
    assert tables.tables(small) is tables.tables(small)
    for seed in range(tables.KEPT_SMALL + 5):
        tables.tables(Config("ab", 10, 2, seed=seed))
    assert len(tables.small_tables.cache) == tables.KEPT_SMALL  # type: ignore[attr-defined]
    assert not tables.shared_tables.cache  # type: ignore[attr-defined]
    least = Config("ab", 1_024, 16)
    assert tables.tables(least) is tables.tables(least)
    kept = tables.shared_tables.cache  # type: ignore[attr-defined]
    assert kept.currsize == 2 * 4 * 2**14 + tables.MODULES_BYTES


def test_own_weights_are_not_shared() -> None:
    """Each user gets the rows of his own weights."""
    wanted = {**DEFAULTS, "init": "own", "input": "ids", "ids": "0"}
    for weights, row in (("1 2", [[1, 2]]), ("3 4", [[3, 4]])):
        both = tables.run_both_cached(read_inputs({**wanted, "weights": weights}))
        assert both.comparison.lookup.tolist() == row


def large() -> tuple[tables.SharedLayers, TiedLayers]:
    """A table that keeps its products, and the same table without."""
    config = Config("", 300_000, 4)
    return tables.tables(config), tie(config)


def test_kept_products_are_the_products() -> None:
    """A kept product has the bits of a new one, for any ids and shape."""
    kept, plain = large()
    generator = torch.Generator().manual_seed(0)
    for _ in range(6):
        ids = torch.randint(0, 300_000, (2, 9), generator=generator)
        ids[0, :3] = torch.tensor([7, 7, 299_999])
        assert Comparison(plain.multiply(ids), kept.multiply(ids)).bitwise_equal
        assert kept.multiply(ids).shape == (2, 9, 4)


def test_an_id_is_multiplied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only ids that were not multiplied before are multiplied."""
    kept, _ = large()
    asked: list[list[int]] = []
    product = TiedLayers.multiply

    def spy(self: TiedLayers, ids: torch.Tensor, slice_bytes: int = 2**25) -> torch.Tensor:
        asked.append(ids.tolist())
        return product(self, ids, slice_bytes)

    monkeypatch.setattr(TiedLayers, "multiply", spy)
    kept.multiply(torch.tensor([5, 9]))
    kept.multiply(torch.tensor([5, 9, 11]))
    kept.multiply(torch.tensor([11, 5]))
    assert asked == [[5, 9], [11]]


def test_kept_rows_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most `KEPT_ROWS` products are kept, and results stay right."""
    monkeypatch.setattr(tables, "KEPT_ROWS", 10)
    kept, plain = large()
    for start in range(0, 100, 7):
        ids = torch.arange(start, start + 7)
        assert Comparison(plain.multiply(ids), kept.multiply(ids)).bitwise_equal
        assert len(kept._rows) <= 10
    many = torch.arange(50)
    assert Comparison(plain.multiply(many), kept.multiply(many)).bitwise_equal
    assert len(kept._rows) <= 10


def test_ids_out_of_range_are_refused_here_too() -> None:
    """An id out of range raises PyTorch's IndexError."""
    kept, _ = large()
    with pytest.raises(IndexError):
        kept.multiply(torch.tensor([300_000]))
