"""Positions and one self-attention on the playground's embedding: real modules, by seed."""

import string
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from embviz.context.stack import (
    MASKS,
    Stack,
    Switches,
    attend,
    cost,
    draw_attention,
    possible_heads,
)
from embviz.core.config import Config
from embviz.core.dtypes import DTYPES
from embviz.core.layers import TiedLayers, tie
from embviz.core.vocabulary import Vocabulary

torch.set_num_threads(1)  # several threads make small products slow
IDS = torch.tensor(Vocabulary(string.printable).encode("WTF does nn.Embedding do?"))
ALL = Switches(positions=True, attention=True, mask="causal")
EVERY_SWITCH = [Switches(*one) for one in product((False, True), (False, True), MASKS, (1, 5))]


@pytest.mark.parametrize("switches", EVERY_SWITCH, ids=str)
def test_the_parts_are_those_of_pytorch(layers: TiedLayers, switches: Switches) -> None:
    """The stack's numbers are those of PyTorch's modules."""
    stack = Stack(layers, switches, seed=3)
    trace = stack.trace(IDS)
    assert stack.embedding is layers.embedding
    x = layers.embedding(IDS).detach()
    assert torch.equal(trace.tokens, x)
    if switches.positions:
        assert isinstance(stack.positions, nn.Embedding)
        x = x + stack.positions(torch.arange(len(IDS)))
        assert torch.equal(trace.steps[2].vectors, x)
    if switches.attention:
        assert isinstance(stack.attention, nn.MultiheadAttention)
        mask = None
        if switches.mask == "causal":
            mask = nn.Transformer.generate_square_subsequent_mask(len(IDS))
        answer, weights = stack.attention(
            x[None], x[None], x[None], attn_mask=mask, average_attn_weights=False
        )
        torch.testing.assert_close(trace.steps[-2].vectors, answer[0])
        torch.testing.assert_close(trace.attention, weights[0])
        x = x + answer[0]
    torch.testing.assert_close(trace.outputs, x)
    assert trace.outputs.requires_grad is False


@pytest.mark.parametrize("switches", EVERY_SWITCH, ids=str)
def test_the_steps_are_the_way(layers: TiedLayers, switches: Switches) -> None:
    """There is one step with code for each line of the computation."""
    trace = Stack(layers, switches).trace(IDS)
    assert len(trace.steps) == 1 + 2 * switches.positions + 2 * switches.attention
    assert all(step.vectors.shape == (len(IDS), 10) for step in trace.steps)
    assert all(step.name and step.code for step in trace.steps)
    causal = switches.attention and switches.mask == "causal"
    assert any("attn_mask" in step.code for step in trace.steps) == causal


def test_the_code_of_the_steps_runs(layers: TiedLayers) -> None:
    """The shown lines compute the vectors beside them."""
    stack = Stack(layers, ALL, seed=8)
    trace = stack.trace(IDS)
    size = len(IDS)
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


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=30),
    st.sampled_from(MASKS),
    st.sampled_from([1, 2, 5, 10]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_attention_shares_out_one_whole(
    layers: TiedLayers, ids: list[int], mask: Any, heads: int, positions: bool, seed: int
) -> None:
    """Attention weights are from 0, sum to 1, and are 0 above a causal mask's diagonal."""
    stack = Stack(layers, Switches(positions, True, mask, heads), seed=seed)
    weights = stack.trace(torch.tensor(ids)).attention
    assert weights is not None
    assert weights.shape == (heads, len(ids), len(ids))
    torch.testing.assert_close(weights.sum(dim=2), torch.ones(heads, len(ids)))
    assert bool((weights >= 0).all())
    if mask == "causal":
        assert float(weights.triu(1).abs().max()) == 0.0


def test_a_switch_leaves_the_other_part_as_it_is(layers: TiedLayers) -> None:
    """A switch leaves the weights of the other part as they are."""
    both = Stack(layers, ALL, seed=5)
    positions = Stack(layers, Switches(positions=True), seed=5)
    attention = Stack(layers, Switches(attention=True), seed=5)
    assert both.positions is not None
    assert positions.positions is not None
    assert both.attention is not None
    assert attention.attention is not None
    assert torch.equal(positions.positions.weight, both.positions.weight)
    for name, weight in attention.attention.named_parameters():
        assert torch.equal(weight, both.attention.get_parameter(name))
    other = Stack(layers, ALL, seed=6)
    assert other.positions is not None
    assert not torch.equal(other.positions.weight, both.positions.weight)


def test_the_weights_are_spread_as_pytorch_spreads_them(layers: TiedLayers) -> None:
    """Weights are distributed as those of PyTorch's own modules."""
    ours = draw_attention(64, 4, torch.Generator().manual_seed(0))
    with torch.random.fork_rng():
        theirs = nn.MultiheadAttention(64, 4, bias=False, batch_first=True)
    assert set(ours.state_dict()) == set(theirs.state_dict())
    for name, weight in theirs.state_dict().items():
        mine = ours.state_dict()[name]
        assert mine.shape == weight.shape
        assert float(mine.std()) == pytest.approx(float(weight.std()), rel=0.05)
        assert float(mine.abs().max()) == pytest.approx(float(weight.abs().max()), rel=0.05)
    positions = Stack(layers, ALL).positions
    assert positions is not None
    assert float(positions.weight.std()) == pytest.approx(1, rel=0.05)


def test_the_global_generator_and_the_tables_are_left_alone(layers: TiedLayers) -> None:
    """One seed gives one result, without the global generator, and changes no table."""
    state, table = torch.random.get_rng_state(), layers.embedding.weight.detach().clone()
    first = Stack(layers, ALL, seed=1).trace(IDS)
    second = Stack(layers, ALL, seed=1).trace(IDS)
    assert torch.equal(first.outputs, second.outputs)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(layers.embedding.weight, table)
    assert layers.embedding.weight.requires_grad
    assert layers.embedding.training


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


@pytest.mark.parametrize("switches", EVERY_SWITCH, ids=str)
def test_costs_are_those_of_the_modules(layers: TiedLayers, switches: Switches) -> None:
    """The costs are counted in the modules themselves."""
    found = cost(switches, 10, len(IDS), 100)
    stack = Stack(layers, switches)
    for row in found:
        module = getattr(stack, row.part)
        assert row.parameters == sum(weight.numel() for weight in module.parameters())
    assert len(found) == 1 + switches.positions + switches.attention
    assert all(row.words.endswith(".") for row in found)
    assert [row.multiplications for row in found if row.part != "attention"] == [0] * (
        1 + switches.positions
    )


def test_one_row_is_one_row() -> None:
    """The number of rows read agrees with its verb."""
    words = [cost(Switches(), 10, positions, 100)[0].words for positions in (1, 2, 1000)]
    assert [part.split(": ")[1] for part in words] == [
        "1 row is read, none computed.",
        "2 rows are read, none computed.",
        "1,000 rows are read, none computed.",
    ]


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_multiplications_are_counted_as_pytorch_does(heads: int) -> None:
    """The multiplications are half of the flops that PyTorch counts."""
    dim, size = 16, 12
    attention = draw_attention(dim, heads, torch.Generator().manual_seed(0)).eval()
    with FlopCounterMode(display=False) as counter:
        attend(attention, torch.ones(size, dim), causal=True)
    wanted = cost(Switches(attention=True, heads=heads), dim, size, 9)[-1].multiplications
    assert counter.get_total_flops() == 2 * wanted


@pytest.mark.parametrize(
    ("settings_of", "message"),
    [
        ({"mask": "later"}, "mask='later' is not one of: full, causal"),
        ({"heads": 0}, "heads=0 is not a whole number"),
        ({"heads": True}, "heads=True"),
        ({"heads": 1.5}, r"heads=1\.5"),
    ],
)
def test_switches_that_cannot_be_are_refused(settings_of: dict[str, Any], message: str) -> None:
    """Unknown masks and heads below 1 are refused."""
    with pytest.raises(ValueError, match=message):
        Switches(**settings_of)


def test_stacks_that_cannot_be_are_refused(layers: TiedLayers) -> None:
    """Heads that do not divide the vector, and texts of another length, are refused."""
    with pytest.raises(ValueError, match=r"3 heads cannot share 10 .* 1, 2, 5, 10"):
        Stack(layers, replace(ALL, heads=3))
    assert possible_heads(10) == [1, 2, 5, 10]
    Stack(layers, Switches(heads=3))  # without attention nothing is shared
    stack = Stack(layers, ALL)
    for ids in (IDS[:0], IDS.repeat(11), IDS[:4].reshape(2, 2)):
        with pytest.raises(ValueError, match="from 1 to 256 positions"):
            stack.trace(ids)
    with pytest.raises(IndexError, match="rows 0 to 99"):
        stack.trace(torch.tensor([100]))


def test_rows_too_large_to_multiply_are_refused() -> None:
    """Rows whose result is not finite are refused."""
    huge = tie(Config("ab", 2, 4, init="own"), torch.full((2, 4), 3e38))
    with pytest.raises(ValueError, match="too large"):
        Stack(huge, Switches(attention=True)).trace(torch.tensor([0, 1]))


def test_one_character_and_the_longest_text(layers: TiedLayers) -> None:
    """The shortest and the longest text work."""
    assert Stack(layers, ALL).trace(IDS[:1]).outputs.shape == (1, 10)
    longest = IDS.repeat(20)[:256]
    assert Stack(layers, replace(ALL, heads=2)).trace(longest).outputs.shape == (256, 10)
