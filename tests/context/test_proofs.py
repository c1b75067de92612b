"""What shuffling and editing a text prove: of the embedding alone, and of attention."""

import string
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.context.proofs import (
    later_edit,
    permutation_error,
    permutation_table,
    same_character,
)
from embviz.context.similarity import MAX_POSITIONS
from embviz.context.stack import Stack, Switches
from embviz.context.static import edited, new_order, pair, shuffled
from embviz.core.config import Config
from embviz.core.inits import INITS
from embviz.core.layers import TiedLayers, tie
from embviz.core.vocabulary import Vocabulary

torch.set_num_threads(1)  # threads that wait for each other would make small products slow
PRINTABLE = Vocabulary(string.printable)
TEXT = "WTF does nn.Embedding do?"
IDS = torch.tensor(PRINTABLE.encode(TEXT))
FULL = Switches(attention=True)
CAUSAL = Switches(attention=True, mask="causal")
TEXTS = st.lists(st.integers(0, 99), max_size=40)


@pytest.fixture(scope="module")
def layers() -> TiedLayers:
    """The playground's own start."""
    return tie(Config(string.printable))


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.integers(0, 2**32 - 1))
def test_a_shuffled_text_has_the_same_rows(layers: TiedLayers, ids: list[int], seed: int) -> None:
    """An embedding would seem to see its neighbours."""
    proof = shuffled(layers, torch.tensor(ids, dtype=torch.int64), seed)
    assert proof.max_abs_difference == proof.max_abs_difference_matmul == 0.0
    assert sorted(proof.order.tolist()) == list(range(len(ids)))
    assert proof.shuffled_ids.tolist() == [ids[p] for p in proof.order]
    assert proof.moved == sum(p != k for k, p in enumerate(proof.order.tolist()))
    assert (proof.moved > 0) == (len(ids) > 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("init", [init for init in INITS if init != "own"])
def test_rows_stay_in_every_table(dtype: str, init: str) -> None:
    """The proof would hold for the table of the first visit only."""
    proof = shuffled(tie(Config(string.printable, init=init, dtype=dtype)), IDS, 0)
    assert proof.max_abs_difference == proof.max_abs_difference_matmul == 0.0
    assert proof.moved > 15


def test_a_row_that_did_change_is_seen(layers: TiedLayers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof would say 0 whatever the layers do."""
    lookup = TiedLayers.lookup

    def with_places(self: TiedLayers, ids: torch.Tensor) -> torch.Tensor:
        return lookup(self, ids) + torch.arange(len(ids)).unsqueeze(1)

    monkeypatch.setattr(TiedLayers, "lookup", with_places)
    assert shuffled(layers, IDS, 0).max_abs_difference > 1
    assert edited(layers, IDS, IDS[1:]).max_abs_difference == pytest.approx(1, abs=1e-5)


@settings(deadline=None, max_examples=50)
@given(TEXTS, TEXTS)
def test_an_edited_text_keeps_its_rows(
    layers: TiedLayers, before: list[int], after: list[int]
) -> None:
    """A typed letter would seem to change the rows of others."""
    proof = edited(
        layers, torch.tensor(before, dtype=torch.int64), torch.tensor(after, dtype=torch.int64)
    )
    assert proof.max_abs_difference == proof.max_abs_difference_matmul == 0.0
    assert all(before[a] == after[b] for a, b in proof.kept)
    assert proof.kept == sorted(set(proof.kept))
    assert proof.moved == sum(a != b for a, b in proof.kept)


def test_a_letter_in_front_moves_all(layers: TiedLayers) -> None:
    """The places of what two texts share would be wrong."""
    proof = edited(layers, IDS, torch.cat([IDS[:1] * 0, IDS]))
    assert proof.kept == [(k, k + 1) for k in range(len(IDS))]
    assert proof.moved == len(IDS)
    with pytest.raises(ValueError, match="257 positions"):
        edited(layers, IDS, torch.zeros(MAX_POSITIONS + 1, dtype=torch.int64))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 300), st.integers(0, 2**63 - 1))
def test_an_order_is_new(length: int, seed: int) -> None:
    """A shuffle would leave a text as it is, and the proof prove nothing."""
    order = new_order(length, seed)
    assert torch.equal(order, new_order(length, seed))
    assert sorted(order.tolist()) == list(range(length))
    assert length < 2 or order.tolist() != list(range(length))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=60),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 5]),
)
def test_attention_alone_cannot_see_order(
    layers: TiedLayers, ids: list[int], seed: int, heads: int
) -> None:
    """The page's claim, that attention without positions is blind to order, would not hold."""
    stack = Stack(layers, replace(FULL, heads=heads), seed=seed)
    assert permutation_error(stack, torch.tensor(ids), seed) < 1e-6
    assert permutation_error(Stack(layers, Switches(), seed=seed), torch.tensor(ids), seed) == 0.0


@pytest.mark.parametrize("seed", range(8))
def test_positions_or_a_causal_mask_see_order(layers: TiedLayers, seed: int) -> None:
    """The page would show a switch that changes nothing."""
    for switches in (CAUSAL, replace(FULL, positions=True), replace(CAUSAL, positions=True)):
        assert permutation_error(Stack(layers, switches, seed=seed), IDS, seed) > 0.1


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("init", [init for init in INITS if init != "own"])
def test_the_table_of_proofs(init: str, dtype: str) -> None:
    """With another table rounding would be taken for order, or order for rounding."""
    found = permutation_table(tie(Config(string.printable, init=init, dtype=dtype)), IDS, 123)
    assert [row.sees_order for row in found] == [False, False, True, True, True]
    assert found[0].error == 0.0
    assert len({row.label for row in found}) == 5
    assert [(row.switches.positions, row.switches.attention) for row in found[1:]] == [
        (False, True),
        (False, True),
        (True, True),
        (True, True),
    ]


def test_one_character_has_no_order(layers: TiedLayers) -> None:
    """A text of one character would be a traceback, or be said to have an order."""
    assert not any(row.sees_order for row in permutation_table(layers, IDS[:1], 0))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 99), min_size=2, max_size=60),
    st.sampled_from([1, 2, 5, 10]),
    st.booleans(),
    st.data(),
)
def test_a_later_edit_never_changes_an_earlier_vector(
    layers: TiedLayers, ids: list[int], heads: int, positions: bool, data: st.DataObject
) -> None:
    """A causal mask would let the future through."""
    place = data.draw(st.integers(0, len(ids) - 1))
    new = data.draw(st.integers(0, 99).filter(lambda token: token != ids[place]))
    text = torch.tensor(ids)
    causal = Stack(layers, Switches(positions, True, "causal", heads))
    moved = later_edit(causal, text, place, new)
    assert moved[:place].tolist() == [0.0] * place
    assert float(moved[place]) > 0
    full = later_edit(Stack(layers, Switches(positions, True, "full", heads)), text, place, new)
    assert bool((full > 0).all())


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(("dim", "heads"), [(64, 4), (10, 1), (96, 3)])
def test_the_past_is_exact_at_every_size(threads: int, dim: int, heads: int) -> None:
    """With more threads or a longer text an earlier vector would change by a rounding."""
    layers = tie(Config(string.printable, 100, dim))
    stack = Stack(layers, Switches(True, True, "causal", heads))
    ids = torch.randint(100, (MAX_POSITIONS,), generator=torch.Generator().manual_seed(2))
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for place in (1, 17, 200, 255):
            moved = later_edit(stack, ids, place, (int(ids[place]) + 1) % 100)
            assert not bool(moved[:place].any())
            assert bool((moved[place:] > 0).all())
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("place", [-1, len(IDS)])
def test_an_edit_outside_is_refused(layers: TiedLayers, place: int) -> None:
    """Python would count from the end, and another character be edited."""
    with pytest.raises(IndexError, match="not from 0 to 24"):
        later_edit(Stack(layers, CAUSAL), IDS, place, 0)


def test_one_character_at_two_places(layers: TiedLayers) -> None:
    """Two of one character would not be the same below, or be the same above."""
    places = pair(IDS, prefer=set(range(10, 62)))
    assert places == (4, 16)
    for switches, is_same in [
        (Switches(), True),
        (FULL, True),  # who asks the same of the same hears the same
        (CAUSAL, False),
        (Switches(positions=True), False),
        (replace(FULL, positions=True), False),
    ]:
        found = same_character(Stack(layers, switches), IDS, *places)
        assert found.static_cosine == 1.0
        assert found.static_max_abs_difference == 0.0
        assert (found.contextual_cosine > 1 - 1e-6) is is_same
        assert (found.contextual_max_abs_difference < 1e-6) is is_same


def test_two_characters_are_refused(layers: TiedLayers) -> None:
    """Two characters would be compared as if they were one."""
    with pytest.raises(ValueError, match="is not id"):
        same_character(Stack(layers, CAUSAL), IDS, 0, 1)
    with pytest.raises(IndexError, match="not both"):
        same_character(Stack(layers, CAUSAL), IDS, 0, 25)


def test_proofs_leave_the_global_generator_alone(layers: TiedLayers) -> None:
    """One session's proof would change what another draws."""
    state = torch.random.get_rng_state()
    shuffled(layers, IDS, 1)
    permutation_table(layers, IDS, 1)
    assert torch.equal(torch.random.get_rng_state(), state)
