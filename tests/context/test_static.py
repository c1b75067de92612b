"""Shuffling and editing a text move rows and change none."""

import string

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.context.static import edited, new_order, shuffled
from embviz.core.config import Config
from embviz.core.inits import INITS
from embviz.core.layers import TiedLayers, tie
from embviz.core.vocabulary import Vocabulary

torch.set_num_threads(1)  # several threads make small products slow
IDS = torch.tensor(Vocabulary(string.printable).encode("WTF does nn.Embedding do?"))
TEXTS = st.lists(st.integers(0, 99), max_size=40)


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.integers(0, 2**32 - 1))
def test_a_shuffled_text_has_the_same_rows(layers: TiedLayers, ids: list[int], seed: int) -> None:
    """A shuffled text has the same rows as before, at other places, on both routes."""
    proof = shuffled(layers, torch.tensor(ids, dtype=torch.int64), seed)
    assert proof.same_bits
    order = [was for was, _ in proof.kept]
    assert sorted(order) == [now for _, now in proof.kept] == list(range(len(ids)))
    assert proof.after_ids.tolist() == [ids[place] for place in order]
    assert (proof.moved > 0) == (len(ids) > 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("init", [init for init in INITS if init != "own"])
def test_rows_stay_in_every_table(dtype: str, init: str) -> None:
    """Shuffling changes no row, for every init and dtype."""
    proof = shuffled(tie(Config(string.printable, init=init, dtype=dtype)), IDS, 0)
    assert proof.same_bits
    assert proof.moved > 15


def test_a_row_that_did_change_is_seen(layers: TiedLayers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof reports a difference if the layers do depend on the neighbours."""
    lookup = TiedLayers.lookup

    def with_places(self: TiedLayers, ids: torch.Tensor) -> torch.Tensor:
        return lookup(self, ids) + torch.arange(len(ids)).unsqueeze(1)

    monkeypatch.setattr(TiedLayers, "lookup", with_places)
    assert shuffled(layers, IDS, 0).lookup.max_abs_error > 1
    assert not shuffled(layers, IDS, 0).same_bits
    assert edited(layers, IDS, IDS[1:]).lookup.max_abs_error == pytest.approx(1, abs=1e-5)


@settings(deadline=None, max_examples=50)
@given(TEXTS, TEXTS)
def test_an_edited_text_keeps_its_rows(
    layers: TiedLayers, before: list[int], after: list[int]
) -> None:
    """An edited character changes the row of no other character."""
    proof = edited(
        layers, torch.tensor(before, dtype=torch.int64), torch.tensor(after, dtype=torch.int64)
    )
    assert proof.same_bits
    assert all(before[a] == after[b] for a, b in proof.kept)
    assert proof.kept == sorted(set(proof.kept))
    assert proof.moved == sum(a != b for a, b in proof.kept)


def test_a_letter_in_front_moves_all(layers: TiedLayers) -> None:
    """The kept places of two texts are those of their common characters."""
    proof = edited(layers, IDS, torch.cat([IDS[:1] * 0, IDS]))
    assert proof.kept == [(k, k + 1) for k in range(len(IDS))]
    assert proof.moved == len(IDS)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 300), st.integers(0, 2**63 - 1))
def test_an_order_is_new(length: int, seed: int) -> None:
    """Two or more places never keep their order."""
    order = new_order(length, seed)
    assert torch.equal(order, new_order(length, seed))
    assert sorted(order.tolist()) == list(range(length))
    assert length < 2 or order.tolist() != list(range(length))
