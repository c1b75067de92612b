"""Shuffling and editing a text move rows and change none."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.context.moved_rows import edited, new_order, shuffled
from embviz.fact.layers import TiedLayers

TEXTS = st.lists(st.integers(0, 99), max_size=40)


@settings(max_examples=50)
@given(TEXTS, TEXTS, st.integers(0, 2**63 - 1))
def test_kept_letters_have_the_same_rows(
    layers: TiedLayers, ids: list[int], other: list[int], seed: int
) -> None:
    """A shuffled text has all rows at other places; an edited one those of common letters."""
    before, after = (torch.tensor(one, dtype=torch.int64) for one in (ids, other))
    proof = shuffled(layers, before, seed)
    order = new_order(len(ids), seed).tolist()
    assert sorted(order) == list(range(len(ids)))
    assert proof.kept == [*zip(order, range(len(ids)), strict=True)]
    assert (proof.moved > 0) == (len(ids) > 1)
    edit = edited(layers, before, after)
    assert edit.kept == sorted(set(edit.kept))
    assert edit.moved == sum(a != b for a, b in edit.kept)
    for one in (proof, edit):
        assert one.same_bits
        assert torch.equal(one.before, layers.lookup(before))
        assert all(ids[a] == one.after_ids[b] for a, b in one.kept)
