"""The notebook of a lab: its lines run, and both routes agree in it."""

import json
from typing import Any

import pytest
import torch

from embviz.labs.catalogue import LABS, questions
from embviz.labs.notebook import lines_of, notebook


def cells(lab: str, seed: int, kind: str) -> list[str]:
    """The cells of one kind."""
    made = json.loads(notebook(lab, seed))
    assert made["nbformat"] == 4
    return ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("lab", LABS)
def test_the_lines_of_a_notebook_run(lab: str) -> None:
    """Those of the questions print the right answers; the last ones the same by both routes."""
    seed, printed = 5, list[Any]()
    asked = [one for one in questions(lab, seed) if "```python" in one.prompt]
    names: dict[str, Any] = {"print": printed.append}
    code = cells(lab, seed, "code")
    assert len(code) == 2 + len(asked)
    for lines in code:
        exec(lines, names)  # noqa: S102 - our own
    *first, lookup, product = printed
    assert [tuple(map(float, one.flatten().tolist())) for one in first] == [
        one.right for one in asked
    ]
    if lab == "cost":
        assert 0 < lookup < product
    else:
        torch.testing.assert_close(lookup, product, rtol=0, atol=0)


@pytest.mark.parametrize("lab", LABS)
def test_a_notebook_tells_no_answer(lab: str) -> None:
    """It has what the question shows, and nothing of its reason; other numbers, other lines."""
    text, made = "\n".join(cells(lab, 5, "markdown")), json.loads(notebook(lab, 5))
    assert all(cell.get("outputs", []) == [] for cell in made["cells"])
    assert all(one.why not in text for one in questions(lab, 5))
    assert [*lines_of(lab, 5)] != [*lines_of(lab, 6)] or lab == "cost"
    assert LABS[lab].title in text
