import pytest
import torch

from embviz.core.config import Config
from embviz.training.beside import Beside
from embviz.training.lockstep import Lockstep
from embviz.training.losses import mse

torch.set_num_threads(1)


def made(lr: float = 0.1) -> Beside:
    """A short training by SGD, without a twin."""
    ids = torch.tensor([1, 2, 1])
    return Beside(Lockstep(Config("", 5, 2), ids, optimizer="sgd", loss=mse(), lr=lr))


def test_the_twin_catches_up_and_then_goes_along() -> None:
    """The training in float64 takes the steps that it lacks first; the other one waits."""
    pair = made()
    assert pair.advance(5) == pair.steps == 5
    pair.add()
    assert pair.double is not None
    assert (pair.steps, pair.is_behind) == (0, True)
    assert pair.advance(3) == 3
    assert (pair.steps, pair.double.steps, pair.single.steps) == (3, 3, 5)
    assert pair.advance(4) == 4
    assert (pair.steps, pair.double.steps, pair.single.steps) == (7, 7, 7)
    assert not pair.is_behind
    before = pair.double
    pair.add()
    assert pair.double is before


def test_the_budget_ends_a_call_of_both() -> None:
    """A call stops at its budget, after one step of each at least."""
    pair = made()
    pair.add()
    assert pair.double is not None
    assert pair.advance(50, budget_s=0.0) == 1
    assert (pair.single.steps, pair.double.steps) == (1, 1)


def test_it_ends_where_both_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is finished when the training is, and its twin has caught up or failed."""
    monkeypatch.setenv("EMBVIZ_MAX_STEPS", "4")
    pair = made()
    assert (pair.advance(9), pair.finished) == (4, True)
    pair.add()
    assert not pair.finished
    assert (pair.advance(9), pair.finished, pair.advance(9)) == (4, True, 0)
    failing = made(lr=1e5)
    failing.add()
    failing.advance(9)
    assert failing.single.failed
    assert failing.finished


def test_a_twin_over_the_budget_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both trainings together must fit the memory budget; the training goes on without a twin."""
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", "1")
    config = Config("", 700, 10)  # 15 copies: 410 KiB in float32, 820 KiB more in float64
    pair = Beside(Lockstep(config, torch.tensor([1, 2, 1]), optimizer="sgd", loss=mse()))
    pair.add()
    assert pair.double is None
    each = 700 * (15 * 10 + 2 * 3)  # and two one-hots of three tokens
    words = f"{each:,} numbers in float32 and as many in float64: 1.2 MiB, over"
    assert words in pair.refusal
    assert pair.advance(2) == 2
