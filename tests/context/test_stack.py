"""Places and one Transformer layer on the playground's embedding: real modules, by seed."""

import string
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import nn

from embviz.context import stack as module
from embviz.context.stack import Switches, seeded, stacked
from embviz.fact.layers import TiedLayers, tie
from embviz.fact.table import Table
from embviz.fact.vocabulary import Vocabulary

IDS = torch.tensor(Vocabulary(string.printable).encode("WTF does nn.Embedding do?"))
ALL = Switches(places=True, attention=True, mask="causal")


@pytest.mark.parametrize("places", [False, True])
@pytest.mark.parametrize(("attention", "mask"), [(False, "full"), (True, "full"), (True, "causal")])
def test_the_stack_is_the_layer_that_pytorch_makes(
    layers: TiedLayers, places: bool, attention: bool, mask: Any
) -> None:
    """The oracle: constructors after `torch.manual_seed`, the layer first, and its own forward.

    Each shown line, run with these modules, gives the vectors beside it; the terms add up.
    """
    size = len(IDS)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        layer = nn.TransformerEncoderLayer(
            10, 1, 40, dropout=0, batch_first=True, norm_first=True, bias=False
        )
        table = nn.Embedding(256, 10)
    later = torch.ones(size, size, dtype=torch.bool).triu(1)
    expected = layers.embedding(IDS)
    if places:
        expected = expected + table.weight[:size]
    if attention:
        expected = layer(expected[None], src_mask=later if mask == "causal" else None)[0]
    steps = stacked(layers, IDS, Switches(places, attention, mask), seed=5)
    torch.testing.assert_close(steps[-1].vectors, expected.detach())
    names: dict[str, Any] = {"torch": torch, "ids": IDS[None], "N": size, "later": later}
    names |= {"embedding": layers.embedding, "places": table, "layer": layer}
    for step in steps:
        exec(step.code, names)  # noqa: S102 - the project's own lines
        result = names[step.code.split("=")[0].split(",")[0].strip()]
        torch.testing.assert_close(result.detach().reshape(size, -1), step.vectors)
    terms = {step.term: step.vectors for step in steps if step.term}
    assert [*terms] == ["row"] + ["place"] * places + ["attention", "MLP"] * attention
    torch.testing.assert_close(sum(terms.values()), steps[-1].vectors)
    assert torch.equal(steps[0].vectors, layers.lookup(IDS))


def test_threads_draw_what_one_thread_draws(layers: TiedLayers) -> None:
    """Stacks of many seeds, made at once, have their weights; the global generator stays."""

    def outputs(seed: int) -> torch.Tensor:
        return stacked(layers, IDS, ALL, seed)[-1].vectors

    alone, state = [outputs(seed) for seed in range(12)], torch.random.get_rng_state()
    for _ in range(3):
        module.parts_of.cache_clear()
        with ThreadPoolExecutor(6) as threads:
            together = [*threads.map(outputs, range(12))]
        assert all(map(torch.equal, alone, together))
    with pytest.raises(RuntimeError), seeded(2):
        nn.Embedding(-1, 1)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_ids_without_a_row_and_rows_too_large_are_refused(layers: TiedLayers) -> None:
    """An id without a row, and rows whose results are not finite, are refused."""
    with pytest.raises(IndexError, match="rows 0 to 99"):
        stacked(layers, torch.tensor([100]), ALL, 0)
    huge = tie(Table(2, 2, init="own"), torch.tensor([[1.0, 2.0], [3e38, 3e38]]))
    with pytest.raises(ValueError, match="too large"):
        stacked(huge, torch.tensor([0, 1]), Switches(attention=True), 0)
