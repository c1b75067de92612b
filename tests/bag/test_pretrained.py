"""The four facts of from_pretrained, and the recipe of batches."""

import pytest
import scipy.sparse as sp
import torch

from embviz.bag import pretrained
from embviz.bag.recipe import RECIPE


def test_the_facts_are_those_of_this_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each trap does what it says, the line beside it does not, and no random state is left.

    A fact does not hold where its trap does no harm.
    """
    state = torch.get_rng_state()
    facts = pretrained.facts()
    assert torch.equal(torch.get_rng_state(), state)
    assert all(one.holds for one in facts)
    assert [(one.outcome, one.right_outcome) for one in facts[:3]] == [
        (
            "The shape is (3, 4). Word 0 gets [1.0, 2.0, 3.0, 4.0].",
            "The shape is (4, 3). Word 0 gets [1.0, 5.0, 9.0].",
        ),
        (
            "After embedding.weight[0, 0] = 0, linear.weight[0, 0] is 0.0.",
            "After embedding.weight[0, 0] = 0, linear.weight[0, 0] is 1.0.",
        ),
        (
            "requires_grad is False, grad_fn NoneType.",
            "requires_grad is True, grad_fn EmbeddingBackward0.",
        ),
    ]
    assert facts[3].outcome != facts[3].right_outcome == "Word 0 gets [1, 5, 9]."
    line = pretrained.RIGHT
    monkeypatch.setattr(pretrained, "RIGHT", facts[0].code)
    assert not any(one.holds for one in pretrained.facts()[:3])  # no line is right
    monkeypatch.setattr(pretrained, "RIGHT", line)
    right = [(title, line, look) for title, _, look in pretrained.LINES]
    monkeypatch.setattr(pretrained, "LINES", right)
    assert not any(one.holds for one in pretrained.facts())


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
