"""The bag page, headless: its sources, its weight, what is folded, and refusals."""

from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from streamlit.testing.v1 import AppTest

from embviz.bag import pretrained
from embviz.bag.recipe import RECIPE
from embviz.bag.weight import draw_weight
from embviz.ui.parts import widgets
from tests.ui.headless import open_page, press, refusals, sent, unescaped

COUNTED = torch.tensor([1.0, 2.0, 1.0, 1.0]).double()  # the first document's counts


def picture(**query: str) -> dict[str, Any]:
    """What the picture of a link shows; the page has no refusal."""
    app = open_page("bag_of_words", **query)
    assert [one.value for one in app.error] == []
    (found,) = sent(app, "embviz_bag")
    return dict(found)


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
    """Bad input gives one sentence with the reason, and its field stays."""
    (said,) = refusals("bag_of_words", **query)
    assert words in said
    app = open_page("bag_of_words", **query)
    for name in {"docs", "x"} & query.keys():
        assert app.text_area(key=name).value == query[name]


@pytest.mark.parametrize("edit", ["0", "0:x", "0:10", "-1:2", "0:2;1:1", "1234567:1", "²:1"])
def test_a_link_with_odd_counts_gets_a_note(edit: str) -> None:
    """What is not counts by column is left out with one note."""
    app = open_page("bag_of_words", bag_edit=edit)
    assert "is not counts by column, such as 0:3 2:1" in unescaped(app.warning[0].value)
    assert sent(app, "embviz_bag")[0]["edit"] == []


def test_pressed_counts_change_the_row_and_nothing_else() -> None:
    """A link with counts shows them in its row; the words stay, and other rows too."""
    shown = picture(bag_edit="0:0 1:3", row="1")
    assert [" ".join(one[1:]) for one in shown["counts"]] == ["0 and", "3 cats", "1 dogs", "1 like"]
    assert shown["edit"] == [[0, 0], [1, 3]]
    assert picture(bag_edit="0:0")["lines"][0]["title"] == "cats"
    text = {"bag": "matrix", "x": "1 0 1 0\n5 5 5 5", "bag_edit": "3:9"}
    assert [one[1] for one in picture(**text)["counts"]] == ["1", "0", "1", "9"]
    assert [one[1] for one in picture(**text)["documents"]] == ["1 0 1 9", "5 5 5 5"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("docs", "a b c cats"), ("counts", "binary"), ("row", 1), ("stop", True), ("bag", "matrix")],
)
def test_another_row_has_its_own_counts(name: str, value: Any) -> None:
    """What gives the row other counts drops the pressed ones, in one change of the address."""
    app = open_page("bag_of_words", bag_edit="0:3", seed="7")
    widgets_ = [*app.text_area, *app.selectbox, *app.number_input, *app.toggle, *app.button_group]
    next(one for one in widgets_ if one.key == name).set_value(value).run()
    assert "bag_edit" not in app.query_params
    assert app.query_params[name] == str(value).replace("True", "true")
    app = open_page("bag_of_words", bag_edit="0:3")
    app.number_input(key="outputs").set_value(2).run()
    assert app.query_params["bag_edit"] == "0:3"  # another weight keeps them


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
        ({"bag": "matrix", "x": "2 1", "linear": "1 2\n3 4"}, torch.tensor([4.0, 10.0])),
    ],
)
def test_the_weight_is_the_own_one_or_nn_linears(
    query: dict[str, str], expected: torch.Tensor
) -> None:
    """The example's weight gives way to a random one where it does not fit, or is emptied."""
    assert picture(**query)["right"]["values"] == pytest.approx(expected.tolist(), abs=1e-7)


def uploads(monkeypatch: pytest.MonkeyPatch, **files: bytes) -> AppTest:
    """The page of a matrix from files, by the keys of their uploaders."""

    class File(BytesIO):
        name, file_id = "x.npz", "one"

    monkeypatch.setattr(widgets, "uploaded", lambda key: [File(files[key])] if key in files else [])
    return open_page("bag_of_words", bag="file")


def test_files_of_a_matrix_and_a_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """An uploaded matrix and an uploaded weight are used."""
    matrix, weight = BytesIO(), BytesIO()
    sp.save_npz(matrix, sp.csr_array([[0, 2.0, 1.0]]))
    np.savez(weight, np.array([[1.0, 10.0, 100.0]]))
    files = {"bag_file": matrix.getvalue(), "linear_file": weight.getvalue()}
    (shown,) = sent(uploads(monkeypatch, **files), "embviz_bag")
    assert (shown["left"]["values"], shown["right"]["values"]) == ([110], [120])
    app = uploads(monkeypatch, bag_file=b"PK nonsense")
    assert "x.npz" in unescaped(app.error[0].value)


def opened(fold: str) -> AppTest:
    """The page with one fold open, as a press opens it."""
    app = open_page("bag_of_words")
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
    assert lines[0][:4] == ["✓ yes", "`linear(x)`", "(1, 3)", "-0.7998 1.488 -0.3227"]
    assert "the bits of linear(x)" in unescaped(lines[0][4])
    assert lines[1][2] == "(3,)"
    forgets = next(line for line in lines if line[1] == "`embedding(indices).sum(0)`")
    assert forgets[0] == "≠ no"
    assert unescaped(forgets[4]).endswith("Off by 0.3.")
    said = unescaped(app.caption[0].value)
    assert "2 rows x 4 columns: dense 64 B" in said
    assert "indices[0:4]" in said
    app = open_page("bag_of_words", routed="all rows", row="1")
    lines = app.table[0].value.to_numpy().tolist()
    assert len(lines) == 9
    assert [one[0] for one in lines if one[1] == "`bag(indices, indptr)`"] == ["≠ 1 of 2 rows"]
    assert "indices[4:7]" in unescaped(app.caption[0].value)
    assert app.dataframe[0].value.shape == (2, 3)
    assert "check_invariants=True" in app.code[0].value


def test_facts_and_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The facts are drawn, a false one says so; the recipe is shown with its files."""
    false = "does not hold on the PyTorch installed here"
    app = opened("bag_traps")
    words = "\n".join(one.value for one in app.markdown)
    assert "It freezes by default" in unescaped(words)
    assert false not in words
    first, *others = pretrained.facts()
    monkeypatch.setattr(pretrained, "facts", lambda: [replace(first, holds=False), *others])
    app = opened("bag_traps")
    assert sum(false in one.value for one in app.markdown) == 1
    app = opened("bag_batches")
    assert app.code[0].value.strip() == RECIPE.strip()
    labels = [one.proto.label for one in app.get("download_button")]
    assert labels == ["Its matrix.npz", "Its linear_weight.npy", "The recipe (.py)"]
