import pytest
import torch
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.dtypes import DTYPES
from embviz.core.layers import tie
from embviz.training.losses import Loss, mse, next_character
from embviz.training.step import one_step

torch.set_num_threads(1)

ROWS, DIM = 9, 4
IDS = torch.tensor([3, 1, 3, 7, 3, 0, 1])
LOSSES: dict[str, Loss] = {
    "mse": mse(0.25),
    "mse to a vector": mse([1.0, -1.0, 0.5, 0.0]),
    "next": next_character(ROWS, DIM, 5),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pytorch_says_the_same_and_one_hot_is_meant_literally(name: str, dtype: str) -> None:
    """Plain PyTorch layers and `backward()` give the same gradients."""
    layers, loss = tie(Config("", ROWS, DIM, dtype=dtype)), LOSSES[name]
    step = one_step(layers, IDS, loss)
    ids, following = loss.pairs(IDS)
    loss(layers.embedding(ids), following).backward()
    hot = F.one_hot(ids, ROWS).to(DTYPES[dtype].torch)
    loss(layers.linear(hot), following).backward()
    within = {torch.float64: 1e-12, torch.float32: 1e-6}.get(DTYPES[dtype].torch, 2e-2)
    for answer, other in [
        (step.embedding_gradient, layers.embedding.weight.grad),
        (step.linear_gradient, layers.linear.weight.grad.T),
        (step.closed_form, hot.T @ step.outputs_gradient),
    ]:
        torch.testing.assert_close(answer, other, atol=within, rtol=within)
    outputs = layers.embedding(ids).detach().requires_grad_()
    value = loss(outputs, following)
    value.backward()
    torch.testing.assert_close(step.outputs_gradient, outputs.grad, atol=within, rtol=within)
    for found in (step.loss_embedding, step.loss_linear):
        assert found == pytest.approx(float(value.detach()), rel=within)
    assert step.embedding_with_linear.max_abs_error <= within
    assert step.embedding_with_closed_form.max_abs_error <= within


def test_nothing_is_trained_and_no_global_number_drawn() -> None:
    """One step changes no weight and draws nothing from the global generator."""
    layers = tie(Config("", ROWS, DIM))
    before, state = layers.embedding.weight.detach().clone(), torch.get_rng_state()
    one_step(layers, IDS, next_character(ROWS, DIM, 1))
    assert torch.equal(layers.embedding.weight, before)
    assert torch.equal(layers.linear.weight.T, before)
    assert layers.embedding.weight.grad is layers.linear.weight.grad is None
    assert torch.equal(torch.get_rng_state(), state)


def test_a_repeated_token_adds_up() -> None:
    """The gradient of a repeated token's row is the sum over its places."""
    step = one_step(tie(Config("", ROWS, DIM, dtype="float64")), IDS, LOSSES["mse"])
    rows, counts = step.touched
    assert (rows.tolist(), counts.tolist()) == ([0, 1, 3, 7], [1, 2, 3, 1])
    parts = step.contributions(3)
    assert parts.positions.tolist() == [0, 2, 4]
    assert torch.equal(parts.gradients, step.outputs_gradient[[0, 2, 4]])
    torch.testing.assert_close(parts.total, step.embedding_gradient[3], atol=1e-15, rtol=0)
    assert step.contributions(5).positions.tolist() == []
    assert step.contributions(5).total.tolist() == [0.0] * DIM


def test_rows_not_looked_up_have_gradient_zero() -> None:
    """Rows that are not looked up have gradient 0."""
    step = one_step(tie(Config("", ROWS, DIM)), IDS, LOSSES["mse"])
    assert step.largest_untouched == 0.0
    assert not step.linear_gradient[[2, 4, 5, 6, 8]].any()


def test_the_sparse_gradient_has_an_entry_per_token_until_it_is_coalesced() -> None:
    """The sparse gradient has one entry for each token until it is coalesced."""
    layers = tie(Config("", ROWS, DIM, dtype="float64"))
    sparse = one_step(layers, IDS, LOSSES["mse"]).sparse
    assert sparse.indices.tolist() == IDS.tolist()
    assert sparse.coalesced_indices.tolist() == [0, 1, 3, 7]
    weight = layers.embedding.weight.detach().requires_grad_()
    LOSSES["mse"](F.embedding(IDS, weight, sparse=True), IDS).backward()
    assert not weight.grad.is_coalesced()
    assert torch.equal(weight.grad._indices()[0], sparse.indices)
    assert torch.equal(weight.grad.coalesce().indices()[0], sparse.coalesced_indices)


def test_a_million_rows_carry_only_those_looked_up() -> None:
    """A table of a million rows keeps only the gradients of looked-up rows."""
    layers, ids = tie(Config("", 1_000_000, 8)), torch.tensor([[999_999, 5], [5, 5]])
    step = one_step(layers, ids, mse(0.0))
    assert step.rows.tolist() == [5, 999_999]
    touched = step.touched_gradients()
    assert (touched.rows.tolist(), touched.counts.tolist()) == ([5, 999_999], [3, 1])
    expected = layers.embedding.weight.detach()[touched.rows] * touched.counts[:, None] * 2 / 32
    for part in (touched.embedding, touched.linear, touched.closed_form):
        torch.testing.assert_close(part, expected)
    assert step.largest_untouched == 0.0


def test_slices_of_the_one_hot_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of the one-hot give the gradient of the whole one-hot."""
    layers = tie(Config("", ROWS, DIM, dtype="float64"))
    ids = torch.arange(200) * 7 % ROWS
    in_one = one_step(layers, ids, LOSSES["next"])
    monkeypatch.setattr("embviz.training.step.SLICE", 3 * ROWS)
    in_slices = one_step(layers, ids, LOSSES["next"])
    torch.testing.assert_close(in_slices.linear_gradient, in_one.linear_gradient)
    assert in_slices.loss_linear == pytest.approx(in_one.loss_linear, abs=1e-12)


@pytest.mark.parametrize(
    ("ids", "loss", "words"),
    [
        ([], mse(), "no token"),
        ([], next_character(ROWS, DIM, 1), "at least 2 in a line; there is none"),
        ([4], next_character(ROWS, DIM, 1), "at least 2 in a line; there is 1"),
        ([1, 8], next_character(5, DIM, 1), "id 8 has no score"),
        ([1, 2], mse([1.0, 2.0]), "2 numbers does not fit rows of 4"),
        ([1, 9], mse(), "rows 0 to 8"),
        ([-1, 2], mse(), "rows 0 to 8"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(
    ids: list[int], loss: Loss, words: str
) -> None:
    """Too few tokens, a wrong target and ids without a row are refused."""
    with pytest.raises((ValueError, IndexError), match=words):
        one_step(tie(Config("", ROWS, DIM)), torch.tensor(ids, dtype=torch.int64), loss)


def test_hosting_bounds_the_gradient_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a hosted server's memory budget fewer rows are kept."""
    layers = tie(Config("", 80_000, 8))
    assert len(one_step(layers, IDS, mse()).rows) == 80_000
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert one_step(layers, IDS, mse()).rows.tolist() == [0, 1, 3, 7]
