import pytest

from embviz.core.bounds import MIB
from embviz.training.size_limits import MAX_STEPS, max_steps
from embviz.training.step import max_gradient


def test_hosting_bounds_steps_and_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hosted server bounds the steps of a training and the gradient of a step."""
    assert max_steps() == MAX_STEPS
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert max_steps() == 5_000 < MAX_STEPS
    assert max_gradient() == 64 * MIB // 128
