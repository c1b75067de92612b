"""The bag page, headless: its picture, its sources and weight, what is folded, and refusals."""

from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from streamlit.testing.v1 import AppTest

from embviz.bag import pretrained
from embviz.bag.matrix import parse_matrix
from embviz.bag.recipe import RECIPE
from embviz.bag.routes import run
from embviz.bag.weight import draw_weight
from embviz.ui.pages.bag import picture as drawing
from embviz.ui.pages.bag import sections
from embviz.ui.pages.bag.picture import COUNTS, OUTPUTS, ROWS, WORDS, bag_picture
from embviz.ui.parts import widgets
from tests.ui.headless import open_page, press, refusals, sent, unescaped

COUNTED = torch.tensor([1.0, 2.0, 1.0, 1.0]).double()  # the first document's counts
WEIGHT = "1 2 3\n0 5 7"


def picture(**query: str) -> dict[str, Any]:
    """What the picture of a link shows; the page has no refusal."""
    app = open_page("bag_of_words", **query)
    assert [one.value for one in app.error] == []
    (found,) = sent(app, "embviz_bag")
    return dict(found)


def test_both_sums_and_what_is_wrong() -> None:
    """Each word has its count, row and product; a forgotten count of 2 marks what it changes."""
    docs = {"docs": "cats like cats I\n\nlike dogs", "linear": WEIGHT}
    shown = picture(**docs)
    assert shown["counts"] == [[0, "2", "cats"], [1, "0", "dogs"], [2, "1", "like"]]
    assert shown["note"] == "Press a count to change it. Left out: i (one letter)."
    assert [[*line.values()] for line in shown["lines"]] == [
        ["cats", "cats", "0", "2", [1, 0], [2, 0]],
        ["like", "like", "2", "1", [3, 7], [3, 7]],
    ]
    assert (shown["left"]["values"], shown["right"]["values"]) == ([4, 7], [5, 7])
    assert (shown["scale"], shown["whole"], shown["total"]) == (7, True, 2)
    assert shown["left"]["differs"] == [True, False]
    assert (shown["sign"], shown["alike"], shown["said"]) == ("≠", False, "1 of 2\nequal")
    assert "bit for bit; without the counts, 1 of 2 numbers is wrong" in shown["verdict"]
    assert [one[1] for one in shown["documents"]] == ["cats like cats I", "(empty)", "like dogs"]
    assert [one[1] for one in shown["heads"]][:2] == ["word, id", "3 × 2"]
    shown = picture(**docs, row="2")
    assert (shown["left"]["differs"], shown["sign"], shown["alike"]) == ([False] * 2, "=", True)
    assert "no count is above 1" in shown["verdict"]
    shown = picture(**docs, row="1")
    assert (shown["lines"], shown["right"]["values"]) == ([], [0, 0])
    shown = picture(bag="matrix", x="2 2", linear="0.5 -0.5")
    assert "without the counts it happens to be the same" in shown["verdict"]
    assert not shown["whole"]
    lines = picture(bag="matrix", x="123456 0.12345", linear="1 1")["lines"]
    assert [(one["sub"], one["factor"]) for one in lines] == [("", "123456"), ("", "0.123")]


def test_pressed_counts_change_the_row_and_nothing_else() -> None:
    """A link with counts shows them in its row; the words stay, and other rows too."""
    shown = picture(bag_edit="0:0 1:3", row="1")
    assert [" ".join(one[1:]) for one in shown["counts"]] == ["0 and", "3 cats", "1 dogs", "1 like"]
    assert shown["edit"] == [[0, 0], [1, 3]]
    assert shown["note"] == drawing.CHANGED
    shown = picture(bag="matrix", x="1 0 1 0\n5 5 5 5", bag_edit="3:9")
    assert [one[1] for one in shown["documents"]] == ["1 0 1 9", "5 5 5 5"]


def test_what_is_not_drawn_is_summed() -> None:
    """Of a long row the last line is the sum of all columns that have no line.

    A count that was pressed stays in the row of counts, also where not all have room.
    """
    row = "1 " * 18 + "0 2"
    shown = picture(bag="matrix", x=row, outputs="20", bag_edit="17:1")
    lines, weight = shown["lines"], draw_weight(20, 20, 123)[:OUTPUTS]
    assert (len(lines), lines[-1]["fold"]) == (WORDS, f"{20 - WORDS} columns more")
    plain = weight.sum(1) - weight[:, 18]
    for of, side, total in (
        ("values", "left", plain),
        ("products", "right", plain + weight[:, 19]),
    ):
        summed = torch.tensor([line[of] for line in lines]).sum(0)
        for found in (summed.tolist(), shown[side]["values"]):
            assert found == pytest.approx(total.tolist(), abs=1e-6)
    assert shown["outputs"] == 20
    assert [one[0] for one in shown["counts"]] == [*range(COUNTS), 17]
    assert shown["note"].startswith("13 of 20 columns.")
    shown = picture(bag="matrix", x="1 " * WORDS)
    assert shown["lines"][-1]["title"] == str(WORDS - 1)


def test_rows_around_the_chosen_one() -> None:
    """Of many rows those around the chosen one are listed; a wide one by its number."""
    many = {"bag": "matrix", "x": "\n".join(f"{k} 1" for k in range(1, 50))}
    for row, first in (("0", 0), ("30", 30 - ROWS // 2), ("900", 49 - ROWS)):
        shown = picture(**many, row=row)
        assert [one[0] for one in shown["documents"]] == [*range(first, first + ROWS)]
        assert [one[0] for one in shown["documents"] if one[3]] == [min(int(row), 48)]
    assert shown["documents"][-1][1] == "49 1"
    assert shown["note"] == "Row 48 of 49. Press a count to change it."
    shown = picture(bag="matrix", x="0 " * COUNTS + "1")
    assert shown["documents"] == [[0, "row 0", "", True]]


def test_the_verdict_names_bits_only_where_they_are_the_same() -> None:
    """*Bit for bit*, *within rounding* and a wrong sum are told apart."""
    matrix, weight = parse_matrix("1 1"), torch.ones(1, 2)
    result = run(matrix.csr, weight)
    right = result.answers["weighted_embedding_sum"]
    for changed, words in (
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
    monkeypatch.setattr(drawing, "widget_value", lambda *_: told)
    monkeypatch.setattr(drawing, "go", lambda changes, whole: found.append(changes))
    drawing._take()
    assert found == taken


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"docs": " "}, "No documents were given"),
        ({"docs": "the and of", "stop": "true"}, "stop words"),
        ({"linear": "1 nan 2 3"}, "nan"),
        ({"docs": "one two three four five", "linear": "1 2"}, "The weight has shape (1, 2)"),
        ({"bag": "matrix", "x": "1 2\n3"}, "Row 1 has 1 numbers"),
        ({"bag": "file"}, "No file is chosen yet"),
        ({"bag_edit": "4:1"}, "Column 4 of edit is not one of 0 to 3"),
    ],
    ids=str,
)
def test_what_is_no_bag_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason."""
    (said,) = refusals("bag_of_words", **query)
    assert words in said


def test_a_link_with_odd_counts_gets_a_note() -> None:
    """What is not counts by column is left out with one note."""
    for edit in ("0", "0:10", "-1:2", "0:2;1:1", "1234567:1", "²:1"):
        app = open_page("bag_of_words", bag_edit=edit)
        assert "is not counts by column, such as 0:3 2:1" in unescaped(app.warning[0].value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("docs", "a b c cats"), ("counts", "binary"), ("row", 1), ("stop", True), ("bag", "matrix")],
)
def test_another_row_has_its_own_counts(name: str, value: Any) -> None:
    """What gives the row other counts drops the pressed ones; another weight keeps them."""
    app = open_page("bag_of_words", bag_edit="0:3")
    app.number_input(key="outputs").set_value(2).run()
    assert app.query_params["bag_edit"] == "0:3"
    fields = [*app.text_area, *app.selectbox, *app.number_input, *app.toggle, *app.button_group]
    next(one for one in fields if one.key == name).set_value(value).run()
    assert "bag_edit" not in app.query_params
    assert app.query_params[name] == str(value).replace("True", "true")


def test_a_weight_that_does_not_fit_is_mended_by_one_press() -> None:
    """A random weight stands in for the own one, also in the address; the matrix stays."""
    app = open_page("bag_of_words", bag="matrix", x="1 2 3 4 5", linear="1 2 3")
    assert "The weight has shape (1, 3)" in unescaped(app.error[0].value)
    press(app, "Use a random weight")
    assert [one.value for one in app.error] == []
    assert app.query_params == {"bag": "matrix", "x": "1 2 3 4 5", "linear": ""}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"docs": "one two three"}, draw_weight(3, 3, 123).sum(1)),
        ({"docs": "a1 b2", "outputs": "2", "bag_seed": "5"}, draw_weight(2, 2, 5).sum(1)),
        ({"linear": " ", "bag_dtype": "float64"}, draw_weight(4, 3, 123, "float64") @ COUNTED),
    ],
)
def test_without_an_own_weight_it_is_nn_linears(
    query: dict[str, str], expected: torch.Tensor
) -> None:
    """The example's weight gives way to a random one where it does not fit, or is emptied."""
    assert picture(**query)["right"]["values"] == pytest.approx(expected.tolist(), abs=1e-7)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_typed_weight_has_the_dtype_chosen(dtype: torch.dtype) -> None:
    """A typed 0.1 is rounded to the dtype of the settings."""
    shown = picture(linear="0.1 1 1 1", bag_dtype=str(dtype).removeprefix("torch."))
    assert shown["lines"][0]["values"] == torch.tensor([0.1], dtype=dtype).tolist()


def test_files_of_a_matrix_and_a_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """An uploaded matrix and an uploaded weight are used; a broken file is named."""
    matrix, weight = BytesIO(), BytesIO()
    sp.save_npz(matrix, sp.csr_array([[0, 2.0, 1.0]]))
    np.savez(weight, np.array([[1.0, 10.0, 100.0]]))
    for one in (matrix, weight):
        one.name, one.file_id = "x.npz", "1"  # type: ignore[attr-defined]
    files = {"bag_file": [matrix], "linear_file": [weight]}
    monkeypatch.setattr(widgets, "uploaded", lambda key: files.get(key, []))
    shown = picture(bag="file")
    assert (shown["left"]["values"], shown["right"]["values"]) == ([110], [120])
    files["bag_file"] = files["linear_file"]
    (said,) = refusals("bag_of_words", bag="file")
    assert "'x.npz': " in said


def opened(fold: str, **query: str) -> AppTest:
    """The page with one fold open, as a press opens it."""
    app = open_page("bag_of_words", **query)
    app.session_state[fold] = True
    app.run()
    assert [one.value for one in [*app.exception, *app.error]] == []
    return app


def test_the_table_of_routes_for_a_row_and_for_all() -> None:
    """It opens by a press or by its link, and names wrong rows; else nothing of it is drawn."""
    assert len(open_page("bag_of_words").table) == 0
    app = opened("bag_routes")
    lines = app.table[0].value.to_numpy().tolist()
    assert len(lines) == 12
    assert lines[0][:2] == ["✓ yes", "`linear(x)`"]
    assert unescaped(lines[0][2]).endswith("It has the bits of linear(x).")
    assert lines[0][3:] == ["(1, 3)", "-0.7998 1.488 -0.3227"]
    forgets = next(line for line in lines if line[1] == "`embedding(indices).sum(0)`")
    assert (forgets[0], forgets[3]) == ("≠ no", "(3,)")
    assert unescaped(forgets[2]).endswith("Off by 0.3.")
    app = open_page("bag_of_words", routed="all rows", row="1")
    lines = app.table[0].value.to_numpy().tolist()
    assert len(lines) == 9
    assert [one[0] for one in lines if one[1] == "`bag(indices, indptr)`"] == ["≠ 1 of 2 rows"]
    said = unescaped(app.caption[0].value)
    assert "2 rows x 4 columns: dense 64 B" in said
    assert "indices[4:7] = [1, 2, 3] and the counts data[4:7] = [1, 1, 1]." in said
    assert app.dataframe[0].value.shape == (2, 3)


def test_facts_and_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The facts are drawn, a false one says so; the recipe is shown with its files."""
    first, *others = pretrained.facts()
    monkeypatch.setattr(pretrained, "facts", lambda: [replace(first, holds=False), *others])
    words = [one.value for one in opened("bag_traps").markdown]
    assert sum("does not hold on the PyTorch installed here" in one for one in words) == 1
    files: dict[str, Any] = {}
    monkeypatch.setattr(sections, "download", lambda *given: files.update({given[2]: given[1]}))
    assert opened("bag_batches", row="1").code[0].value.strip() == RECIPE.strip()
    matrix, weight, script = files.values()
    assert sp.load_npz(BytesIO(matrix())).toarray().tolist() == [[1, 2, 1, 1], [0, 1, 1, 1]]
    assert np.load(BytesIO(weight())).shape == (3, 4)
    assert script == RECIPE
