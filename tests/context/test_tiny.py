"""The tiny transformer is causal, and its blocks are PyTorch's."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from embviz.context.tiny import CONTEXT, TinyTransformer

torch.set_num_threads(1)  # several threads make small products slow


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 19), min_size=2, max_size=CONTEXT), st.data())
def test_a_later_edit_never_changes_an_earlier_vector(ids: list[int], data: st.DataObject) -> None:
    """A later edit changes no earlier vector."""
    model = TinyTransformer(20, torch.Generator().manual_seed(0), dim=16, heads=2, blocks=2)
    place = data.draw(st.integers(1, len(ids) - 1))
    before = torch.tensor(ids)
    after = before.clone()
    after[place] = (after[place] + 1) % 20
    for one, other in zip(model.look(before)[0][1:], model.look(after)[0][1:], strict=True):
        assert torch.equal(one[:place], other[:place])
        assert bool((one[place:] != other[place:]).any(dim=1).all())


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_what_it_shows_is_what_it_computes(blocks: int) -> None:
    """The shown vectors and attention are those of the trained computation."""
    generator = torch.Generator().manual_seed(3)
    model = TinyTransformer(30, generator, dim=32, heads=4, blocks=blocks)
    ids = torch.randint(30, (CONTEXT,), generator=generator)
    vectors, attention = model.look(ids)
    assert [tuple(v.shape) for v in vectors] == [(CONTEXT, 32)] * (blocks + 1)
    assert torch.equal(vectors[0], model.embedding.weight[ids])
    with torch.no_grad():
        logits = model(ids[None])[0]
        torch.testing.assert_close(model.head(model.norm(vectors[-1])), logits)
    assert len(attention) == blocks
    for weights in attention:
        assert weights.shape == (4, CONTEXT, CONTEXT)
        assert float(weights.triu(1).abs().max()) == 0.0
        torch.testing.assert_close(weights.sum(dim=2), torch.ones(4, CONTEXT))


def test_a_block_is_that_of_pytorch() -> None:
    """A block computes what nn.TransformerEncoderLayer computes."""
    model = TinyTransformer(30, torch.Generator().manual_seed(3))
    block = model.blocks[0]
    theirs = nn.TransformerEncoderLayer(
        64, 4, 256, dropout=0, activation="gelu", batch_first=True, norm_first=True, device="meta"
    ).to_empty(device="cpu")
    weights = block.state_dict()  # type: ignore[union-attr]
    names = {
        "self_attn": "attention",
        "linear1": "expand",
        "linear2": "contract",
        "norm1": "norm_1",
        "norm2": "norm_2",
    }
    state = theirs.state_dict()
    for name in state:
        first, _, rest = name.partition(".")
        state[name] = weights.get(f"{names[first]}.{rest}", torch.zeros_like(state[name]))
    theirs.load_state_dict(state)
    x = torch.randn(2, 9, 64, generator=torch.Generator().manual_seed(4))
    later = torch.ones(9, 9, dtype=torch.bool).triu(1)
    with torch.no_grad():
        torch.testing.assert_close(block(x, later)[0], theirs(x, src_mask=later))
