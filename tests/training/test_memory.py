"""The memory of a training, counted by hand: more is refused, with the number of bytes."""

import re

import pytest
import torch

from embviz.fact.inputs import read_inputs
from embviz.settings.given import defaults
from embviz.settings.pages import SETTINGS
from embviz.system.bounds import OverLimitError
from embviz.training.inputs import side_by_side
from embviz.training.losses import Loss, Mse, NextId
from embviz.training.training import Training


def first_id(tokens: int) -> torch.Tensor:
    """A text of so many tokens, all with id 0."""
    return torch.zeros(tokens, dtype=torch.int64)


@pytest.mark.parametrize(
    ("given", "mib", "words"),
    [
        # (12 · 4,000 + 2 · 8,000,000) numbers of 4 bytes
        (
            (torch.zeros(1_000, 4), first_id(8_000), Mse([0.0], 4)),
            61,
            "12 copies of 4,000 numbers and 2 of a one-hot of 8,000,000: 61.2 MiB",
        ),
        # (12 · 1,000,000 + 2 · 50,000) numbers of 8 bytes
        (
            (torch.zeros(50_000, 20, dtype=torch.float64), first_id(1), Mse([0.0], 20)),
            92,
            "12 copies of 1,000,000 numbers and 2 of a one-hot of 50,000: 92.3 MiB",
        ),
        # (12 · 420,000 + 2 · 20,000) numbers of 4 bytes: a head has a weight and a bias
        (
            (torch.zeros(20_000, 10), first_id(2), NextId(20_000, 10, 0)),
            19,
            "12 copies of 420,000 numbers and 2 of a one-hot of 20,000: 19.4 MiB",
        ),
    ],
    ids=["one-hot", "float64", "head"],
)
def test_a_training_over_the_budget_is_refused_with_its_bytes(
    given: tuple[torch.Tensor, torch.Tensor, Loss],
    mib: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One MiB more, and it begins."""
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", str(mib))
    with pytest.raises(OverLimitError, match=re.escape(f"{words}, over the budget of {mib}.0 MiB")):
        Training(*given)
    monkeypatch.setenv("EMBVIZ_TABLE_BUDGET_MIB", str(mib + 1))
    assert Training(*given).steps == 0


@pytest.mark.usefixtures("hosted")
@pytest.mark.parametrize(
    ("rows", "dtype", "more"),
    [(4_096, "float32", "65,552 float32"), (2_048, "float64", "32,784 float64")],
)
def test_a_visitor_of_a_public_server_holds_three_mib_of_a_training(
    rows: int, dtype: str, more: str
) -> None:
    """12 copies of a table that fit exactly are held; of one more row they are refused."""

    def begin(rows: int) -> Training:
        own = {"input": "ids", "ids": "0", "rows": rows, "dim": 16, "dtype": dtype}
        values = defaults(SETTINGS) | own
        return side_by_side(read_inputs(values), values.__getitem__)

    assert begin(rows).steps == 0
    with pytest.raises(OverLimitError, match=f"hold 12 copies of {more} numbers, 3.0 MiB, for"):
        begin(rows + 1)
