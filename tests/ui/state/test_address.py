"""The address is the only state of the settings: taken in each whole run, written by a change."""

import random
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from embviz.live.answer import answer_json
from embviz.settings.given import base, defaults
from embviz.settings.kinds import MAX_URL_TEXT_BYTES, Choices
from embviz.settings.model_settings import MODEL, PLACE
from embviz.settings.pages import PAGES, SETTINGS
from embviz.settings.worlds import EXAMPLE
from embviz.text.markdown import literal
from embviz.ui.state import address, changes
from tests.ui.headless import ROOT, answer, open_page, press, sent, unescaped

HOSTILE = [
    "", "foo", "nan", "inf", "-1", "1e3", "9" * 30, "٣", "<b>x</b>", "[[[[", "$x$ :red[y] `z`",
    "a\x00b\u202ec",
]  # fmt: skip


def at(app: AppTest, page: str = "", **query: str) -> AppTest:
    """Another address, as a link, Back or Forward bring it."""
    app.query_params.clear()
    app.query_params.update(query)
    return (app.switch_page(str(ROOT / "pages" / f"{page}.py")) if page else app).run()


def go_to(app: AppTest, page: str) -> dict[str, str]:
    """Follow the link to a page; the settings that it brings."""
    label = PAGES[page].title
    found = next(one for one in app.get("page_link") if one.proto.label == label)
    at(app, page, **dict(parse_qsl(found.proto.query_string, keep_blank_values=True)))
    return dict(app.query_params)


def put(app: AppTest, value: object, key: str = "text", kind: str = "text_input") -> dict[str, str]:
    """Change a setting; a whole run follows, as a run of the body holds its elements alone."""
    getattr(app, kind)(key=key).set_value(value).run()
    query = dict(app.query_params)
    app.run()
    assert app.query_params == query
    return query


def number(app: AppTest, key: str, value: int) -> dict[str, str]:
    """Change a number; the address."""
    return put(app, value, key, "number_input")


LETTERS = {"world": "letters"}


def moved(app: AppTest) -> str:
    """The line that says what became of world or text."""
    return str(sent(app, "embviz_stage")[0]["moved"])


def shown_as(app: AppTest) -> str | None:
    """The pressed world."""
    found: str | None = app.session_state["world"]
    return found


def text(app: AppTest) -> str | None:
    """The text in the field."""
    return app.text_input(key="text").value


def model(app: AppTest) -> dict[str, Any]:
    """The settings of the model that the picture's answer is for."""
    shown = answer(app)
    asked = {name: one for name, one in shown["question"].items() if name not in PLACE}
    found = defaults() | base(asked, example=False) | asked
    assert shown["dims"] == found["dim"]
    return found


def test_a_change_writes_the_address_and_the_address_wins() -> None:
    """A default is left out; what another widget has stays; Back brings all of an address."""
    app = open_page(dim="8", seed="5")
    assert number(app, "dim", 4) == {"dim": "4", "seed": "5"}
    assert number(app, "seed", 123) == {"dim": "4"}
    at(app, text="xy")
    assert (app.number_input(key="dim").value, text(app)) == (10, "xy")


def test_the_bare_address_is_the_example_with_what_is_changed_on_it() -> None:
    """Its values are usual there: the address names what differs, and other pages get that."""
    app = open_page()
    assert model(app) == defaults() | EXAMPLE | LETTERS
    assert (text(app), app.selectbox(key="vocab").value) == ("cab", "custom")
    for value, query in ((4, {"dim": "4"}), (10, {"dim": "10"}), (3, {})):
        assert number(app, "dim", value) == query
        assert model(app) == defaults() | EXAMPLE | LETTERS | {"dim": value}
        assert app.number_input(key="dim").value == value
    assert go_to(app, "training") == {}


@pytest.mark.parametrize("typed", ["abc", "cab", "dad", ""])
def test_what_six_letters_can_spell_keeps_the_small_table(typed: str) -> None:
    """What was changed stays; other pages get it; Back returns to the bare address."""
    app = open_page(seed="5")
    number(app, "dim", 10)
    if typed == "cab":  # the field has it
        put(app, "a")
    wanted = {"text": typed, "seed": "5", "dim": "10", "world": "letters"}
    assert put(app, typed) == wanted
    assert (
        model(app)
        == defaults() | EXAMPLE | LETTERS | {"text": typed, "seed": 5, "dim": 10} | LETTERS
    )
    assert go_to(app, "training") == go_to(app, "playground") == wanted
    at(app, "playground")
    assert model(app) == defaults() | EXAMPLE | LETTERS
    assert (text(app), app.number_input(key="dim").value) == ("cab", 3)


@pytest.mark.parametrize("typed", ["hello", SETTINGS["text"].default, "Cab"])
def test_a_foreign_letter_leads_to_characters_and_one_line_says_so(typed: str) -> None:
    """The line is there until the next change; with a vocabulary of one's own it is `<unk>`."""
    app = open_page(text="bad", world="letters", seed="5")
    assert put(app, typed) == {"text": typed, "seed": "5"}
    assert model(app) == defaults() | {"text": typed, "seed": 5}
    assert "none of the six letters" in moved(app)
    number(app, "dim", 4)
    assert moved(app) == ""
    at(app, text="bad", world="letters", chars="abd")
    assert put(app, typed)["world"] == "letters"
    assert (answer(app)["rows"], moved(app)) == (4, "")


def test_a_world_is_one_press_and_keeps_the_text_where_it_fits() -> None:
    """Each has its table and its address; a press of the one that is shown changes nothing."""
    app = open_page()
    assert shown_as(app) == "letters"
    assert put(app, "characters", "world", "segmented_control") == {"text": "cab"}
    assert (model(app), shown_as(app)) == (defaults() | {"text": "cab"}, "characters")
    assert put(app, "letters", "world", "segmented_control") == {"text": "cab", "world": "letters"}
    assert (answer(app)["rows"], moved(app)) == (6, "")
    at(app, text="hello", vocab="bytes", seed="5", dim="4", token="3")
    assert shown_as(app) is None
    assert put(app, "letters", "world", "segmented_control") == {
        "text": "cab", "world": "letters", "seed": "5",
    }  # fmt: skip
    assert "has no row for 'hello'" in moved(app)
    app = open_page(world="characters")  # without it the address would be that of six letters
    number(app, "dim", 4)
    assert app.query_params == {"dim": "4", "world": "characters"}
    assert (shown_as(app), answer(app)["rows"]) == ("characters", 100)
    app = open_page(world="nowhere")
    assert any("'nowhere'" in unescaped(one.value) for one in app.warning)


def test_ids_have_the_usual_table() -> None:
    """Not that of six letters."""
    app = open_page()
    assert put(app, "ids", "input", "segmented_control") == {"input": "ids"}
    assert app.number_input(key="rows").value == 100


def test_links_carry_what_each_page_reads() -> None:
    """Settings of the model go along, through pages without them; a page's own come back.

    Training has the six letters too while nothing is typed.
    """
    app = open_page("training", lesson="step", dim="8")
    assert text(app) == "cab"
    assert go_to(app, "playground") == {"dim": "8"}
    assert model(app) == defaults() | EXAMPLE | LETTERS | {"dim": 8}
    at(app, text="abc", dim="8", token="2")
    assert go_to(app, "limits") == {}
    at(app, "limits", find="padding")
    assert go_to(app, "training") == {"text": "abc", "dim": "8", "token": "2"}
    number(app, "dim", 3)
    assert go_to(app, "limits") == {"find": "padding"}
    assert go_to(app, "playground") == {"text": "abc", "dim": "3", "token": "2"}


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ({}, EXAMPLE | LETTERS),
        ({"text": "abc"}, {"text": "abc"}),
        ({"input": "ids", "ids": "1 2"}, {"input": "ids", "ids": "1 2"}),
    ],
)
def test_reset_keeps_what_is_typed_and_other_pages(
    typed: dict[str, str], shown: dict[str, Any]
) -> None:
    """Every other setting of the page is as usual; on the example that is the example."""
    app = open_page("timing", vary="dim")
    at(app, "playground", **typed, dim="5", vocab="digits", init="zeros", dtype="float64")
    press(app, "Reset settings")
    assert app.query_params == typed
    assert model(app) == defaults(MODEL) | shown
    more = next(one for one in app.expander if one.label == "More")
    assert more.proto.expanded == ("input" in typed)
    assert go_to(app, "timing") == {"vary": "dim"}


@pytest.mark.parametrize(
    ("page", "seconds", "walks", "wanted"),
    [
        ("training", 60.0, False, "new"),
        ("training", 60.0, True, "old"),
        ("training", -1.0, False, "old"),
        ("playground", 60.0, False, "old"),
    ],
)
def test_a_link_drawn_before_the_last_change_takes_the_change_along(
    page: str, seconds: float, walks: bool, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A click may come before the links are drawn again; later, and with Back, it is an entry.

    The page shown is as its address says.
    """
    monkeypatch.setattr(changes, "OLD_LINK_S", seconds)
    app = open_page(text="old")
    put(app, "new")
    if walks:
        monkeypatch.setattr(address, "is_back_or_forward", lambda: True)
    at(app, page, text="old")
    assert (text(app), app.query_params) == (wanted, {"text": wanted})


def test_a_text_too_long_for_an_address_stays_in_the_session() -> None:
    """The address has a mark; the page says so; Back and Forward lose nothing; others are told."""
    long = "h" * MAX_URL_TEXT_BYTES
    app = open_page()
    assert put(app, long) == {"text": long}
    mark = put(app, long + "b")
    assert [*mark] == ["text_kept"]
    assert any("too long" in one.value for one in app.warning)
    assert text(at(app, text="short")) == "short"
    assert not app.warning
    assert text(at(app, **mark)) == long + "b"
    other = open_page(**mark)
    assert text(other) == EXAMPLE["text"]
    assert any("too long" in one.value for one in other.warning)


@pytest.mark.parametrize(("shown", "dim"), [({"text": "a"}, 10), ({}, 3)])
def test_a_bad_value_gives_the_default_and_one_note_until_the_next_change(
    shown: dict[str, str], dim: int
) -> None:
    """The note quotes it; the bad value leaves the address with the next change."""
    app = open_page(dim="inf", seed="4", **shown)
    assert app.number_input(key="dim").value == dim
    (note,) = (unescaped(one.value) for one in app.warning)
    assert "dim='inf'" in note
    assert note.endswith("; it is left out.")
    app.number_input(key="seed").set_value(5).run()
    assert (app.query_params, len(app.warning)) == ({"seed": "5"} | shown, 0)


def test_a_link_that_was_escaped_twice_has_its_settings() -> None:
    """`&amp;` in the place of `&`; the next change writes a clean address."""
    app = open_page(text="ab", **{"amp;dim": "4", "amp;amp;seed": "7"})
    assert (app.number_input(key="dim").value, app.number_input(key="seed").value) == (4, 7)
    assert number(app, "seed", 8) == {"text": "ab", "dim": "4", "seed": "8"}
    printed = answer_json({"text": "ab", "dim": "4"})
    assert answer_json({"text": "ab", "amp;dim": "4"}) == printed


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("good", [0, 20])
def test_a_hostile_address_is_refused_in_notes(page: str, good: int) -> None:
    """No address raises, and each bad value that the page reads is quoted; good ones open more."""
    chance = random.Random(page)  # noqa: S311 - to repeat, not to hide
    query: dict[str, Any] = {}
    for name, one in SETTINGS.items():
        several = [["64", "1"], ["foo"]] * isinstance(one, Choices)
        query[name] = chance.choice([*HOSTILE, *several, *(one.options() * good)])
    app = open_page(page, **query)
    notes = " ".join(warning.value for warning in app.warning)
    for name in PAGES[page].reads:
        try:
            SETTINGS[name].read(query[name])
        except ValueError as error:
            assert literal(str(error).removesuffix(".")) in notes  # noqa: PT017 - some are refused, some are not


def test_what_a_change_ends_has_its_default_unless_it_is_changed_too() -> None:
    """An opened case ends with another search, but not where a link names both."""
    changed = [address.with_ends(one) for one in ({"find": "a"}, {"find": "a", "case": "bias"})]
    assert changed == [{"find": "a", "case": "none"}, {"find": "a", "case": "bias"}]
