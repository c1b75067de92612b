import pytest
import torch

from embviz.training.losses import mse, next_character

ROWS, DIM = 9, 4


@pytest.mark.parametrize("target", [[], float("nan"), [1.0, float("inf")]])
def test_a_target_that_is_no_number_is_refused(target: float | list[float]) -> None:
    """A target without numbers or with NaN or inf is refused."""
    with pytest.raises(ValueError, match="finite numbers"):
        mse(target)


def test_lines_of_ids_do_not_run_into_each_other() -> None:
    """The last id of a line has no next id."""
    before, after = next_character(ROWS, DIM, 1).pairs(torch.tensor([[1, 2, 3], [4, 5, 6]]))
    assert (before.tolist(), after.tolist()) == ([1, 2, 4, 5], [2, 3, 5, 6])


def test_too_many_scores_are_refused_before_they_are_made() -> None:
    """Too many scores are refused before they are allocated."""
    with pytest.raises(ValueError, match="100,000,000 scores, more than the 16,000,000"):
        next_character(10_000, 2, 1)(torch.zeros(10_000, 2), torch.zeros(10_000).long())
