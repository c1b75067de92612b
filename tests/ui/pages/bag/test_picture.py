"""The picture of a bag of words: its numbers are the tensors', and wrong ones are marked."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from embviz.bag.documents import vectorize
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.bag.routes import run
from embviz.ui.pages.bag import picture as pictures
from embviz.ui.pages.bag.picture import COUNTS, OUTPUTS, ROWS, WORDS


def picture(
    matrix: Matrix, weight: torch.Tensor, row: int = 0, edit: Mapping[int, float] | None = None
) -> tuple[dict[str, Any], Any]:
    """The picture of a row, and its numbers: left and right, by line and output."""
    result = run(matrix.csr[[row]], weight)
    shown = pictures.bag_picture(matrix, row, weight, result, edit or {}, stop=False)
    json.dumps(shown, allow_nan=False)
    numbers = np.frombuffer(base64.b64decode(shown["numbers"]))
    return shown, numbers.reshape(2, len(shown["words"]) + 1, shown["columns"])


def test_both_sums_and_what_is_wrong() -> None:
    """Each word has its count, row and product; a forgotten count of 2 marks what it changes."""
    matrix = vectorize("cats like cats I\n\nlike dogs", "count")
    weight = torch.tensor([[1.0, 2.0, 3.0], [0.0, 5.0, 7.0]])
    shown, numbers = picture(matrix, weight, 0, {0: 2})
    assert shown["counts"] == [[0, "2", "cats"], [1, "0", "dogs"], [2, "1", "like"]]
    assert shown["edit"] == [(0, 2)]
    assert shown["note"].startswith("Counts changed by hand")
    assert shown["note"].endswith("Left out: i (one letter).")
    assert shown["words"] == [["cats", "0", "2", ""], ["like", "2", "1", ""]]
    assert numbers[0].tolist() == [[1.0, 0.0], [3.0, 7.0], [4.0, 7.0]]
    assert numbers[1].tolist() == [[2.0, 0.0], [3.0, 7.0], [5.0, 7.0]]
    assert shown["left"]["differs"] == [True, False]
    assert (shown["sign"], shown["alike"], shown["said"]) == ("≠", False, "the same\n1 of 2")
    assert "bit for bit; without the counts, 1 of 2 numbers is wrong" in shown["verdict"]
    rows = [
        [0, "cats like cats I", "", True],
        [1, "(empty)", "", False],
        [2, "like dogs", "", False],
    ]
    assert shown["documents"] == rows
    assert [one[1] for one in shown["heads"]][:2] == ["word, id", "3 × 2"]
    shown, _ = picture(matrix, weight, 2)
    assert (shown["left"]["differs"], shown["sign"], shown["alike"]) == ([False] * 2, "=", True)
    assert "no count is above 1" in shown["verdict"]
    shown, _ = picture(parse_matrix("2 2"), torch.tensor([[1.0, -1.0]]))
    assert "without the counts it happens to be the same" in shown["verdict"]


def test_what_is_not_drawn_is_summed() -> None:
    """Of a long document the last line is the sum of all words that have no line."""
    words = [f"w{k:02}" for k in range(20)]
    weight = torch.arange(400.0).reshape(20, 20)
    shown, numbers = picture(vectorize(" ".join([*words, "w19"]), "count"), weight, 0, {17: 1})
    assert len(shown["words"]) == WORDS
    assert shown["words"][-1][3] == f"{21 - WORDS} words more"
    assert numbers[:, :-1].sum(1).tolist() == numbers[:, -1].tolist()
    plain = weight[:OUTPUTS].sum(1)
    assert numbers[0, -1].tolist() == plain.tolist()
    assert numbers[1, -1].tolist() == (plain + weight[:OUTPUTS, 19]).tolist()
    assert shown["outputs"] == 20
    # A count that was pressed stays in the row, also where not all have room.
    assert [one[0] for one in shown["counts"]] == [*range(COUNTS), 17]
    assert shown["note"].startswith("13 of 20 columns.")
    shown, _ = picture(vectorize(" ".join(words[:WORDS]), "count"), weight[:, :WORDS])
    assert shown["words"][-1][0] == words[WORDS - 1]
    assert len(shown["counts"]) == WORDS
    assert shown["note"] == "Press a count to change it."


def test_rows_around_the_chosen_one() -> None:
    """Of many rows those around the chosen one are listed."""
    many = parse_matrix("\n".join(f"{k} 1" for k in range(1, 50)))
    for row, first in ((0, 0), (30, 30 - ROWS // 2), (48, 49 - ROWS)):
        shown, _ = picture(many, torch.ones(1, 2), row)
        assert [one[0] for one in shown["documents"]] == [*range(first, first + ROWS)]
        assert [one[0] for one in shown["documents"] if one[3]] == [row]
    assert shown["documents"][-1][1] == "49 1"
    assert shown["more"] == "row 48 of 49"
    wide = parse_matrix("0 " * COUNTS + "1")
    assert picture(wide, torch.ones(1, COUNTS + 1))[0]["documents"] == [[0, "row 0", "", True]]


def test_the_verdict_names_bits_only_where_they_are_the_same() -> None:
    """*Bit for bit*, *within rounding* and a wrong sum are told apart."""
    matrix, weight = vectorize("cats like", "count"), torch.ones(1, 2)
    result = run(matrix.csr, weight)
    right = result.answers["weighted_embedding_sum"]
    for changed, words in (
        (right, "nn.Linear gives, bit for bit;"),
        (replace(right, same_bits=False), "nn.Linear gives, within rounding;"),
        (replace(right, wrong=~right.wrong), "✗ The sum is wrong;"),
    ):
        answers = result.answers | {"weighted_embedding_sum": changed}
        given = replace(result, answers=answers)
        assert words in pictures.bag_picture(matrix, 0, weight, given, {}, False)["verdict"]


def test_an_overflow_and_counts() -> None:
    """An overflow is sent; a large count is written in full, another one with three digits."""
    matrix = parse_matrix("3 3\n123456 0.12345\n0 0")
    weight = torch.tensor([[2e38, 2e38]])
    assert picture(matrix, weight)[1][1, -1].tolist() == [np.inf]
    shown, _ = picture(matrix, weight, 1)
    assert [word[:3] for word in shown["words"]] == [["0", "", "123456"], ["1", "", "0.123"]]
    shown, numbers = picture(matrix, weight, 2)
    assert (shown["words"], numbers.tolist()) == ([], [[[0.0]], [[0.0]]])


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        ({}, None),
        ({"row": True}, None),
        ({"row": -1}, None),
        ({"row": [1]}, None),
        ({"row": 2}, {"bag_edit": "", "row": 2}),
        ({"edit": "0:2 1:0"}, {"bag_edit": "0:2 1:0"}),
        ({"edit": 3}, None),
        ({"edit": "0:2 x"}, None),
    ],
    ids=str,
)
def test_a_forged_press_is_not_taken(
    told: dict[str, Any], taken: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row's number drops the pressed counts; counts by column are taken; nothing else is."""
    found: list[dict[str, Any]] = []

    def draw(on_row_change: Any, on_edit_change: Any, **_: object) -> None:
        (on_row_change if "row" in told else on_edit_change)()

    monkeypatch.setattr(pictures, "widget_value", lambda *_: told)
    monkeypatch.setattr(pictures, "go", lambda changes, whole: found.append(changes))
    monkeypatch.setattr(pictures, "_component", draw)
    pictures.draw_bag({})
    assert found == ([] if taken is None else [taken])
