import pytest

from embviz.training.batches import minibatches


def test_a_batch_of_nothing_is_refused() -> None:
    """A batch size below 1 is refused."""
    with pytest.raises(ValueError, match="A batch of 0 is too small"):
        minibatches(0, 1)
