"""The picture of a bag of words: its numbers are the tensors', and wrong ones are marked."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch

from embviz.bag.documents import vectorize
from embviz.bag.layers import tie_weight
from embviz.bag.matrix import parse_matrix
from embviz.bag.row_routes import run_row
from embviz.core.comparison import Comparison
from embviz.ui.parts import bag_picture
from embviz.ui.parts.bag_picture import OUTPUTS, ROWS, WORDS


def picture(text: str, weight: torch.Tensor, row: int = 0) -> dict[str, Any]:
    """The picture of a document."""
    matrix = vectorize(text, "count")
    layers = tie_weight(weight)
    return bag_picture.bag_picture(matrix, layers, run_row(matrix.row(row), layers))


def test_both_sums_and_what_is_wrong() -> None:
    """Each word has its row and its product; a forgotten count of 2 marks what it changes."""
    weight = torch.tensor([[1.0, 2.0, 3.0], [5.0, 0.0, 7.0]])
    shown = picture("cats like cats\nlike dogs", weight)
    assert shown["words"] == [
        {"name": "cats", "count": "2", "row": [1.0, 5.0], "product": [2.0, 10.0]},
        {"name": "like", "count": "1", "row": [3.0, 7.0], "product": [3.0, 7.0]},
    ]
    assert (shown["sum"], shown["plain"]) == ([5.0, 17.0], [4.0, 12.0])
    assert shown["wrong"] == [True, True]
    said = "The sum is what nn.Linear gives, bit for bit; without the counts, 2 of 2 numbers are "
    assert shown["verdict"] == [True, False, f"{said}wrong."]
    assert shown["documents"] == [[0, "cats like cats"], [1, "like dogs"]]


def test_nothing_is_lost_where_no_count_is_above_one() -> None:
    """A row of ones is right without its counts, and the verdict says so."""
    shown = picture("cats like cats\nlike dogs", torch.arange(6.0).reshape(2, 3), row=1)
    assert shown["wrong"] == [False, False]
    assert "no count is above 1" in str(shown["verdict"])


def test_what_is_not_drawn_is_summed() -> None:
    """Of a long document the last line is the sum of all words that have no line."""
    words = [f"w{k:02}" for k in range(20)]
    weight = torch.arange(200.0).reshape(10, 20)
    shown = picture(" ".join([*words, "w19"]), weight)
    lines = shown["words"]
    assert isinstance(lines, list)
    assert len(lines) == WORDS
    assert lines[-1]["name"] == f"{21 - WORDS} more"
    total = torch.tensor([line["product"] for line in lines]).sum(0)
    assert total.tolist() == shown["sum"]
    assert total.tolist() == (weight[:OUTPUTS].sum(1) + weight[:OUTPUTS, 19]).tolist()


def test_rows_around_the_chosen_one() -> None:
    """Of many rows those around the chosen one are listed."""
    matrix = parse_matrix("\n".join(f"{k} 1" for k in range(1, 50)))
    layers = tie_weight(torch.ones(1, 2))
    shown = bag_picture.bag_picture(matrix, layers, run_row(matrix.row(30), layers))
    numbers = [number for number, _ in shown["documents"]]
    assert len(numbers) == ROWS
    assert 30 in numbers
    assert dict(shown["documents"])[30] == "31 1"


def test_a_zero_of_another_sign_is_not_the_same_bits() -> None:
    """The verdict says *bit for bit* only where the bits are the same."""
    matrix, layers = vectorize("cats like", "count"), tie_weight(torch.zeros(1, 2))
    result = run_row(matrix.row(0), layers)
    apart = Comparison(torch.tensor([0.0]), torch.tensor([-0.0]))
    routes = tuple(replace(one, comparison=apart) for one in result.routes)
    shown = bag_picture.bag_picture(matrix, layers, replace(result, routes=routes))
    assert "gives, within rounding;" in str(shown["verdict"])


def test_a_number_that_json_lacks_and_a_large_count() -> None:
    """An overflow is written as a word, a large count in full."""
    matrix = parse_matrix("3e38 3e38\n123456 0")
    layers = tie_weight(torch.tensor([[2.0, 2.0]]))
    shown = bag_picture.bag_picture(matrix, layers, run_row(matrix.row(0), layers))
    assert shown["sum"] == ["inf"]
    assert json.loads(json.dumps(shown, allow_nan=False)) is not None
    shown = bag_picture.bag_picture(matrix, layers, run_row(matrix.row(1), layers))
    assert shown["words"][0]["count"] == "123456"


@pytest.mark.parametrize(("row", "taken"), [(None, []), (True, []), (-1, []), (3, []), (2, [2])])
def test_a_forged_row_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, row: object, taken: list[int]
) -> None:
    """Only the number of a row is taken."""
    found: list[int] = []
    monkeypatch.setattr(bag_picture, "widget_value", lambda *_: {"row": row})
    bag_picture._take(3, found.append)
    assert found == taken
