"""Which stacks see order, and that a causal stack never sees a later edit."""

import string
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.context.proofs import (
    permutation_error,
    permutation_table,
    same_character,
)
from embviz.context.stack import MAX_POSITIONS, Stack, Switches
from embviz.context.static import pair, shuffled
from embviz.core.config import Config
from embviz.core.inits import INITS
from embviz.core.layers import TiedLayers, tie
from embviz.core.vocabulary import Vocabulary

torch.set_num_threads(1)  # several threads make small products slow
IDS = torch.tensor(Vocabulary(string.printable).encode("WTF does nn.Embedding do?"))
FULL = Switches(attention=True)
CAUSAL = Switches(attention=True, mask="causal")


def later_edit(stack: Stack, ids: torch.Tensor, position: int, new_id: int) -> torch.Tensor:
    """How far each position's vector moves when one character is replaced."""
    after = ids.clone()
    after[position] = new_id
    moved = stack.trace(ids).outputs.double() - stack.trace(after).outputs.double()
    return moved.abs().amax(dim=1)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=60),
    st.integers(0, 2**32 - 1),
)
def test_attention_alone_cannot_see_order(layers: TiedLayers, ids: list[int], seed: int) -> None:
    """Attention without positions and with a full mask does not see order."""
    stack = Stack(layers, FULL, seed=seed)
    text = torch.tensor(ids)
    assert permutation_error(stack, text, seed)[0] < 1e-6
    assert permutation_error(Stack(layers, Switches(), seed=seed), text, seed)[0] == 0.0


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("init", [init for init in INITS if init != "own"])
def test_the_table_of_proofs(init: str, dtype: str) -> None:
    """The table's verdicts are the same for every init and dtype."""
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
    """A text of one character has no order to see."""
    assert not any(row.sees_order for row in permutation_table(layers, IDS[:1], 0))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 99), min_size=2, max_size=60),
    st.booleans(),
    st.data(),
)
def test_a_later_edit_never_changes_an_earlier_vector(
    layers: TiedLayers, ids: list[int], positions: bool, data: st.DataObject
) -> None:
    """With a causal mask an edit changes no vector before it."""
    place = data.draw(st.integers(0, len(ids) - 1))
    new = data.draw(st.integers(0, 99).filter(lambda token: token != ids[place]))
    text = torch.tensor(ids)
    causal = Stack(layers, Switches(positions, True, "causal"))
    moved = later_edit(causal, text, place, new)
    assert moved[:place].tolist() == [0.0] * place
    assert float(moved[place]) > 0
    full = later_edit(Stack(layers, Switches(positions, True, "full")), text, place, new)
    assert bool((full > 0).all())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dim", [64, 10])
def test_the_past_is_exact_at_every_size(threads: int, dim: int) -> None:
    """A later edit changes no bit of an earlier vector in long texts and with more threads."""
    layers = tie(Config(string.printable, 100, dim))
    stack = Stack(layers, Switches(True, True, "causal"))
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


def test_one_character_at_two_places(layers: TiedLayers) -> None:
    """One character's rows are equal at two places; the stack's outputs are not."""
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


def test_proofs_leave_the_global_generator_alone(layers: TiedLayers) -> None:
    """The proofs draw nothing from the global generator."""
    state = torch.random.get_rng_state()
    shuffled(layers, IDS, 1)
    permutation_table(layers, IDS, 1)
    assert torch.equal(torch.random.get_rng_state(), state)
