"""Shuffling and editing a text move rows and change none."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.context.static import edited, new_order, shuffled
from embviz.core.layers import TiedLayers

torch.set_num_threads(1)  # several threads make small products slow
TEXTS = st.lists(st.integers(0, 99), max_size=40)


@settings(deadline=None, max_examples=50)
@given(TEXTS, TEXTS, st.integers(0, 2**63 - 1))
def test_kept_letters_have_the_same_rows(
    layers: TiedLayers, ids: list[int], other: list[int], seed: int
) -> None:
    """A shuffled text has all rows at other places; an edited one those of common letters."""
    before, after = (torch.tensor(one, dtype=torch.int64) for one in (ids, other))
    proof = shuffled(layers, before, seed)
    order = [was for was, _ in proof.kept]
    assert sorted(order) == [now for _, now in proof.kept] == list(range(len(ids)))
    assert proof.after_ids.tolist() == [ids[place] for place in order]
    assert (proof.moved > 0) == (len(ids) > 1)
    assert order == new_order(len(ids), seed).tolist()
    edit = edited(layers, before, after)
    assert edit.after_ids is after
    assert edit.kept == sorted(set(edit.kept))
    assert edit.moved == sum(a != b for a, b in edit.kept)
    for one in (proof, edit):
        assert one.same_bits
        assert torch.equal(one.before, layers.lookup(before))
        assert all(ids[a] == one.after_ids[b] for a, b in one.kept)


@pytest.mark.parametrize("route", ["lookup", "multiply"])
def test_a_row_that_did_change_is_seen(
    layers: TiedLayers, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof reports a difference of the route that does depend on the neighbours."""
    ids, rows = torch.arange(6), getattr(TiedLayers, route)
    monkeypatch.setattr(
        TiedLayers, route, lambda self, k: rows(self, k) + torch.arange(len(k))[:, None]
    )
    proof = edited(layers, ids, ids[1:])
    assert proof.kept == [(k + 1, k) for k in range(5)]
    assert not proof.same_bits
    errors = proof.lookup.max_abs_error, proof.matmul.max_abs_error
    assert [round(one) for one in errors] == [route == "lookup", route == "multiply"]
