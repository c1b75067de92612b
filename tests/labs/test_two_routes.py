"""*Two routes, one training*: its picture has the rows that one step of Adam gives."""

import re

import pytest
import torch

from embviz.labs.catalogue import questions
from embviz.labs.drawing import Grid
from tests.labs.reader import code, labelled, table


@pytest.mark.parametrize("seed", range(8))
def test_both_rows_after_one_step_are_those_of_plain_adam(seed: int) -> None:
    """The first letter's row, by a lookup and by a one-hot; the target is 0.

    The first step of Adam moves each number by the learning rate, and leaves 0 where it is.
    """
    steps = questions("learns", seed)
    one = next(step for step in steps if step.title == "Two routes, one training")
    letters, weight = labelled(table(steps[0].prompt))
    row = torch.as_tensor(weight[letters.index(code(one.prompt)[2][0])])
    rate = float(re.findall(r"learning rate ([\d.]+)", one.prompt)[0])
    expected = (row - rate * row.sign()).tolist()
    rows, apart = one.picture
    assert isinstance(rows, Grid)
    assert isinstance(apart, Grid)
    assert [*rows.labels] == ["Embedding", "Linear"]
    for cells in rows.cells:
        assert [*map(float, cells)] == pytest.approx(expected, abs=1e-5)
    assert float(apart.cells[0][0]) < 1e-4
    small = one.small[0]
    assert isinstance(small, Grid)
    assert [*map(float, small.cells[0])] == pytest.approx(expected, abs=1e-5)
