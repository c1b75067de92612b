"""The bag page, headless: it draws what the room answers, keeps what is pressed, and refuses."""

import re
from dataclasses import replace
from io import BytesIO
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse
import torch

from embviz.bag import pretrained
from embviz.bag.matrix import parse_matrix
from embviz.bag.page import fields, sections, sentences
from embviz.bag.page import picture as drawing
from embviz.bag.page.picture import COUNTS, OUTPUTS, ROWS, WORDS
from embviz.bag.recipe import RECIPE
from embviz.bag.routes import ROUTES, run
from embviz.bag.weight import draw_weight
from embviz.fact import shared_layers
from embviz.ui.elements import widgets
from tests.ui.headless import open_page, refused, sent, unescaped

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
    names = "shape", "scale", "origin", "sums", "wrong", "alike", "said", "codes"
    usual = [[3, 2], 7, "as you typed it"]
    shown = picture(**DOCS)
    assert [[*line.values()] for line in shown["lines"]] == [
        ["cats", "0", "2", True, [[1, 0], [2, 0], [2, 0]]],
        ["dogs", "1", "0", False, [[2, 5], [0, 0], [0, 0]]],
        ["like", "2", "1", True, [[3, 7], [3, 7], [3, 7]]],
    ]
    assert shown["counts"] == [[0, "2", "cats"], [1, "0", "dogs"], [2, "1", "like"]]
    assert shown["documents"] == [[0, "cats like cats I"], [1, "(empty)"], [2, "like dogs"]]
    same = [[[5, 7], [5, 7]], [False, False], True, "identical:\n2 of 2"]
    assert [shown[name] for name in names] == [*usual, *same, [ROUTES[5].code, "linear(x)"]]
    shown = picture(**DOCS, forget="true")
    assert [line["numbers"][2] for line in shown["lines"]] == [[1, 0], [0, 0], [3, 7]]
    wrong = [[[4, 7], [5, 7]], [True, False], False, "equal:\n1 of 2"]
    assert [shown[name] for name in names] == [*usual, *wrong, [ROUTES[4].code, "linear(x)"]]
    lines = picture(bag="matrix", x="123456 0.12345")["lines"]
    assert [[*one.values()][:3] for one in lines] == [["0", "", "123456"], ["1", "", "0.123"]]


def test_one_scale_of_colours_and_as_many_lines_for_every_document() -> None:
    """Another document of the same words moves and tints nothing anew."""
    docs = "no no no\n\n" + " ".join(f"w{k}" for k in range(20))
    for row, factor in enumerate(["0", "0", "…"]):
        shown = picture(docs=docs, row=str(row))
        assert shown["scale"] == draw_weight(21, 3, 123).abs().max().item()
        assert shown["origin"] == "random (seed 123): nothing is learnt yet"
        assert [len(shown[name]) for name in ("lines", "counts")] == [WORDS, COUNTS]
        assert shown["lines"][-1]["omitted"] == f"{21 - WORDS + 1} rows"
        assert shown["lines"][-1]["factor"] == factor
    twice = " ".join(f"w{k} w{k}" for k in range(20))
    for forget, factor_added in (("false", 2), ("true", 1)):
        values, products, added = picture(docs=twice, forget=forget)["lines"][-1]["numbers"]
        assert products == pytest.approx([2 * value for value in values])
        assert added == pytest.approx([factor_added * value for value in values])


def test_what_the_vectorizer_drops_or_folds_is_said() -> None:
    """Each word with the reason; of documents without any the note has no place."""
    note = picture(**DOCS)["note"]
    assert note == "Left out: i (one letter). Capital letters are read as small ones."
    assert picture(**DOCS, row="2")["note"] == ""
    assert picture()["note"] is None
    note = picture(docs="the so 😀\u200d glad", stop="true")["note"]
    assert note == (
        "Left out: the (stop word), so (stop word), '😀', zero width joiner (U+200D) (no letter or "
        "digit)."
    )


@pytest.mark.parametrize(
    ("document", "cut"),
    [
        ("\u0643\u0650\u062a\u064e\u0627\u0628\u064c", "'\u2068\u0627\u0628\u2069'"),
        ("\u0642\u064e\u0645\u064e\u0631\u064c two", "nothing"),
        ("\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", "'\u2068\u05dc\u05d5\u2069'"),
        ("re\u0301sume\u0301s here", "'re', 'sume'"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940 two", "nothing"),
    ],
)
def test_a_word_that_is_cut_at_a_mark_says_so(document: str, cut: str) -> None:
    """At vowel signs and at accents that are characters of their own, but not at its last mark."""
    whole = "\u0643\u062a\u0627\u0628\u064c \u00e9t\u00e9 plain"
    note = picture(docs=f"{document}\n{whole}")["note"]
    assert note.startswith("A mark on a letter, such as a vowel sign, ends a word: from '")
    assert f"it takes {cut}. " in note
    assert "A mark" not in picture(docs=f"{whole}\n{document}")["note"]


def test_a_text_whose_words_are_all_cut_is_refused_with_the_reason() -> None:
    """Else a word of three letters would seem to have too few."""
    (said,) = refused(open_page("bag_of_words", docs="\u0642\u064e\u0645\u064e\u0631\u064c"))
    assert "has no word." in said
    assert "ends a word" in said


STATES: list[dict[str, str]] = [
    {},
    {"docs": "cats cats\n\ndogs", "row": "1"},
    {"counts": "tfidf"},
    {"linear": "0 0 0 0"},
    {"linear": "1 2 3 4\n0 0 1 1", "bag_edit": "1:-3"},
    {"bag": "matrix", "row": "1"},
    {"bag": "matrix", "x": "0.5 2 0", "bag_dtype": "float64"},
]


@pytest.mark.parametrize("forget", ["false", "true"])
@pytest.mark.parametrize("state", STATES, ids=str)
def test_the_sentences_are_true_in_every_state(state: dict[str, str], forget: str) -> None:
    """They say "the same", "wrong", "by chance" and "each is 0 or 1" where PyTorch says so."""
    app = open_page("bag_of_words", **state, forget=forget)
    (shown,) = sent(app, "embviz_bag")
    noun = "number" if "counts" in state else "count"
    head = (
        f"A row of {noun}s"
        if forget == "false"
        else f"sure to be right only where each {noun} is 1"
    )
    assert any(one.value.startswith("# ") and head in one.value for one in app.markdown)
    said, counts = shown["verdict"], np.array([float(one[1]) for one in shown["counts"]])
    table = torch.tensor([line["numbers"][0] for line in shown["lines"]], dtype=torch.float64)
    right = torch.tensor(shown["sums"][1], dtype=torch.float64)
    wrong = ~torch.isclose(table[counts != 0].sum(0), right, rtol=0, atol=1e-6)
    is_wrong, all_one = bool(wrong.any()), bool((counts[counts != 0] == 1).all())
    is_right = forget == "false" or not is_wrong
    assert (said[0], shown["alike"]) == ("✓" if is_right else "≠", is_right)
    assert ("both sums are 0" in said) is not counts.any()
    if not counts.any():
        return
    assert (" is 0 or 1" in said) is all_one
    assert ("chance" in said) is (not is_wrong and not all_one)
    assert (f"{int(wrong.sum())} of {len(wrong)} numbers" in said) is is_wrong
    if "bit for bit" in said:
        assert shown["sums"][0] == shown["sums"][1]
    if found := re.search(rf"(?:: )([\w ]+) has the {noun} (\S+), but its row was added", said):
        title, number = found[1].removeprefix("column "), found[2].replace("−", "-")
        assert [number] == [one[1] for one in shown["counts"] if one[2] == title]
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
        return sentences.sentence(fields.OneRow(matrix, 0, {}, weight, matrix.csr, changed))

    assert said().startswith("✓ Both sums are the same, bit for bit. Without the counts, 1 of 1")
    apart = said(same_bits=False, output=weighted.output + 2**-10)
    assert "the same, within rounding: they differ by up to 0.000977." in apart
    other_zero = said(same_bits=False)
    assert other_zero.startswith("✓ Both sums are the same, but for the sign of a 0.")
    assert sentences.short("x" * 21) == f"{'x' * 19}…"
    assert said(wrong=~weighted.wrong) == "≠ The sums differ by more than rounding allows."


def uploaded(monkeypatch: pytest.MonkeyPatch, key: str, save: Any, content: Any) -> None:
    """The page has this file in one of its two uploaders."""
    file = BytesIO()
    save(file, content)
    file.name = "x.npz"  # type: ignore[attr-defined]
    monkeypatch.setattr(widgets, "uploaded", lambda of: [file] * (of == key))


def test_uploads_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """An uploaded matrix may store a 0: `indices` has it, so forgetting adds its row.

    A file of the weight is used instead of what is typed. Before an upload nothing is wrong.
    """
    app = open_page("bag_of_words", bag="file")
    assert [one.value.partition(":")[0] for one in [*app.error, *app.info]] == [
        "Choose a file of counts"
    ]
    stored = scipy.sparse.csr_array(([0.0, 1.0], [0, 2], [0, 2]), (1, 3))
    uploaded(monkeypatch, "bag_file", scipy.sparse.save_npz, stored)
    shown = picture(bag="file", linear="5 6 7", forget="true")
    assert [line["looked_up"] for line in shown["lines"]] == [True, False, True]
    assert [line["numbers"][2] for line in shown["lines"]] == [[5], [0], [7]]
    assert shown["sums"] == [[12], [7]]
    assert shown["verdict"].endswith("column 0 has the count 0, but its row was added once.")
    uploaded(monkeypatch, "linear_file", np.savez, np.array([[1.0, 10.0, 100.0]]))
    shown = picture(bag="matrix", x="0 2 1", linear="1 1")
    assert [shown["sums"], shown["origin"]] == [[[120], [120]], "from your file"]


def test_what_is_not_drawn_is_summed() -> None:
    """The last line of a long row is the sum of all columns that have no line.

    Counts that were pressed are drawn, up and down; of many rows those around the chosen one.
    """
    shown = picture(bag_edit="0:0 1:1234567 2:-1", row="1")
    found = [" ".join(one[1:]) for one in shown["counts"]]
    assert found == ["0 and", "1234567 cats", "-1 dogs", "1 like"]
    assert shown["edit"] == [[0, 0], [1, 1234567], [2, -1]]
    shown = picture(bag="matrix", x="1 " * 28 + "0 2", outputs="20", bag_edit="27:1")
    titles = [line.get("title", line.get("omitted")) for line in shown["lines"]]
    assert titles == [*map(str, range(WORDS - 2)), "27", f"{31 - WORDS} rows"]
    weight = draw_weight(30, 20, 123)[:OUTPUTS]
    sums = weight[:, :28].sum(1) + weight[:, 29] * 2
    of_lines = [line["numbers"][1] for line in shown["lines"]]
    torch.testing.assert_close(torch.tensor(of_lines).sum(0), sums)
    torch.testing.assert_close(torch.tensor(shown["sums"][0]), sums)
    assert [one[0] for one in shown["counts"]] == [*range(COUNTS - 1), 27]
    assert shown["note"] == f"{COUNTS} of 30 columns."
    assert picture(bag="matrix", x="1 " * WORDS)["lines"][-1]["title"] == str(WORDS - 1)
    many = {"bag": "matrix", "x": "\n".join(f"{k} 1" for k in range(1, 50))}
    for row, first in ((0, 0), (30, 30 - ROWS // 2), (900, 49 - ROWS)):
        shown = picture(**many, row=str(row))
        assert shown["documents"] == [[k, f"row {k}"] for k in range(first, first + ROWS)]
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
        ({"linear": "1 2"}, "The weight has shape (1, 2)"),
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


def test_another_row_has_its_own_counts() -> None:
    """What gives the row other counts drops the pressed ones; another weight keeps them."""
    app = open_page("bag_of_words")
    for name, value, counts in (
        ("row", 1, "0111"),
        ("counts", "tfidf", "00.5770.5770.577"),
        ("stop", True, "0.5770.5770.577"),
        ("docs", "cats cats", "1"),
        ("bag", "matrix", "0011"),
    ):
        app.query_params["bag_edit"] = "0:3"
        app.run().number_input(key="outputs").set_value(len(name)).run()
        assert app.query_params["bag_edit"] == "0:3"
        found = [*app.text_area, *app.selectbox, *app.number_input, *app.toggle, *app.button_group]
        next(one for one in found if one.key == name).set_value(value).run()
        assert "bag_edit" not in app.query_params
        assert "".join(count for _, count, _ in sent(app, "embviz_bag")[0]["counts"]) == counts


def test_the_weight_is_drawn_or_typed_in_the_dtype_of_the_settings() -> None:
    """Drawn, it has the numbers of nn.Linear."""
    shown = picture(docs="a1 b2", outputs="2", bag_seed="5", bag_dtype="float64")
    assert shown["sums"][1] == draw_weight(2, 2, 5).double().sum(1).tolist()
    for name, number in (("float32", torch.tensor(0.1).item()), ("float64", 0.1)):
        assert picture(linear="0.1 0 0 0", bag_dtype=name)["sums"][1] == [number]


@pytest.mark.parametrize(
    ("query", "maker", "kept", "changed"),
    [
        ({}, (shared_layers, "tie"), "bag_edit=0:1", "bag_seed=5"),
        ({"linear": "1 2 3 4"}, (fields, "parse_weights"), "bag_edit=0:1", "linear=4 3 2 1"),
        ({"routed": "all rows"}, (sections, "run"), "forget=true", "bag_edit=0:1"),
        ({"routed": "all rows"}, (sections, "run"), "forget=true", "row=1"),
    ],
    ids=str,
)
def test_what_is_made_once_is_kept(
    query: dict[str, str], maker: Any, kept: str, changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A press of a count reads and draws no weight anew; what it is made of does."""
    shared_layers.kept_layers.cache.clear()  # type: ignore[attr-defined]
    made = Mock(wraps=getattr(*maker))
    monkeypatch.setattr(*maker, made)
    app = open_page("bag_of_words", **query)
    for change, count in ((kept, 1), (changed, 2)):
        name, _, value = change.partition("=")
        app.query_params[name] = value
        app.run()
        assert made.call_count == count


def opened(fold: str) -> Any:
    """The page with one fold open, as a press opens it."""
    app = open_page("bag_of_words", linear="1 2 3 4\n0 1 0 1")
    app.session_state[f"fold {fold}"] = True
    return app.run()


def test_the_table_of_routes_for_a_row_and_for_all() -> None:
    """It opens by a press or by its link, and names wrong rows; else nothing of it is drawn."""
    assert len(open_page("bag_of_words").table) == 0
    app = opened("More routes: lines that ran")
    assert "`indices = [0, 1, 2, 3]`, `data = [1.0, 2.0, 1.0, 1.0]`" in app.caption[2].value
    lines = [[*map(unescaped, line)] for line in app.table[0].value.to_numpy()]
    assert len(lines) == 12
    why = "It multiplies every cell, zeros too. It has the bits of linear(x)."
    assert lines[0] == ["✓ yes", "`linear(x)`", why, "(1, 2)", "12 3"]
    forgets, line, why, shape, numbers = lines[4]
    assert [forgets, line] == ["≠ 1 of 1 row wrong", "`embedding(indices).sum(0)`"]
    assert [why.endswith("Off by 2."), shape, numbers] == [True, "(2,)", "10 2"]
    app = open_page("bag_of_words", routed="all rows", row="1")
    lines = app.table[0].value.to_numpy().tolist()
    assert [len(lines), lines[4][:2]] == [9, ["≠ 1 of 2 rows wrong", "`bag(indices, indptr)`"]]
    need = "2 rows × 4 columns need 64 B as a dense float64 matrix, and 96 B as CSR."
    assert need in unescaped(app.caption[2].value)


def test_facts_and_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The facts are drawn, a false one says so; the recipe is shown."""
    first, *others = pretrained.TRAPS
    codes = [f"{one.code}\n{one.look}" for one in pretrained.TRAPS]
    monkeypatch.setattr(pretrained, "TRAPS", [replace(first, right="7"), *others])
    app = opened("Four traps of from_pretrained")
    assert {one.value for one in app.code} == {pretrained.RIGHT, *codes}
    words = [one.value for one in app.markdown]
    assert sum("does not hold on the PyTorch installed here" in one for one in words) == 1
    assert opened("Batches: getrow, DataLoader").code[0].value.strip() == RECIPE.strip()


def test_a_pasted_table_says_what_was_taken() -> None:
    """The sentence has a press that takes it the other way, for the matrix and for the weight."""
    table = "0,1\n0.5,0.25\n1.5,2.5"
    app = open_page("bag_of_words", bag="matrix", x=table, linear=table)
    said = "The first line, '0,1', may count the columns: it is "
    for header in ("x_header", "linear_header"):
        for taken, words, count in (("no", "left out.", 2), ("yes", "read as numbers.", 1)):
            assert sum(unescaped(one.value).count(said + words) for one in app.markdown) == count
            app.button(key=f"taken {header}").click().run()
            assert app.query_params[header] == taken
    assert len(sent(app, "embviz_bag")[0]["documents"]) == 2
