import pytest
import torch
from torch.optim import NAdam

from embviz.core.config import Config
from embviz.request import settings
from embviz.training.lockstep import Lockstep
from embviz.training.losses import mse
from embviz.training.optimizers import OPTIMIZERS, Optimizer
from embviz.ui.pages import training  # noqa: F401 - adds its settings

torch.set_num_threads(1)


def test_an_optimizer_is_added_by_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new record can be chosen in an address and trains both routes in lockstep."""
    with pytest.raises(ValueError, match="optimizer='nadam' is not one of"):
        settings.read({"optimizer": "nadam"})
    record = Optimizer(
        "nadam", "NAdam", "Adam that looks ahead.", 0.01, lambda weight, lr: NAdam([weight], lr=lr)
    )
    monkeypatch.setitem(OPTIMIZERS, record.name, record)
    assert settings.read({"optimizer": "nadam"}) == {"optimizer": "nadam"}
    lock = Lockstep(Config("", 9, 4), torch.tensor([1, 2, 1]), optimizer="nadam", loss=mse())
    assert lock.advance(50) == 50
    assert (lock.lr, lock.max_abs_weight_difference <= 1e-5) == (0.01, True)
    assert lock.history[-1].loss_embedding < lock.history[0].loss_embedding
