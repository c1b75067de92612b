"""Places and one Transformer layer on the playground's embedding: real modules, by seed."""

import string
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from embviz.context import stack as module
from embviz.context.stack import MAX_PLACES, Stack, Switches, seeded
from embviz.core.config import Config
from embviz.core.dtypes import DTYPES
from embviz.core.layers import TiedLayers, tie
from embviz.core.vocabulary import Vocabulary

torch.set_num_threads(1)  # several threads make small products slow
IDS = torch.tensor(Vocabulary(string.printable).encode("WTF does nn.Embedding do?"))
ALL = Switches(places=True, attention=True, mask="causal")
MASKS: list[Any] = ["full", "causal"]
EVERY_SWITCH = [Switches(*one) for one in product((False, True), (False, True), MASKS)]


def later(size: int) -> torch.Tensor:
    """The mask that hides later places."""
    return torch.ones(size, size, dtype=torch.bool).triu(1)


@pytest.mark.parametrize("switches", EVERY_SWITCH, ids=str)
def test_the_shown_code_computes_the_vectors(layers: TiedLayers, switches: Switches) -> None:
    """Each line, run with PyTorch's modules, gives the vectors beside it; the terms add up."""
    stack = Stack(layers, switches, seed=8)
    trace, size = stack.trace(IDS), len(IDS)
    assert (type(stack.places) is nn.Embedding) == switches.places
    assert (type(stack.layer) is nn.TransformerEncoderLayer) == switches.attention
    names: dict[str, Any] = {"torch": torch, "ids": IDS[None], "N": size, "later": later(size)}
    names |= {"embedding": layers.embedding, "places": stack.places, "layer": stack.layer}
    for step in trace.steps:
        exec(step.code, names)  # noqa: S102 - the project's own lines
        result = names[step.code.split("=")[0].split(",")[0].strip()]
        torch.testing.assert_close(result.detach().reshape(size, -1), step.vectors)
    terms = {step.term: step.vectors for step in trace.steps if step.term}
    expected = ["row"] + ["place"] * switches.places + ["attention", "MLP"] * switches.attention
    assert list(terms) == expected
    torch.testing.assert_close(torch.stack([*terms.values()]).sum(dim=0), trace.outputs)
    assert torch.equal(trace.tokens, layers.embedding(IDS).detach())
    if switches.attention:
        weights = trace.attention
        assert weights is not None
        torch.testing.assert_close(weights, names["who"][0].detach())
        torch.testing.assert_close(weights.sum(dim=1), torch.ones(size))
        assert (float(weights.triu(1).abs().max()) == 0) == (switches.mask == "causal")
    assert trace.outputs.requires_grad is False


@pytest.mark.parametrize(("mask", "places"), [*product(MASKS, (False, True))])
def test_the_stack_is_the_layer_that_pytorch_makes(
    layers: TiedLayers, mask: Any, places: bool
) -> None:
    """The oracle: constructors after `torch.manual_seed`, the layer first, and its own forward."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        layer = nn.TransformerEncoderLayer(
            10, 1, 40, dropout=0, batch_first=True, norm_first=True, bias=False
        )
        table = nn.Embedding(256, 10)
    x = layers.embedding(IDS)
    if places:
        x = x + table(torch.arange(len(IDS)))
    expected = layer(x[None], src_mask=later(len(IDS)) if mask == "causal" else None)
    found = Stack(layers, Switches(places, True, mask), seed=5).trace(IDS).outputs
    torch.testing.assert_close(found, expected[0].detach())
    alone = Stack(layers, Switches(places=True), seed=5).trace(IDS)
    assert torch.equal(alone.steps[1].vectors, table.weight[: len(IDS)].detach())
    other = Stack(layers, Switches(places, True, mask), seed=6).trace(IDS).outputs
    assert not torch.allclose(other, found)


def test_threads_draw_what_one_thread_draws(layers: TiedLayers) -> None:
    """Stacks of many seeds, made at once, have the weights of their seeds."""

    def outputs(seed: int) -> torch.Tensor:
        return Stack(layers, ALL, seed).trace(IDS).outputs

    alone = [outputs(seed) for seed in range(12)]
    state = torch.random.get_rng_state()
    for _ in range(3):
        module._drawn.cache_clear()
        with ThreadPoolExecutor(6) as threads:
            together = [*threads.map(outputs, range(12))]
        assert all(torch.equal(a, b) for a, b in zip(alone, together, strict=True))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_the_global_generator_is_left_alone(layers: TiedLayers) -> None:
    """A stack draws nothing from the global generator, also where making it fails."""
    state = torch.random.get_rng_state()
    module._drawn.cache_clear()
    Stack(layers, ALL, seed=1)
    with seeded(1):
        first = float(torch.rand(1))
    with pytest.raises(RuntimeError), seeded(2):
        nn.Embedding(-1, 1)
    assert first == float(torch.rand(1, generator=torch.Generator().manual_seed(1)))
    assert torch.equal(torch.random.get_rng_state(), state)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 99), min_size=2, max_size=60), st.booleans(), st.data())
def test_a_later_edit_never_changes_an_earlier_vector(
    layers: TiedLayers, ids: list[int], places: bool, data: st.DataObject
) -> None:
    """With a causal mask an edit changes no vector before it; without one it changes all."""
    place = data.draw(st.integers(0, len(ids) - 1))
    edited = torch.tensor(ids)
    edited[place] = data.draw(st.integers(0, 99).filter(lambda token: token != ids[place]))
    for mask in MASKS:
        stack = Stack(layers, Switches(places, True, mask))
        was, now = (stack.trace(one).outputs for one in (torch.tensor(ids), edited))
        moved = (was - now).abs().amax(dim=1)
        assert moved[:place].tolist() == [0.0] * place or mask == "full"
        assert bool((moved[place if mask == "causal" else 0 :] > 0).all())


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=60), st.integers(0, 2**32 - 1))
def test_attention_alone_does_not_see_order(layers: TiedLayers, ids: list[int], seed: int) -> None:
    """Without places and mask, a shuffled text comes out shuffled; with either, it does not."""
    text, order = torch.tensor(ids), torch.randperm(len(ids))

    def error(switches: Switches) -> float:
        stack = Stack(layers, switches, seed)
        difference = stack.trace(text).outputs[order] - stack.trace(text[order]).outputs
        return float(difference.abs().max())

    assert error(Switches(attention=True)) < 1e-4
    if not torch.equal(text, text[order]):
        assert error(Switches(places=True, attention=True)) > 1e-3
        assert error(Switches(attention=True, mask="causal")) > 1e-3


@pytest.mark.parametrize("name", list(DTYPES))
def test_every_dtype_can_stand_below(name: str) -> None:
    """Tables of half precision are cast to float32, and the shown code says so."""
    layers = tie(Config(string.printable, dtype=name))
    stack = Stack(layers, ALL)
    trace = stack.trace(IDS)
    half = name in ("bfloat16", "float16")
    assert stack.is_cast is half
    assert trace.outputs.dtype is (torch.float32 if half else DTYPES[name].torch)
    assert torch.equal(trace.tokens, layers.lookup(IDS).to(stack.dtype))
    assert (".float()" in trace.steps[0].code) is half


def test_ids_without_a_row_and_rows_too_large_are_refused(layers: TiedLayers) -> None:
    """An id without a row, and rows whose results are not finite are refused."""
    with pytest.raises(IndexError, match="rows 0 to 99"):
        Stack(layers, ALL).trace(torch.tensor([100]))
    one_is_huge = torch.tensor([[1.0, 2.0], [3e38, 3e38]])
    stack = Stack(tie(Config("ab", 2, 2, init="own"), one_is_huge), Switches(False, True, "causal"))
    with pytest.raises(ValueError, match="too large"):
        stack.trace(torch.tensor([0, 1]))
    assert bool(stack.trace(torch.tensor([0])).outputs.isfinite().all())


@pytest.mark.parametrize(("length", "dim"), [(1, 1), (MAX_PLACES, 10), (2, 257)])
def test_the_shortest_and_the_longest_text(length: int, dim: int) -> None:
    """The shortest and the longest text, and short and long rows, work; long ones are not kept."""
    before = module._drawn.cache_info().currsize
    found = Stack(tie(Config(string.printable, 100, dim)), ALL).trace(IDS.repeat(20)[:length])
    assert found.outputs.shape == (length, dim)
    assert dim <= 256 or module._drawn.cache_info().currsize == before
