"""The four traps of from_pretrained, and the recipe of batches."""

from dataclasses import replace

import pytest
import scipy.sparse as sp
import torch

from embviz.bag import pretrained
from embviz.bag.recipe import RECIPE


def test_the_traps_are_those_of_this_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each trap does what it says, the right line does not, and no random state is left.

    A trap that does no harm, or a line that is not right, does not hold.
    """
    state = torch.get_rng_state()
    traps = pretrained.TRAPS
    outcomes = [one.outcome for one in traps]
    assert outcomes[:3] == ["tensor([1., 2., 3., 4.])", "tensor(0.)", "False"]
    assert all(one.holds for one in traps)
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(replace(one, code=pretrained.RIGHT).holds for one in traps)
    monkeypatch.setattr(pretrained, "RIGHT", traps[0].code)
    assert not any(one.holds for one in traps)


def test_the_recipe_makes_batches_of_two_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """It runs alone, with an empty row and an odd number of rows, and agrees with nn.Linear."""
    with torch.random.fork_rng():
        exec(RECIPE, {})  # noqa: S102 - our own script
    assert capsys.readouterr().out.splitlines() == [
        "[0, 1] [1, 3] [0, 2, 2] [2.0, 1.0]",
        "as nn.Linear of the dense rows: True",
        "[2] [0, 2] [0, 2] [1.0, 0.5]",
        "as nn.Linear of the dense rows: True",
    ]
    assert "getrow" in RECIPE
    assert not hasattr(sp.csr_array, "getrow")
    assert hasattr(sp.csr_matrix, "getrow")
