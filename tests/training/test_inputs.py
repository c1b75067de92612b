import pytest
import torch
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.dtypes import DTYPES
from embviz.core.layers import TiedLayers, tie
from embviz.training.inputs import LR, TEMPERATURES, SoftRow, refusal_of_ids

W = 58  # the id of 'W', the first character of the default text


def layers(dim: int = 10, rows: int = 100, dtype: str = "float32", seed: int = 123) -> TiedLayers:
    """The layers of a configuration."""
    return tie(Config("", rows, dim, seed, "normal", dtype))


def trained(temperature: float, steps: int = 200, made: TiedLayers | None = None) -> SoftRow:
    """A soft row after some steps."""
    soft = SoftRow(made or layers(), W, temperature)
    assert soft.advance(steps) == steps
    return soft


@pytest.mark.parametrize(
    ("temperature", "dtype"),
    [
        *((one, "float32") for one in TEMPERATURES.values()),
        *((0.3, one) for one in DTYPES if one != "float32"),
    ],
)
def test_it_picks_the_target(temperature: float, dtype: str) -> None:
    """At every temperature and in every dtype, 200 steps pick the target; the loss is near 0."""
    soft = trained(temperature, made=layers(dtype=dtype))
    picked = soft.picked()
    assert picked.token == W
    assert picked.share > 0.96
    assert picked.share + picked.rest == pytest.approx(1, abs=1e-5)
    assert soft.loss() < 0.01 < 7 < soft.history[0]
    assert picked.hard.bitwise_equal


def test_play_once_on_the_default_address_converges() -> None:
    """One press of Play at temperature 1 gives the target over 99 %, in other bits than its row."""
    soft = trained(1.0, steps=100)
    picked = soft.picked()
    assert picked.token == W
    assert picked.share > 0.99
    assert soft.loss() < 1e-4
    assert 0 < picked.soft.max_abs_error < 0.01
    assert not picked.soft.bitwise_equal


@pytest.mark.parametrize("seed", range(4))
def test_it_picks_the_target_of_other_tables(seed: int) -> None:
    """It picks the target in tables of other seeds."""
    assert trained(1.0, made=layers(seed=seed)).picked().token == W


def test_every_step_is_the_one_of_plain_pytorch() -> None:
    """Ten steps give the logits and losses of the same loop written with `backward()`."""
    made, temperature = layers(dtype="float64"), 0.3
    table = made.embedding.weight.detach()
    logits = torch.zeros(100, dtype=torch.float64, requires_grad=True)
    optimizer, losses = torch.optim.Adam([logits], lr=LR), []
    for _ in range(10):
        optimizer.zero_grad()
        loss = ((torch.softmax(logits / temperature, 0) @ table - table[W]) ** 2).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    soft = trained(temperature, 10, made)
    torch.testing.assert_close(soft.logits.detach(), logits.detach())
    assert soft.history == pytest.approx(losses)


@pytest.mark.parametrize("steps", [0, 7])
def test_the_gradient_of_the_input_is_the_one_by_hand(steps: int) -> None:
    """Autograd's gradient of the soft row is G W^T, also by finite differences."""
    soft = trained(1.0, steps, layers(dtype="float64"))
    gradient = soft.input_gradient()
    assert gradient.lookup.shape == (1, 100)
    assert gradient.max_abs_error < 1e-13
    table, target = soft._layers.embedding.weight.detach(), soft.target[0]
    for token in (0, W):
        moved = [
            ((soft.shares() + h * F.one_hot(torch.tensor(token), 100)) @ table - target)
            .square()
            .sum()
            for h in (1e-5, -1e-5)
        ]
        assert float(moved[0] - moved[1]) / 2e-5 == pytest.approx(
            float(gradient.matmul[0, token]), rel=1e-6
        )


def test_only_the_logits_change() -> None:
    """The table is frozen: neither weight changes or gets a gradient."""
    made = layers()
    before = made.embedding.weight.detach().clone()
    trained(1.0, 20, made)
    assert torch.equal(made.embedding.weight, before)
    assert torch.equal(made.linear.weight, before.T)
    assert made.embedding.weight.grad is None
    assert made.linear.weight.grad is None


def test_a_lower_temperature_is_nearer_to_a_one_hot() -> None:
    """The same logits give the picked row a larger share at a lower temperature."""
    soft = trained(1.0, 100)
    largest = [float(soft.shares(one).max()) for one in sorted(TEMPERATURES.values())]
    assert largest == sorted(largest, reverse=True)
    assert largest[0] > 0.999 > 0.5 > largest[-1]


def test_a_mixture_may_be_as_near_as_the_row() -> None:
    """In two dimensions the loss falls near 0 without a picked row, and not at temperature 0.1."""
    flat = layers(dim=2)
    mixed = trained(1.0, 100, flat)
    assert mixed.loss() < 0.01 * mixed.history[0]
    assert mixed.picked().share < 0.5
    assert trained(0.1, 200, flat).picked().share > 0.5


def test_ids_refuse_a_gradient() -> None:
    """The sentence is PyTorch's own, and the ids stay as they are."""
    ids = torch.tensor([[1, 2]])
    with pytest.raises(RuntimeError) as raised:
        ids.clone().requires_grad_()
    assert refusal_of_ids(ids) == f"RuntimeError: {raised.value}"
    assert not ids.requires_grad


def test_gumbel_softmax_samples_and_keeps_the_gradient() -> None:
    """`F.gumbel_softmax` draws each row with its softmax share; the logits get a gradient."""
    logits = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        drawn = F.gumbel_softmax(logits.expand(20_000, 3), tau=0.5)
    frequencies = torch.bincount(drawn.argmax(dim=1), minlength=3) / 20_000
    torch.testing.assert_close(frequencies, torch.softmax(logits.detach(), 0), atol=0.02, rtol=0)
    (gradient,) = torch.autograd.grad((drawn @ torch.tensor([1.0, 5.0, 2.0])).sum(), logits)
    assert bool((gradient != 0).all())


def test_what_is_too_large_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too large a table, one over the memory budget and an id without a row are refused."""
    with pytest.raises(ValueError, match="3,000 x 1,000 has 3,000,000 numbers"):
        SoftRow(layers(1000, 3000), W, 1.0)
    with pytest.raises(IndexError, match="rows 0 to 49"):
        SoftRow(layers(rows=50), W, 1.0)
    million = layers(1, 1_000_000)
    assert SoftRow(million, W, 1.0).advance(2) == 2
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "16")
    with pytest.raises(ValueError, match=r"10 tensors of 1,000,000 numbers: 38\.1 MiB, over"):
        SoftRow(million, W, 1.0)


def test_numbers_that_are_too_large_stop_it_in_words() -> None:
    """A loss that is not finite stops the training with a sentence."""
    config = Config("", 3, 2, init="own")
    soft = SoftRow(tie(config, torch.tensor([[3e38, 0.0], [0.0, 1.0], [-3e38, 1.0]])), 0, 1.0)
    assert soft.advance(5) == 0
    assert soft.failed.startswith("Stopped before step 1: the loss is inf")
    assert soft.finished
