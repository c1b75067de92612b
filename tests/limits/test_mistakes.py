"""Mistakes, made here: each opens its case in the words of the installed PyTorch, or none.

`mistakes.json` has programs. Each has the case that its error opens, or the cases that list it
because programs without these layers raise it as often, or null: no case opens.
"""

import json
import traceback
from pathlib import Path
from typing import Any

import pytest

from embviz.limits.case import Case
from embviz.limits.search import find

START = """
import json, numpy as np, scipy.sparse, torch
from torch import nn
from torch.nn import functional as F
ids, table = torch.tensor([0, 2]), torch.zeros(4, 3)
one_hot = F.one_hot(ids, 4)
embedding, linear = nn.Embedding(4, 3), nn.Linear(4, 3)
def after_backward(sparse):
    layer = nn.Embedding(4, 3, sparse=sparse)
    layer(ids).sum().backward()
    return layer
x, image, pair = torch.ones(2, 3), torch.ones(1, 3, 8, 8), (torch.ones(2, 3), torch.ones(2, 3))
whole, leaf = torch.tensor([1, 2, 3]), torch.ones(3, requires_grad=True)
adjacency = torch.eye(3).to_sparse()
table_of_numbers = np.ones((3, 2))
"""
MISTAKES = json.loads(Path(__file__).with_name("mistakes.json").read_text("utf-8"))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["program"])
def test_a_mistake_opens_its_case_alone(mistake: dict[str, Any]) -> None:
    """Below the line that raised it, as in a traceback; what opens none opens none alone either."""
    names: dict[str, object] = {}
    exec(START, names)  # noqa: S102 - our own constant
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is what the case says
        exec(mistake["program"], names)  # noqa: S102 - our own constant
    error = "".join(traceback.format_exception_only(raised.value))
    found = find(f"Traceback (most recent call last):\n    {mistake['program']}\n{error}")
    assert (found.opened and found.opened.name) == mistake.get("opens")
    listing = [one.name for one in found.listed if isinstance(one, Case)]
    assert {*mistake.get("listed", [])} <= {*listing}
    assert mistake.get("opens") or find(error).opened is None
