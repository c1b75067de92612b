"""The bag page, headless: its picture, its sources and weight, what is folded, and refusals."""

import re
from dataclasses import replace
from io import BytesIO
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from streamlit.testing.v1 import AppTest

from embviz.bag import pretrained
from embviz.bag.matrix import parse_matrix
from embviz.bag.page import fields, sentences
from embviz.bag.page import picture as drawing
from embviz.bag.page.picture import COUNTS, OUTPUTS, ROWS, WORDS
from embviz.bag.page.sentences import sentence
from embviz.bag.recipe import RECIPE
from embviz.bag.routes import ROUTES, run
from embviz.bag.weight import draw_weight
from embviz.fact import shared_layers
from embviz.ui.elements import widgets
from tests.ui.headless import open_page, sent, unescaped

DOCS = {"docs": "cats like cats I\n\nlike dogs", "linear": "1 2 3\n0 5 7"}


def picture(**query: str) -> Any:
    """What the picture of a link shows; the page has no refusal."""
    app = open_page("bag_of_words", **query)
    assert [one.value for one in app.error] == []
    (found,) = sent(app, "embviz_bag")
    return found


def test_every_row_is_drawn_with_what_each_layer_makes_of_it() -> None:
    """Each word has its count, row, product and part of the left sum; a word with 0 is there too.

    The right sum is what `nn.Linear` gives, and the left one that of its line of code.
    """
    shown = picture(**DOCS)
    assert [[*line.values()] for line in shown["lines"]] == [
        ["cats", "0", "2", True, [[1, 0], [2, 0], [2, 0]]],
        ["dogs", "1", "0", False, [[2, 5], [0, 0], [0, 0]]],
        ["like", "2", "1", True, [[3, 7], [3, 7], [3, 7]]],
    ]
    expected = {
        "counts": [[0, "2", "cats"], [1, "0", "dogs"], [2, "1", "like"]],
        "documents": [[0, "cats like cats I"], [1, "(empty)"], [2, "like dogs"]],
        "sums": [[5, 7], [5, 7]],
        "wrong": [False, False],
        "alike": True,
        "said": "identical:\n2 of 2",
        "shape": [3, 2],
        "scale": 7,
        "origin": "as you typed it",
        "codes": [ROUTES[5].code, "linear(x)"],
    }
    assert {name: shown[name] for name in expected} == expected
    shown = picture(**DOCS, forget="true")
    assert [line["numbers"][2] for line in shown["lines"]] == [[1, 0], [0, 0], [3, 7]]
    expected |= {
        "sums": [[4, 7], [5, 7]],
        "wrong": [True, False],
        "alike": False,
        "said": "equal:\n1 of 2",
        "codes": [ROUTES[4].code, "linear(x)"],
    }
    assert {name: shown[name] for name in expected} == expected
    lines = picture(bag="matrix", x="123456 0.12345")["lines"]
    assert [[*one.values()][:3] for one in lines] == [["0", "", "123456"], ["1", "", "0.123"]]


def test_one_scale_of_colours_and_as_many_lines_for_every_document() -> None:
    """Another document of the same words moves and tints nothing anew."""
    docs = "no no no\n\n" + " ".join(f"w{k}" for k in range(20))
    shown = [picture(docs=docs, row=str(row)) for row in range(3)]
    weight = draw_weight(21, 3, 123)
    for one in shown:
        assert one["scale"] == weight.abs().max().item()
        assert (len(one["lines"]), len(one["counts"])) == (WORDS, COUNTS)
        assert one["lines"][-1]["omitted"] == f"{21 - WORDS + 1} rows"
    assert [one["lines"][-1]["factor"] for one in shown] == ["0", "0", "…"]


def test_what_the_vectorizer_drops_or_folds_is_said() -> None:
    """Each word with the reason; of documents without any the note has no place."""
    note = picture(**DOCS)["note"]
    assert note == "Left out: i (one letter). Capital letters are read as small ones."
    assert picture(**DOCS, row="2")["note"] == ""
    assert picture()["note"] is None
    assert picture(docs="the cat", stop="true")["note"] == "Left out: the (stop word)."
    note = picture(docs="so 😀\u200d glad")["note"]
    assert note == "Left out: '😀', zero width joiner (U+200D) (no letter or digit)."


STATES: list[dict[str, str]] = [
    {},
    {"row": "1"},
    {"docs": "cats cats\n\ndogs", "row": "1"},
    {"counts": "binary"},
    {"counts": "tfidf"},
    {"linear": "0 0 0 0"},
    {"linear": "1 2 3 4\n0 0 1 1"},
    {"bag_edit": "1:-3"},
    {"bag_edit": "1:1"},
    {"bag_edit": "0:0 1:0 2:0 3:0"},
    {"bag_edit": "1:12"},
    {"bag": "matrix", "row": "1"},
    {"bag": "matrix", "x": "0.5 2 0"},
    {"bag_dtype": "float64"},
]


@pytest.mark.parametrize("forget", [False, True])
@pytest.mark.parametrize("state", STATES, ids=str)
def test_the_sentence_is_true_in_every_state(state: dict[str, str], forget: bool) -> None:
    """It says "the same", "wrong", "by chance", "each is 0 or 1" where NumPy and PyTorch say so."""
    app = open_page("bag_of_words", **state, **({"forget": "true"} if forget else {}))
    (shown,) = sent(app, "embviz_bag")
    said, counts = shown["verdict"], np.array([float(one[1]) for one in shown["counts"]])
    table = torch.tensor([line["numbers"][0] for line in shown["lines"]], dtype=torch.float64)
    x = torch.tensor([line["numbers"][1] for line in shown["lines"]], dtype=torch.float64)
    right, once = x.sum(0), table[counts != 0].sum(0)
    wrong = ~torch.isclose(once, right, rtol=0, atol=1e-6)
    left = once if forget else right
    torch.testing.assert_close(torch.tensor(shown["sums"][0]).double(), left, atol=1e-6, rtol=0)
    torch.testing.assert_close(torch.tensor(shown["sums"][1]).double(), right, atol=1e-6, rtol=0)
    is_wrong, all_one = bool(wrong.any()), bool((counts[counts != 0] == 1).all())
    assert (said[0], shown["alike"]) == (("≠", False) if forget and is_wrong else ("✓", True))
    assert ("both sums are 0" in said) is not counts.any()
    if not counts.any():
        return
    assert (" is 0 or 1" in said) is all_one
    assert ("chance" in said) is (not is_wrong and not all_one)
    assert (f"{int(wrong.sum())} of {len(wrong)} numbers" in said) is is_wrong
    if "bit for bit" in said:
        assert shown["sums"][0] == shown["sums"][1]
    if "added once" in said:
        word, number = re.findall(r"(?:: )([\w ]+) has the (?:count|number) (\S+),", said)[0]
        title = word.removeprefix("column ")
        assert [number.replace("−", "-")] == [one[1] for one in shown["counts"] if one[2] == title]
        assert number != "1"
    assert len(said.split()) <= 25


def test_sums_that_differ_or_are_only_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names bits only where they are the same, and a sum that is wrong."""
    settings = {"forget": False, "bag": "matrix", "counts": "count"}
    monkeypatch.setattr(sentences, "setting", settings.get)
    matrix, weight = parse_matrix("2 1"), torch.ones(1, 2)
    result = run(matrix.csr, weight)
    weighted = result.of_routes["weighted_embedding_sum"]

    def said(**changes: Any) -> str:
        routes = result.of_routes | {"weighted_embedding_sum": replace(weighted, **changes)}
        changed = replace(result, of_routes=routes)
        return sentence(fields.OneRow(matrix, 0, {}, weight, matrix.csr, changed))

    assert said().startswith("✓ Both sums are the same, bit for bit. Without the counts, 1 of 1")
    assert said(same_bits=False).startswith("✓ Both sums are the same, within rounding.")
    assert said(wrong=~weighted.wrong) == "≠ The sums differ by more than rounding allows."


def test_a_stored_zero_is_looked_up_and_forgetting_adds_its_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An uploaded matrix may store a count of 0: `indices` has it, so the row is added once."""
    file = BytesIO()
    scipy.sparse.save_npz(file, scipy.sparse.csr_array(([0.0, 1.0], [0, 2], [0, 2]), (1, 3)))
    file.name, file.file_id = "x.npz", "1"  # type: ignore[attr-defined]
    monkeypatch.setattr(widgets, "uploaded", lambda key: [file] * (key == "bag_file"))
    shown = picture(bag="file", linear="5 6 7", forget="true")
    assert [line["looked_up"] for line in shown["lines"]] == [True, False, True]
    assert [line["numbers"][2] for line in shown["lines"]] == [[5], [0], [7]]
    assert shown["sums"] == [[12], [7]]
    assert shown["verdict"].endswith("column 0 has the count 0, but its row was added once.")


def test_the_headline_is_true_in_every_state() -> None:
    """It says what is right, or that forgotten counts are sure to be right only where each is 1."""
    for state in ({}, {"row": "1"}, {"bag": "file"}, {"docs": " "}):
        assert "# A row of counts through `nn.Linear` gives the sum" in told(**state)
        assert "only where each count is 1" in told(**state, forget="true")
    assert "# A row of numbers" in told(counts="tfidf")


def told(**query: str) -> str:
    """The words of a page."""
    return " ".join(one.value for one in open_page("bag_of_words", **query).markdown)


def test_pressed_counts_change_the_row_and_nothing_else() -> None:
    """A link with counts shows them in its row, up and down, any whole number; the words stay."""
    shown = picture(bag_edit="0:0 1:1234567 2:-1", row="1")
    found = [" ".join(one[1:]) for one in shown["counts"]]
    assert found == ["0 and", "1234567 cats", "-1 dogs", "1 like"]
    assert shown["edit"] == [[0, 0], [1, 1234567], [2, -1]]


def test_what_is_not_drawn_is_summed() -> None:
    """The last line of a long row is the sum of all columns that have no line.

    A count that was pressed stays in the row of counts, also where not all have room.
    """
    row = "1 " * 28 + "0 2"
    shown = picture(bag="matrix", x=row, outputs="20", bag_edit="27:1")
    titles = [line.get("title") for line in shown["lines"]]
    assert titles == [*map(str, range(WORDS - 2)), "27", None]
    assert shown["lines"][-1]["omitted"] == f"{31 - WORDS} rows"
    weight = draw_weight(30, 20, 123)[:OUTPUTS]
    sums = weight[:, :28].sum(1) + weight[:, 29] * 2
    of_lines = torch.tensor([line["numbers"][1] for line in shown["lines"]]).sum(0)
    for found in of_lines, *map(torch.tensor, shown["sums"]):
        torch.testing.assert_close(found, sums)
    assert [one[0] for one in shown["counts"]] == [*range(COUNTS - 1), 27]
    assert shown["note"] == f"{COUNTS} of 30 columns."
    shown = picture(bag="matrix", x="1 " * WORDS)
    assert shown["lines"][-1]["title"] == str(WORDS - 1)


@pytest.mark.parametrize(("row", "first"), [(0, 0), (30, 30 - ROWS // 2), (900, 49 - ROWS)])
def test_rows_around_the_chosen_one(row: int, first: int) -> None:
    """The rows around the chosen one are listed, of many; the last one stands in for more."""
    shown = picture(bag="matrix", x="\n".join(f"{k} 1" for k in range(1, 50)), row=str(row))
    assert shown["documents"] == [[k, f"row {k}"] for k in range(first, first + ROWS)]
    assert shown["row"] == min(row, 48)
    assert shown["note"] == f"Row {shown['row']} of 49."


def test_a_forged_press_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row's number and counts are taken; nothing else is, nor an earlier press of the other."""
    found: list[Any] = []
    monkeypatch.setattr(drawing, "go", found.append)
    forged = {"row": -1}, {"row": [1], "bag_edit": None}, {"bag_edit": None}, {"forget": "no"}
    for given in *forged, {"row": 2}, {"bag_edit": "0:2 1:0", "row": 0}, {"forget": True}:
        monkeypatch.setattr(drawing, "widget_value", lambda *_, given=given: given)
        drawing.take_press(next(iter(given)))
    assert found == [{"row": 2}, {"bag_edit": "0:2 1:0"}, {"forget": True}]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"docs": " "}, "No documents were given"),
        ({"linear": "1 nan 2 3"}, "nan"),
        ({"docs": "one two three four five", "linear": "1 2"}, "The weight has shape (1, 2)"),
        ({"bag": "matrix", "x": "1 2\n3"}, "Row 1 has 1 number and"),
        ({"bag_edit": "4:1"}, "Column 4 of edit is not one of 0 to 3"),
        ({"bag_edit": "0:1.5"}, "='0:1.5' is not counts by column, such as 0:3 2:12"),
        ({"bag_edit": "²:1"}, "is not counts by column"),
    ],
    ids=str,
)
def test_what_is_no_bag_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason, and keeps the fields."""
    app = open_page("bag_of_words", **query)
    assert [words in unescaped(one.value) for one in app.error] == [True]
    assert app.text_area(key="linear").value == query.get("linear", "")


def test_before_an_upload_the_page_says_what_to_choose() -> None:
    """It is no mistake yet."""
    app = open_page("bag_of_words", bag="file")
    assert ([*app.error], len(app.info)) == ([], 1)
    assert "Choose a file" in app.info[0].value


@pytest.mark.parametrize(
    ("name", "value", "counts"),
    [
        ("docs", "cats cats cats", "3"),
        ("counts", "tfidf", "0.4980.7080.3540.354"),
        ("row", 1, "0111"),
        ("stop", True, "211"),
        ("bag", "matrix", "1010"),
        ("x", "0 4 4", "044"),
    ],
)
def test_another_row_has_its_own_counts(name: str, value: Any, counts: str) -> None:
    """What gives the row other counts drops the pressed ones; another weight keeps them."""
    source = {"bag": "matrix"} if name == "x" else {}
    app = open_page("bag_of_words", bag_edit="0:3", **source)
    app.number_input(key="outputs").set_value(2).run()
    assert app.query_params["bag_edit"] == "0:3"
    fields = [*app.text_area, *app.selectbox, *app.number_input, *app.toggle, *app.button_group]
    next(one for one in fields if one.key == name).set_value(value).run()
    assert "bag_edit" not in app.query_params
    assert "".join(count for _, count, _ in sent(app, "embviz_bag")[0]["counts"]) == counts


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"docs": "a1 b2", "outputs": "2", "bag_seed": "5"}, draw_weight(2, 2, 5).sum(1)),
        ({"docs": "a1", "linear": " ", "bag_dtype": "float64"}, draw_weight(1, 3, 123).double()),
        ({"linear": "0.1 0 0 0"}, torch.tensor([0.1])),
        ({"linear": "0.1 0 0 0", "bag_dtype": "float64"}, torch.tensor([0.1], dtype=torch.float64)),
    ],
    ids=str,
)
def test_the_weight(query: dict[str, str], expected: torch.Tensor) -> None:
    """The weight is nn.Linear's or a typed one, which has the dtype of the settings."""
    assert picture(**query)["sums"][1] == expected.flatten().tolist()


def test_a_file_of_the_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is used instead of what is typed."""
    weight = BytesIO()
    np.savez(weight, np.array([[1.0, 10.0, 100.0]]))
    weight.name, weight.file_id = "x.npz", "1"  # type: ignore[attr-defined]
    monkeypatch.setattr(widgets, "uploaded", lambda key: [weight] * (key == "linear_file"))
    assert picture(bag="matrix", x="0 2 1", linear="1 1")["sums"] == [[120], [120]]


@pytest.mark.parametrize("fold", [{}, {"routed": "all rows"}], ids=str)
@pytest.mark.parametrize(
    ("query", "module", "reader"),
    [({}, shared_layers, "tie"), ({"linear": "1 2 3 4"}, fields, "parse_weights")],
    ids=str,
)
def test_the_weight_is_read_once(
    query: dict[str, str],
    module: ModuleType,
    reader: str,
    fold: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A press of a count reads and draws nothing anew; what the weight is made of does."""
    shared_layers.kept_layers.cache.clear()  # type: ignore[attr-defined]
    read, calls = getattr(module, reader), list[object]()

    def counted(*given: Any, **named: Any) -> Any:
        calls.append(given)
        return read(*given, **named)

    monkeypatch.setattr(module, reader, counted)
    app = open_page("bag_of_words", **query, **fold)
    for count in range(3):
        app.query_params["bag_edit"] = f"0:{count}"
        app.run()
        assert sent(app, "embviz_bag")[0]["edit"] == [[0, count]]
    assert len(calls) == 1
    app.selectbox(key="bag_dtype").set_value("float64").run()
    assert len(calls) == 2
    app.number_input(key="bag_seed").set_value(5).run()
    app.text_area(key="docs").set_value("one two three").run()
    assert len(calls) == (4 if reader == "tie" else 2)


def test_the_weight_of_a_real_vocabulary() -> None:
    """An own Linear.weight for 20,000 words is typed, with all its digits, and used."""
    weight = np.random.default_rng(0).normal(size=(3, 20_000)).tolist()
    text = "\n".join(" ".join(map(repr, row)) for row in weight)
    app = open_page("bag_of_words", bag="matrix")
    app.text_area(key="linear").set_value(text)
    app.text_area(key="x").set_value("0 " * 19_998 + "1 2").run()
    assert [one.value for one in app.error] == []
    expected = torch.tensor(weight)[:, -2:] @ torch.tensor([1.0, 2.0])
    torch.testing.assert_close(torch.tensor(sent(app, "embviz_bag")[0]["sums"][1]), expected)


def opened(fold: str) -> AppTest:
    """The page with one fold open, as a press opens it."""
    app = open_page("bag_of_words", linear="1 2 3 4\n0 1 0 1")
    app.session_state[f"fold {fold}"] = True
    return app.run()


def test_the_table_of_routes_for_a_row_and_for_all() -> None:
    """It opens by a press or by its link, and names wrong rows; else nothing of it is drawn."""
    assert len(open_page("bag_of_words").table) == 0
    app = opened("More routes: lines that ran")
    assert "`indices = [0, 1, 2, 3]`, `data = [1.0, 2.0, 1.0, 1.0]`" in app.caption[2].value
    lines = app.table[0].value.to_numpy().tolist()
    assert len(lines) == 12
    why = "It multiplies every cell, zeros too. It has the bits of linear(x)."
    assert [*map(unescaped, lines[0])] == ["✓ yes", "`linear(x)`", why, "(1, 2)", "12 3"]
    (forgets,) = (line for line in lines if line[1] == "`embedding(indices).sum(0)`")
    assert (forgets[0], *forgets[3:]) == ("≠ 1 of 1 row wrong", "(2,)", "10 2")
    assert unescaped(forgets[2]).endswith("Off by 2.")
    app = open_page("bag_of_words", routed="all rows", row="1")
    lines = app.table[0].value.to_numpy().tolist()
    assert len(lines) == 9
    assert [one[0] for one in lines if one[1] == "`bag(indices, indptr)`"] == [
        "≠ 1 of 2 rows wrong"
    ]
    assert "2 rows × 4 columns need 64 B as a dense float64 matrix" in unescaped(
        app.caption[2].value
    )


def test_facts_and_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The facts are drawn, a false one says so; the recipe is shown."""
    first, *others = pretrained.facts()
    monkeypatch.setattr(pretrained, "facts", lambda: [replace(first, holds=False), *others])
    words = [one.value for one in opened("Four traps of from_pretrained").markdown]
    assert sum("does not hold on the PyTorch installed here" in one for one in words) == 1
    assert opened("Batches: getrow, DataLoader").code[0].value.strip() == RECIPE.strip()


def test_all_rows_are_computed_once_for_what_they_are_made_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also while counts are pressed: only another row, count or weight computes them again."""
    calls = list[object]()

    def counted(*given: Any) -> Any:
        calls.append(given)
        return run(*given)

    monkeypatch.setattr("embviz.bag.page.sections.run", counted)
    app = open_page("bag_of_words", routed="all rows", bag_edit="0:3", docs="a cat\ncat dog")
    for changes, computed in (
        ({}, 1),
        ({"forget": "true"}, 1),
        ({"bag_edit": "0:4"}, 2),
        ({"row": "1"}, 3),
        ({"linear": "1 2"}, 4),
        ({}, 4),
    ):
        for name, value in changes.items():
            app.query_params[name] = value
        app.run()
        assert len(calls) == computed, changes


def test_a_pasted_table_says_what_was_taken() -> None:
    """The sentence has a press that takes it the other way, for the matrix and for the weight."""
    table = "0,1\n0.5,0.25\n1.5,2.5"
    app = open_page("bag_of_words", bag="matrix", x=table, linear=table)
    for header in ("x_header", "linear_header"):
        said = "The first line, '0,1', may count the columns: it is left out."
        assert sum(unescaped(one.value).count(said) for one in app.markdown) == 2
        app.button(key=f"taken {header}").click().run()
        assert app.query_params[header] == "no"
        said = "The first line, '0,1', may count the columns: it is read as numbers."
        assert sum(unescaped(one.value).count(said) for one in app.markdown) == 1
        app.button(key=f"taken {header}").click().run()
        assert app.query_params[header] == "yes"
    assert len(sent(app, "embviz_bag")[0]["documents"]) == 2
