"""The field of rows shows those of the picture, and cannot be set below its vocabulary."""

from base64 import b64decode
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.fact.tokenizers import VOCABULARIES, vocabulary
from tests.ui.headless import answer, answers, open_page, value


def field(app: AppTest) -> Any:
    """The field `num_embeddings`."""
    return app.number_input(key="rows")


@pytest.mark.parametrize(
    ("query", "least", "said"),
    [
        ({}, 6, "A row for each of 6 characters of `custom`."),
        ({"text": "hello"}, 100, "A row for each of 100 characters of `printable`."),
        ({"text": "hello", "vocab": "bytes"}, 256, "A row for each of 256 bytes of `bytes`."),
        ({"text": "7a", "vocab": "digits"}, 11, ", and one for all others: `<unk>`."),
        ({"chars": "cab"}, 3, "A row for each of 3 characters of `custom`."),
        (
            {"text": "a", "vocab": "digits", "rows": "100"},
            11,
            "A row for each of 10 characters of `digits`, and one for all others: `<unk>`.",
        ),
        ({"input": "ids", "ids": "99", "vocab": "digits"}, 1, ""),
        ({"text": "é"}, 101, ", and one for all others: `<unk>`."),
        (
            {"text": "é", "unknown": "error"},
            100,
            "A row for each of 100 characters of `printable`.",
        ),
        ({"input": "ids", "ids": "0 1", "rows": "3"}, 1, ""),
    ],
    ids=str,
)
def test_it_shows_the_rows_of_the_picture(query: dict[str, str], least: int, said: str) -> None:
    """Where the vocabulary decides them, it says so."""
    app = open_page(**query)
    drawn = answer(app)
    if "refusal" not in drawn:
        assert drawn["rows"] == field(app).value
    assert field(app).min == least
    assert field(app).value >= least
    notes = [one.value for one in app.sidebar.caption if "training?lesson=size" not in one.value]
    assert said in "".join(notes)
    assert bool(said) == bool(notes)


def test_it_follows_what_is_typed_and_keeps_what_is_asked_for() -> None:
    """`<unk>` is one row more while it is needed, in the same rerun as the text."""
    app = open_page(text="e", rows="150")
    for text, rows in (("é", 151), ("e", 150), ("ée", 151)):
        app.text_input(key="text").set_value(text).run()
        assert field(app).value == answer(app)["rows"] == rows
    field(app).set_value(160).run()  # draws all but the sidebar
    assert answer(app)["rows"] == 160
    assert value(app, "rows") == 159
    assert field(app.run()).value == 160
    app.selectbox(key="vocab").set_value("bytes").run()
    assert field(app).value == answer(app)["rows"] == 256
    assert value(app, "rows") == 159


@pytest.mark.parametrize("name", [name for name in VOCABULARIES if name != "custom"])
def test_a_vocabulary_decides_its_rows_until_others_are_chosen(name: str) -> None:
    """Each row has a token then. Rows that were chosen stay in the address, 100 too."""
    app = open_page(text="a", vocab=name)
    known = vocabulary({"vocab": name, "merges": 2_000})
    unk, size = len(known.unknown("a")), len(known)
    assert field(app).value == answer(app)["rows"] == size + unk
    assert "rows" not in app.query_params
    wanted = max(size, 100) + unk
    field(app).set_value(wanted).run()
    assert answer(app)["rows"] == wanted
    if size < 100:
        assert app.query_params["rows"] == "100"
        assert answer(open_page(text="a", vocab=name, rows="100"))["rows"] == wanted


@pytest.mark.parametrize("page", ["playground", "training", "context"])
def test_a_vocabulary_of_learnt_rows_says_that_others_are_random(page: str) -> None:
    """One press takes the learnt rows; the text stays."""
    app = open_page(page, text="king xyz", vocab="words")
    (press,) = (one for one in app.sidebar.button if "learnt" in one.label)
    assert press.label == "Take the learnt table, 2,801 × 384"
    said = " ".join(one.value for one in app.sidebar.caption)
    assert "These rows are random." in said
    assert "2,801 rows of 384 numbers, the last row for `<unk>`" in said
    press.click().run()
    assert app.query_params == {"text": "king xyz", "vocab": "words", "init": "trained"}
    assert field(app).value == 2801
    assert not [one for one in app.sidebar.button if "learnt" in one.label]


def test_what_is_being_typed_stays() -> None:
    """A run that changes nothing writes nothing into the field, also where `<unk>` is counted."""
    app = open_page(text="é")
    assert field(app.run()).value == 101
    assert not field(app).proto.set_value


def test_the_second_text_counts_where_it_is_looked_up() -> None:
    """An unknown letter of it is `<unk>` as one of the first text is, and changes no other row."""
    plain, given = (
        answers(open_page("context", text="bank", edit=one)) for one in ("bbnk", "bänk")
    )
    assert given[0]["ids"] == [11, 10, 23, 20, 11, 100, 23, 20]
    first, second = (b64decode(shown[0]["bands"][0]["values"])[:160] for shown in (given, plain))
    assert first == second  # 4 tokens of the first text, 10 numbers each
    for chapter, rows in (("static", 101), ("contextual", 100)):
        app = open_page("context", text="bank", edit="bänk", chapter=chapter)
        assert field(app).value == rows
    app = open_page("context", text="bank")
    app.text_input(key="edit").set_value("bänk").run()
    assert field(app).value == 101
