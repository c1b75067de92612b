"""The picture of a bag of words: its numbers are the tensors', and wrong ones are marked."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch

from embviz.bag.documents import vectorize
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.bag.routes import run
from embviz.ui.pages.bag import picture
from embviz.ui.pages.bag.picture import COUNTS, OUTPUTS, ROWS, WORDS, bag_picture


def draw(matrix: Matrix, weight: torch.Tensor, row: int = 0, **edit: int) -> dict[str, Any]:
    """The picture of a row; `edit` has counts that were pressed, such as c3=1."""
    pressed = {int(name[1:]): float(count) for name, count in edit.items()}
    shown = bag_picture(matrix, row, weight, run(matrix.csr[[row]], weight), pressed, stop=False)
    json.dumps(shown, allow_nan=False)
    return shown


def test_both_sums_and_what_is_wrong() -> None:
    """Each word has its count, row and product; a forgotten count of 2 marks what it changes."""
    matrix = vectorize("cats like cats I\n\nlike dogs", "count")
    weight = torch.tensor([[1.0, 2.0, 3.0], [0.0, 5.0, 7.0]])
    shown = draw(matrix, weight, c0=2)
    assert shown["counts"] == [[0, "2", "cats"], [1, "0", "dogs"], [2, "1", "like"]]
    assert shown["edit"] == [(0, 2)]
    assert shown["note"].startswith("Counts changed by hand")
    assert shown["note"].endswith("Left out: i (one letter).")
    lines = [[*line.values()] for line in shown["lines"]]
    assert lines == [
        ["cats", "cats", "0", "2", [1, 0], [2, 0]],
        ["like", "like", "2", "1", [3, 7], [3, 7]],
    ]
    assert (shown["left"]["values"], shown["right"]["values"]) == ([4, 7], [5, 7])
    assert (shown["scale"], shown["whole"], shown["total"]) == (7, True, 2)
    assert shown["left"]["differs"] == [True, False]
    assert (shown["sign"], shown["alike"], shown["said"]) == ("≠", False, "the same\n1 of 2")
    assert "bit for bit; without the counts, 1 of 2 numbers is wrong" in shown["verdict"]
    assert [one[1:] for one in shown["documents"]] == [
        ["cats like cats I", "", True],
        ["(empty)", "", False],
        ["like dogs", "", False],
    ]
    assert [one[1] for one in shown["heads"]][:2] == ["word, id", "3 × 2"]
    shown = draw(matrix, weight / 3, 2)
    assert (shown["left"]["differs"], shown["sign"], shown["alike"]) == ([False] * 2, "=", True)
    assert "no count is above 1" in shown["verdict"]
    assert not shown["whole"]
    shown = draw(matrix, weight, 1)
    assert (shown["lines"], shown["right"]["values"]) == ([], [0, 0])
    shown = draw(parse_matrix("123456 0.12345\n2 2"), torch.tensor([[1.0, -1.0]]))
    assert [(one["sub"], one["factor"]) for one in shown["lines"]] == [
        ("", "123456"),
        ("", "0.123"),
    ]
    shown = draw(parse_matrix("123456 0.12345\n2 2"), torch.tensor([[1.0, -1.0]]), 1)
    assert "without the counts it happens to be the same" in shown["verdict"]


def test_what_is_not_drawn_is_summed() -> None:
    """Of a long document the last line is the sum of all words that have no line.

    A count that was pressed stays in the row of counts, also where not all have room.
    """
    words = [f"w{k:02}" for k in range(20)]
    weight = torch.arange(400.0).reshape(20, 20)
    shown = draw(vectorize(" ".join([*words, "w19"]), "count"), weight, c17=1)
    lines = shown["lines"]
    assert (len(lines), lines[-1]["fold"]) == (WORDS, f"{21 - WORDS} words more")
    plain = weight[:OUTPUTS].sum(1)
    for of, side, total in (
        ("values", "left", plain),
        ("products", "right", plain + weight[:OUTPUTS, 19]),
    ):
        assert torch.tensor([line[of] for line in lines]).sum(0).tolist() == total.tolist()
        assert shown[side]["values"] == total.tolist()
    assert shown["outputs"] == 20
    assert [one[0] for one in shown["counts"]] == [*range(COUNTS), 17]
    assert shown["note"].startswith("13 of 20 columns.")
    shown = draw(vectorize(" ".join(words[:WORDS]), "count"), weight[:, :WORDS])
    assert shown["lines"][-1]["title"] == words[WORDS - 1]
    assert shown["note"] == "Press a count to change it."


def test_rows_around_the_chosen_one() -> None:
    """Of many rows those around the chosen one are listed; a wide one by its number."""
    many = parse_matrix("\n".join(f"{k} 1" for k in range(1, 50)))
    for row, first in ((0, 0), (30, 30 - ROWS // 2), (48, 49 - ROWS)):
        shown = draw(many, torch.ones(1, 2), row)
        assert [one[0] for one in shown["documents"]] == [*range(first, first + ROWS)]
        assert [one[0] for one in shown["documents"] if one[3]] == [row]
    assert (shown["documents"][-1][1], shown["more"]) == ("49 1", "row 48 of 49")
    wide = parse_matrix("0 " * COUNTS + "1")
    assert draw(wide, torch.ones(1, COUNTS + 1))["documents"] == [[0, "row 0", "", True]]


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
        given = replace(result, answers=result.answers | {"weighted_embedding_sum": changed})
        assert words in bag_picture(matrix, 0, weight, given, {}, False)["verdict"]


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        ({"row": -1}, []),
        ({"row": [1], "edit": 3}, []),
        ({"edit": "0:2 x"}, []),
        ({"row": 2}, [{"bag_edit": "", "row": 2}]),
        ({"edit": "0:2 1:0"}, [{"bag_edit": "0:2 1:0"}]),
    ],
)
def test_a_forged_press_is_not_taken(
    told: dict[str, Any], taken: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row's number drops the pressed counts; counts by column are taken; nothing else is."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(picture, "widget_value", lambda *_: told)
    monkeypatch.setattr(picture, "go", lambda changes, whole: found.append(changes))
    picture._take()
    assert found == taken
