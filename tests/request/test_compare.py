"""`compare` in a script: the numbers of the layer, whatever form ids and weights have."""

import pytest
import torch

import embviz
from embviz import compare


def test_the_numbers_are_those_of_the_layer() -> None:
    """A text is looked up in the layer that its settings make, and so is the product."""
    result = compare("hello", dim=4, seed=7, rows=200)
    torch.manual_seed(7)
    layer = torch.nn.Embedding(200, 4)
    assert torch.equal(result.lookup, layer(torch.tensor([[17, 14, 21, 21, 24]])))
    assert torch.equal(result.matmul, result.lookup)
    assert repr(result) == result.verdict
    assert result.verdict.startswith("(1, 5) -> (1, 5, 4): lookup and matmul are bitwise equal: 20")


def test_ids_and_weights_may_be_lists_tensors_or_text() -> None:
    """Ids and weights are read from a text, from lists and from a tensor."""
    ids, weight = torch.tensor([[1, 3], [0, 1]]), torch.arange(8.0).reshape(4, 2)
    for read in (torch.Tensor.clone, torch.Tensor.tolist, lambda tensor: str(tensor.tolist())):
        assert torch.equal(compare(ids=read(ids), weights=read(weight)).lookup, weight[ids])


def test_only_names_that_exist() -> None:
    """An unknown setting is a mistake of the script, as is a name of the package."""
    for name in ("dims", "input"):  # whether text or ids are given says it
        with pytest.raises(TypeError, match=name):
            compare("a", **{name: "ids"})
    with pytest.raises(ValueError, match=r"dim='2\.5' is not a whole number"):
        compare("a", dim=2.5)
    with pytest.raises(AttributeError, match="compares"):
        _ = embviz.compares
