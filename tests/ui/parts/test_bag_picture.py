"""The picture of a bag of words: its numbers are the tensors', and wrong ones are marked."""

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from embviz.bag.documents import vectorize
from embviz.bag.layers import tie_weight
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.bag.row_routes import run_row
from embviz.core.comparison import Comparison
from embviz.ui.parts import bag_picture
from embviz.ui.parts.bag_picture import OUTPUTS, ROWS, WORDS


def picture(matrix: Matrix, weight: torch.Tensor, row: int = 0) -> tuple[dict[str, Any], Any]:
    """The picture of a row, and its numbers: left and right, by line and output."""
    layers = tie_weight(weight)
    shown = bag_picture.bag_picture(matrix, layers, run_row(matrix.row(row), layers))
    json.dumps(shown, allow_nan=False)
    numbers = np.frombuffer(base64.b64decode(shown["numbers"]))
    return shown, numbers.reshape(2, len(shown["words"]) + 1, shown["columns"])


def test_both_sums_and_what_is_wrong() -> None:
    """Each word has its row and its product; a forgotten count of 2 marks what it changes."""
    matrix = vectorize("cats like cats\n\nlike dogs", "count")
    weight = torch.tensor([[1.0, 2.0, 3.0], [0.0, 5.0, 7.0]])
    shown, numbers = picture(matrix, weight)
    assert shown["words"] == [["cats", "0", "2", ""], ["like", "2", "1", ""]]
    assert numbers[0].tolist() == [[1.0, 0.0], [3.0, 7.0], [4.0, 7.0]]
    assert numbers[1].tolist() == [[2.0, 0.0], [3.0, 7.0], [5.0, 7.0]]
    assert shown["left"]["differs"] == [True, False]
    assert (shown["sign"], shown["alike"]) == ("≠", False)
    assert "1 of 2" in shown["said"]
    assert "bit for bit; without the counts, 1 of 2 numbers is wrong" in shown["verdict"]
    assert shown["documents"] == [[0, "cats like cats"], [1, "(empty)"], [2, "like dogs"]]
    shown, _ = picture(matrix, weight, 2)
    assert (shown["left"]["differs"], shown["sign"], shown["alike"]) == ([False] * 2, "=", True)
    assert "no count is above 1" in shown["verdict"]


def test_what_is_not_drawn_is_summed() -> None:
    """Of a long document the last line is the sum of all words that have no line."""
    words = [f"w{k:02}" for k in range(20)]
    weight = torch.arange(400.0).reshape(20, 20)
    shown, numbers = picture(vectorize(" ".join([*words, "w19"]), "count"), weight)
    assert len(shown["words"]) == WORDS
    assert shown["words"][-1][3] == f"{21 - WORDS} words more"
    assert numbers[:, :-1].sum(1).tolist() == numbers[:, -1].tolist()
    plain = weight[:OUTPUTS].sum(1)
    assert numbers[0, -1].tolist() == plain.tolist()
    assert numbers[1, -1].tolist() == (plain + weight[:OUTPUTS, 19]).tolist()
    assert shown["outputs"] == 20
    shown, _ = picture(vectorize(" ".join(words[:WORDS]), "count"), weight[:, :WORDS])
    assert shown["words"][-1][0] == words[WORDS - 1]


def test_rows_around_the_chosen_one() -> None:
    """Of many rows those around the chosen one are listed."""
    shown, _ = picture(
        parse_matrix("\n".join(f"{k} 1" for k in range(1, 50))), torch.ones(1, 2), 30
    )
    assert len(shown["documents"]) == ROWS
    assert dict(shown["documents"])[30] == "31 1"
    assert "30 of 49" in shown["more"]


def test_a_zero_of_another_sign_is_not_the_same_bits() -> None:
    """The verdict says *bit for bit* only where the bits are the same."""
    matrix, layers = vectorize("cats like", "count"), tie_weight(torch.zeros(1, 2))
    result = run_row(matrix.row(0), layers)
    apart = Comparison(torch.tensor([0.0]), torch.tensor([-0.0]))
    routes = tuple(replace(one, comparison=apart) for one in result.routes)
    shown = bag_picture.bag_picture(matrix, layers, replace(result, routes=routes))
    assert "gives, within rounding;" in shown["verdict"]


def test_an_overflow_and_counts() -> None:
    """An overflow is sent; a large count is written in full, another one with three digits."""
    matrix = parse_matrix("3e38 3e38\n123456 0.12345\n0 0")
    weight = torch.tensor([[2.0, 2.0]])
    assert picture(matrix, weight)[1][1, -1].tolist() == [np.inf]
    shown, _ = picture(matrix, weight, 1)
    assert [word[:3] for word in shown["words"]] == [["0", "", "123456"], ["1", "", "0.123"]]
    shown, numbers = picture(matrix, weight, 2)
    assert (shown["words"], numbers.tolist()) == ([], [[[0.0]], [[0.0]]])


@pytest.mark.parametrize(("row", "taken"), [(None, []), (True, []), (-1, []), (3, []), (2, [2])])
def test_a_forged_row_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, row: object, taken: list[int]
) -> None:
    """Only the number of a row is taken."""
    found: list[int] = []
    matrix, layers = parse_matrix("1 0\n0 1\n1 1"), tie_weight(torch.ones(1, 2))

    def draw(on_row_change: Any, **_: object) -> None:
        monkeypatch.setattr(bag_picture, "widget_value", lambda *_: {"row": row})
        on_row_change()

    monkeypatch.setattr(bag_picture, "_component", draw)
    bag_picture.draw_bag(matrix, layers, run_row(matrix.row(0), layers), found.append)
    assert found == taken
