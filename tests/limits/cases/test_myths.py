import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.cases import CASES, case_named
from embviz.limits.prove import prove
from tests.limits.test_outcome import tensors


def test_layers_start_as_the_myth_says_they_do_not() -> None:
    """The case's numbers are those of PyTorch's own layers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        table = nn.Embedding(1000, 16).weight.detach().abs().max()
        linear = nn.Linear(1000, 16, bias=False).weight.detach().abs().max()
    assert tensors(prove(case_named("embeddings-start-small")).problem) == (table, linear)


def test_a_maximum_is_a_tensor_and_a_size() -> None:
    """`x.max() + 1` and `max(x) + 1` are tensors, and `nn.Embedding` takes them as rows."""
    ids = torch.tensor([0, 3, 1])
    for size in (ids.max() + 1, max(ids) + 1):
        assert isinstance(size, torch.Tensor)
        assert nn.Embedding(size, 3, device="meta").weight.shape == (4, 3)  # type: ignore[arg-type]
    rows = torch.tensor([[1, 2, 3]])
    assert torch.equal(max(rows), rows[0])
    with pytest.raises(RuntimeError, match="ambiguous"):
        max(torch.tensor([[1, 2], [3, 4]]))


def test_the_loss_of_one_number_warns() -> None:
    """Of one number each, the class makes a module and warns, as the reason says."""
    with pytest.warns(UserWarning, match="size_average and reduce"):
        made = nn.MSELoss(torch.tensor([2.0]), torch.tensor([5.0]))
    assert isinstance(made, nn.MSELoss)


def test_a_linear_given_ids_sums_its_rows() -> None:
    """Ids as floats give the sum of all rows, each times its id; other ids give an error."""
    weight, ids = torch.arange(12.0).reshape(4, 3), torch.tensor([3, 1, 0, 2])
    _, matmul = tensors(prove(case_named("one-hot-inside-linear")).problem)
    assert torch.equal(matmul, sum(i * row for i, row in zip(ids.tolist(), weight, strict=True)))
    with pytest.raises(RuntimeError, match="shapes"):
        F.linear(ids[:3].float(), weight.T)
    with pytest.raises(RuntimeError, match="dtype"):
        F.linear(ids, weight.T)


def test_each_saying_is_judged() -> None:
    """Each quoted title says whether it is true, by its own proof."""
    quoted = [one for one in CASES if one.group == "Myths" and one.title.startswith("“")]
    assert len(quoted) == 7
    assert {prove(one).saying for one in quoted} == {"false"}
    assert prove(case_named("max-is-a-tensor")).saying == "true"
    assert prove(case_named("minus-zero")).saying == ""
