"""The four facts of from_pretrained, and the recipe of batches."""

import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

from embviz.bag import pretrained
from embviz.bag.matrix import parse_matrix
from embviz.bag.recipe import MATRIX_FILE, RECIPE, WEIGHT_FILE


def test_the_facts_are_those_of_this_pytorch() -> None:
    """Each trap does what it says, the line beside it does not, and no random state is left."""
    state = torch.get_rng_state()
    turned, copied, frozen, made = pretrained.facts()
    assert torch.equal(torch.get_rng_state(), state)
    assert all(one.holds for one in (turned, copied, frozen, made))
    row, column = [1.0, 2.0, 3.0, 4.0], [1.0, 5.0, 9.0]
    assert turned.outcome == f"(3, 4): word 0 gets {row}."
    assert turned.right_outcome == f"(4, 3): word 0 gets {column}."
    assert copied.outcome.endswith("linear.weight[0, 0] is 0.0.")
    assert copied.right_outcome.endswith("linear.weight[0, 0] is 1.0.")
    assert frozen.outcome == "requires_grad is False, grad_fn NoneType."
    assert frozen.right_outcome == "requires_grad is True, grad_fn EmbeddingBackward0."
    assert made.right_outcome == "embedding gives word 0 [1, 5, 9]."
    assert made.outcome != made.right_outcome


@pytest.mark.parametrize("place", range(4))
def test_a_fact_that_is_false_says_so(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fact does not hold where its trap does no harm."""
    title, _, look = pretrained._FACTS[place]
    facts = [*pretrained._FACTS]
    facts[place] = title, pretrained._RIGHT, look
    monkeypatch.setattr(pretrained, "_FACTS", facts)
    assert [one.holds for one in pretrained.facts()] == [k != place for k in range(4)]


def test_the_recipe_makes_batches_of_two_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs alone, with an empty row and an odd number of rows, and agrees with the product."""
    matrix = parse_matrix("0 2 0 1\n0 0 0 0\n1 0 0.5 0")
    scipy.sparse.save_npz(tmp_path / MATRIX_FILE, matrix.csr)
    weight = torch.arange(8.0).reshape(2, 4) / 7
    np.save(tmp_path / WEIGHT_FILE, weight.numpy())
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with torch.random.fork_rng(), redirect_stdout(printed):
        exec(RECIPE, {})  # noqa: S102 - our own script
    assert printed.getvalue().splitlines() == [
        "[0, 1] [1, 3] [0, 2, 2] [2.0, 1.0]",
        "as the dense product: True",
        "[2] [0, 2] [0, 2] [1.0, 0.5]",
        "as the dense product: True",
    ]
    assert "embviz" not in RECIPE
    assert "getrow" in RECIPE
    assert not hasattr(scipy.sparse.csr_array, "getrow")
    assert hasattr(scipy.sparse.csr_matrix, "getrow")
