import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.cases import CASES, case_named
from embviz.limits.prove import prove, run
from tests.limits.test_outcome import tensors


def test_with_positions_order_counts() -> None:
    """With positions added, another order gives other rows, not the same rows in another order."""
    proof = prove(case_named("order-and-context"))
    assert torch.equal(*tensors(proof.problem))
    assert proof.fixed is not None
    assert proof.fixed.verdict == "differ"
    after, before = tensors(proof.fixed)
    assert not torch.equal(after.sort(dim=0).values, before.sort(dim=0).values)


def test_training_moves_what_the_linear_is_given() -> None:
    """The trained weight is what the Linear gets."""
    untrained, _ = tensors(prove(case_named("linear-cannot-replace"), steps=0).fixed)
    trained, _ = tensors(prove(case_named("linear-cannot-replace"), steps=3).fixed)
    assert not torch.equal(untrained, trained)


def test_layers_start_as_the_myth_says_they_do_not() -> None:
    """The case's numbers are those of PyTorch's own layers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        table = nn.Embedding(1000, 16).weight.detach().abs().max()
        linear = nn.Linear(1000, 16, bias=False).weight.detach().abs().max()
    proof = prove(case_named("embeddings-start-small"), rows=1000)
    assert proof.problem is not None
    assert proof.problem.left == round(float(table), 3)
    assert proof.problem.right == round(float(linear), 3)


def test_max_of_rows_is_that_of_python() -> None:
    """`max` of one row returns it, of several rows raises; no text says that it always raises."""
    row = torch.tensor([[1, 2, 3]])
    assert torch.equal(max(row), row[0])
    proof = prove(case_named("max-of-rows"), largest=7).problem
    assert proof is not None
    assert torch.equal(proof.left, torch.tensor([0, 7, 1]))  # type: ignore[arg-type]
    assert isinstance(proof.right, RuntimeError)
    assert "`max` itself raises" not in case_named("max-is-a-tensor").reason
    assert torch.equal(max(torch.tensor([[1], [2]])), torch.tensor([2]))
    assert "rows with more than one id" in case_named("max-of-rows").claim


def test_the_loss_of_one_number_warns() -> None:
    """The warning that the case raises is PyTorch's own, and both cases say that it warns."""
    with pytest.warns(UserWarning, match="size_average and reduce") as caught:
        made = nn.MSELoss(torch.tensor([2.0]), torch.tensor([5.0]))
    assert isinstance(made, nn.MSELoss)
    shown = run(case_named("loss-of-one-number"), {"dtype": "float32"}).fixed
    assert shown is not None
    assert str(shown.left) == str(caught[0].message)
    assert " warns" in case_named("loss-of-one-number").claim
    assert " warns" in case_named("loss-without-parentheses").reason


def test_a_linear_given_ids_sums_its_rows() -> None:
    """Ids as floats give the sum of all rows, each times its id; other ids give an error."""
    weight, ids = torch.arange(12.0).reshape(4, 3), torch.tensor([3, 1, 0, 2])
    _, matmul = tensors(prove(case_named("one-hot-inside-linear")).problem)
    assert torch.equal(matmul, sum(i * row for i, row in zip(ids.tolist(), weight, strict=True)))
    with pytest.raises(RuntimeError, match="shapes"):
        F.linear(ids[:3].float(), weight.T)
    with pytest.raises(RuntimeError, match="dtype"):
        F.linear(ids, weight.T)


def test_the_names_of_grad_fn_depend_on_the_dimensions() -> None:
    """The names that the case shows for ids of 0, 1 and 2 dimensions differ."""
    proofs = [prove(case_named("grad-fn-differs"), dimensions=n).problem for n in (0, 1, 2)]
    assert [one and one.left for one in proofs] == ["EmbeddingBackward0"] * 3
    assert len({one and one.right for one in proofs}) == 3


def test_each_saying_is_judged() -> None:
    """Each quoted title says whether it is true, by its own proof."""
    quoted = [one for one in CASES if one.group == "Myths" and one.title.startswith("“")]
    assert len(quoted) == 7
    assert {prove(one).saying for one in quoted} == {"false"}
    assert prove(case_named("max-is-a-tensor")).saying == "true"
    assert prove(case_named("minus-zero")).saying == ""
