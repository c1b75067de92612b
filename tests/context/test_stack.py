"""Positions and one self-attention on the playground's embedding: real modules, by seed."""

import string
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from embviz.context.stack import Stack, Switches
from embviz.core.config import Config
from embviz.core.dtypes import DTYPES
from embviz.core.layers import TiedLayers, tie
from embviz.core.vocabulary import Vocabulary

torch.set_num_threads(1)  # several threads make small products slow
IDS = torch.tensor(Vocabulary(string.printable).encode("WTF does nn.Embedding do?"))
ALL = Switches(positions=True, attention=True, mask="causal")
MASKS: list[Any] = ["full", "causal"]
EVERY_SWITCH = [Switches(*one) for one in product((False, True), (False, True), MASKS)]


@pytest.mark.parametrize("switches", EVERY_SWITCH, ids=str)
def test_the_shown_code_computes_the_vectors(layers: TiedLayers, switches: Switches) -> None:
    """Each line, run with PyTorch's modules, gives the vectors beside it."""
    stack = Stack(layers, switches, seed=8)
    trace, size = stack.trace(IDS), len(IDS)
    assert stack.embedding is layers.embedding
    assert (type(stack.positions) is nn.Embedding) == switches.positions
    assert (type(stack.attention) is nn.MultiheadAttention) == switches.attention
    names: dict[str, Any] = {
        "torch": torch,
        "ids": IDS[None],
        "N": size,
        "embedding": stack.embedding,
        "positions": stack.positions,
        "attention": stack.attention,
        "later": torch.ones(size, size, dtype=torch.bool).triu(1),
    }
    for step in trace.steps:
        exec(step.code, names)  # noqa: S102 - the project's own lines
        result = names[step.code.split("=")[0].split(",")[0].strip()]
        torch.testing.assert_close(result.detach().reshape(size, -1), step.vectors)
    assert len(trace.steps) == 1 + 2 * switches.positions + 2 * switches.attention
    assert torch.equal(trace.tokens, layers.embedding(IDS).detach())
    if switches.attention:
        torch.testing.assert_close(trace.attention, names["who"][0])
    assert trace.outputs is trace.steps[-1].vectors
    assert trace.outputs.requires_grad is False


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=30),
    st.sampled_from(MASKS),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_attention_shares_out_one_whole(
    layers: TiedLayers, ids: list[int], mask: Any, positions: bool, seed: int
) -> None:
    """Attention weights are from 0, sum to 1, and are 0 above a causal mask's diagonal."""
    stack = Stack(layers, Switches(positions, True, mask), seed=seed)
    weights = stack.trace(torch.tensor(ids)).attention
    assert weights is not None
    assert weights.shape == (len(ids), len(ids))
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(len(ids)))
    assert bool((weights >= 0).all())
    if mask == "causal":
        assert float(weights.triu(1).abs().max()) == 0.0


def test_a_switch_leaves_the_other_part_as_it_is(layers: TiedLayers) -> None:
    """A switch leaves the weights of the other part as they are; another seed changes them."""
    both = Stack(layers, ALL, seed=5)
    for name in ("positions", "attention"):
        weights = getattr(both, name).state_dict()
        alone = getattr(Stack(layers, Switches(**{name: True}), seed=5), name).state_dict()
        other = getattr(Stack(layers, ALL, seed=6), name).state_dict()
        for key, weight in weights.items():
            assert torch.equal(alone[key], weight)
            assert not torch.equal(other[key], weight)


def test_the_weights_are_spread_as_pytorch_spreads_them() -> None:
    """Weights are distributed as those of PyTorch's own modules."""
    stack = Stack(tie(Config(string.printable, 100, 64)), ALL)
    with torch.random.fork_rng():
        theirs = nn.MultiheadAttention(64, 1, bias=False, batch_first=True), nn.Embedding(256, 64)
    for ours, other in zip((stack.attention, stack.positions), theirs, strict=True):
        assert ours is not None
        for (name, mine), (same, weight) in zip(
            ours.named_parameters(), other.named_parameters(), strict=True
        ):
            assert (name, mine.shape) == (same, weight.shape)
            assert float(mine.std()) == pytest.approx(float(weight.detach().std()), rel=0.05)


def test_the_global_generator_and_the_tables_are_left_alone(layers: TiedLayers) -> None:
    """One seed gives one result, without the global generator, and changes no table."""
    state, table = torch.random.get_rng_state(), layers.embedding.weight.detach().clone()
    first, second = (Stack(layers, ALL, seed=1).trace(IDS) for _ in range(2))
    assert torch.equal(first.outputs, second.outputs)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(layers.embedding.weight, table)
    assert layers.embedding.weight.requires_grad


@pytest.mark.parametrize("name", list(DTYPES))
def test_every_dtype_can_stand_below(name: str) -> None:
    """Tables of half precision are cast to float32, and the shown code says so."""
    layers = tie(Config(string.printable, dtype=name))
    stack = Stack(layers, ALL)
    trace = stack.trace(IDS)
    half = name in ("bfloat16", "float16")
    assert stack.is_cast is half
    assert stack.dtype is (torch.float32 if half else DTYPES[name].torch)
    assert trace.outputs.dtype is stack.dtype
    assert torch.equal(trace.tokens, layers.lookup(IDS).to(stack.dtype))
    assert (".float()" in trace.steps[0].code) is half


def test_ids_without_a_row_and_rows_too_large_are_refused(layers: TiedLayers) -> None:
    """An id without a row, and rows whose products are not finite, are refused."""
    with pytest.raises(IndexError, match="rows 0 to 99"):
        Stack(layers, ALL).trace(torch.tensor([100]))
    huge = tie(Config("ab", 2, 4, init="own"), torch.full((2, 4), 3e38))
    with pytest.raises(ValueError, match="too large"):
        Stack(huge, Switches(attention=True)).trace(torch.tensor([0, 1]))


@pytest.mark.parametrize("length", [1, 256])
def test_one_character_and_the_longest_text(layers: TiedLayers, length: int) -> None:
    """The shortest and the longest text work."""
    assert Stack(layers, ALL).trace(IDS.repeat(20)[:length]).outputs.shape == (length, 10)
