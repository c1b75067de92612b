"""The address is the only state of the settings: taken in each whole run, written by a change."""

import random
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from embviz.request.live import PARTS
from embviz.request.markdown import literal
from embviz.request.pages import PAGES
from embviz.request.settings import MAX_URL_TEXT_BYTES, SETTINGS, Choices
from embviz.ui.state import session
from tests.ui.headless import ROOT, open_page

HOSTILE = [
    "", "foo", "nan", "inf", "-1", "1e3", "9" * 30, "٣", "<b>x</b>", "[[[[", "$x$ :red[y] `z`",
    "a\x00b\u202ec",
]  # fmt: skip


def go_to(app: AppTest, page: str) -> AppTest:
    """Follow the link to a page, which has its settings."""
    label = PAGES[page].title
    (link,) = [one for one in app.get("page_link") if one.proto.label == label][:1]
    query = dict(one.split("=") for one in link.proto.query_string.split("&") if one)
    app.query_params.clear()
    app.query_params.update(query)
    return app.switch_page(str(ROOT / "pages" / f"{page}.py")).run()


def test_a_change_writes_the_address_and_a_default_leaves_it() -> None:
    """What is at its default is left out; what another widget has stays."""
    app = open_page(dim="8", seed="5")
    app.number_input(key="dim").set_value(4).run()
    assert app.query_params == {"dim": "4", "seed": "5"}
    app.run()
    app.number_input(key="seed").set_value(123).run()
    assert app.query_params == {"dim": "4"}


def test_the_address_wins_in_every_run() -> None:
    """Back brings another address: widgets show it, a missing setting is the default."""
    app = open_page(dim="8", text="abc")
    app.number_input(key="dim").set_value(4).run()
    app.query_params.clear()
    app.query_params["text"] = "xy"
    app.run()
    assert app.number_input(key="dim").value == 10
    assert app.text_input(key="text").value == "xy"


def test_links_carry_what_each_page_reads() -> None:
    """Settings of the model go along, through pages without them; a page's own come back."""
    app = open_page(dim="8", text="abc", token="2")
    app = go_to(app, "limits")
    assert app.query_params == {}
    app.text_input(key="find").set_value("padding").run()
    app.run()
    app = go_to(app, "training")
    assert app.query_params == {"text": "abc", "dim": "8", "token": "2"}
    app.number_input(key="dim").set_value(3).run()
    app.run()
    assert go_to(app, "limits").query_params == {"find": "padding"}
    assert go_to(app, "playground").query_params == {"text": "abc", "dim": "3", "token": "2"}


@pytest.mark.parametrize(("walks", "shown"), [(False, "new"), (True, "old")])
def test_a_link_drawn_before_the_last_change_takes_the_change_along(
    monkeypatch: pytest.MonkeyPatch, walks: bool, shown: str
) -> None:
    """A click may come before the links are drawn again; Back to such an address shows it."""
    app = open_page(text="old")
    app.text_input(key="text").set_value("new").run()
    app.query_params["text"] = "old"  # as the link had it
    context = SimpleNamespace(is_history_navigation=walks, page_script_hash="")
    monkeypatch.setattr(session, "get_script_run_ctx", lambda: context)
    app.switch_page(str(ROOT / "pages" / "training.py")).run()
    assert app.text_input(key="text").value == shown
    assert app.query_params == {"text": shown}


def test_an_old_address_is_no_old_link_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward to an entry that looks like an old link shows that entry."""
    app = open_page(text="old")
    app.text_input(key="text").set_value("new").run()
    monkeypatch.setattr(session, "OLD_LINK_S", -1.0)
    app.run()
    app.number_input(key="dim").set_value(4).run()
    app.query_params.clear()
    app.query_params["text"] = "new"
    app.switch_page(str(ROOT / "pages" / "training.py")).run()
    assert app.number_input(key="dim").value == 10


def test_a_key_and_another_page_in_one_message() -> None:
    """The new page is drawn whole, with what was typed."""
    app = open_page(text="abc")
    app.text_input(key="text").set_value("abcd")
    app.switch_page(str(ROOT / "pages" / "training.py")).run()
    assert app.segmented_control(key="lesson").value == "step"
    assert app.text_input(key="text").value == "abcd"


def test_a_text_too_long_for_an_address_stays_in_the_session() -> None:
    """The address has a mark; the page says so; Back and Forward lose nothing; others are told."""
    long = "a" * (MAX_URL_TEXT_BYTES + 1)
    app = open_page(text="short")
    app.text_input(key="text").set_value(long).run()
    mark = dict(app.query_params)
    assert [*mark] == ["text_kept"]
    assert any("too long for a link" in one.value for one in app.warning)
    app.query_params.clear()
    app.query_params["text"] = "short"
    assert app.run().text_input(key="text").value == "short"
    app.query_params.clear()
    app.query_params.update(mark)
    assert app.run().text_input(key="text").value == long
    other = open_page(**mark)
    assert other.text_input(key="text").value == SETTINGS["text"].default
    assert any("too long for an address" in one.value for one in other.warning)
    for number in range(session.LONG_TEXTS + 2):
        app.text_input(key="text").set_value(long + str(number)).run()
        app.run()
    assert len(app.session_state["_embviz"]["long"]) == session.LONG_TEXTS


def test_a_bad_value_gives_the_default_and_one_note_until_the_next_change() -> None:
    """The note quotes it; the bad value leaves the address with the next change."""
    app = open_page(dim="inf", seed="4")
    assert app.number_input(key="dim").value == 10
    assert [one.value for one in app.warning if "dim='inf'" in one.value.replace("\\", "")]
    app.number_input(key="seed").set_value(5).run()
    assert app.query_params == {"seed": "5"}
    assert not app.warning


def hostile_address(page: str, good_share: float) -> dict[str, str | list[str]]:
    """A seeded query with every setting: bad values, and good ones that open other parts."""
    chance = random.Random(f"{page} {good_share}")  # noqa: S311 - to repeat, not to hide
    query: dict[str, str | list[str]] = {}
    for name, one in SETTINGS.items():
        bad = [*HOSTILE, *([["64", "1"], ["foo"]] if isinstance(one, Choices) else [])]
        good = one.options()
        query[name] = chance.choice(good if good and chance.random() < good_share else bad)
    return query


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("good_share", [0, 0.7])
def test_a_hostile_address_is_refused_in_notes(page: str, good_share: float) -> None:
    """No address raises, and each bad value that the page reads is quoted."""
    query = hostile_address(page, good_share)
    app = open_page(page, **query)
    notes = " ".join(warning.value for warning in app.warning)
    for name in PAGES[page].reads:
        try:
            SETTINGS[name].read(query[name])
        except ValueError as error:
            assert literal(str(error)) in notes  # noqa: PT017 - some are refused, some are not


def test_no_part_has_a_settings_name() -> None:
    """A part's name is its component's key: `letter` failed once the session had that setting."""
    open_page("training")
    open_page("context")
    assert "gradients" in PARTS
    assert not set(PARTS) & set(SETTINGS)


def test_a_result_is_kept_until_what_it_is_made_of_changes() -> None:
    """`cached` makes a thing once; `forget` drops it."""
    made: list[int] = []

    def script() -> None:
        import streamlit as st

        from embviz.ui.state.session import cached, forget

        made = st.session_state.setdefault("made", [])
        for of in (1, 1, 2):
            cached("slot", of, lambda: made.append(0))
        forget("slot")
        cached("slot", 2, lambda: made.append(0))

    app = AppTest.from_function(script).run()
    made = app.session_state["made"]
    assert len(made) == 3


def test_a_forged_value_of_a_widget_is_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message may give a text field a list; and a callback may come after its widget has gone."""
    monkeypatch.setattr(session.st, "session_state", {"name": ["Ada"], "other": "Ada"})
    read = session.widget_value
    assert [read("name", ""), read("other", ""), read("gone", ""), read("gone")] == [
        "",
        "Ada",
        "",
        None,
    ]
