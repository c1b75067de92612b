"""The frame: what it draws for each page, and what a setting draws again."""

from functools import cache
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from embviz.settings.pages import PAGES, SETTINGS
from tests.ui.headless import NAMES, ROOT, answer, open_page, refused, take_fix, unescaped

EVERYTHING = {"text", "vocab", "rows", "dim", "seed", "init"}


@pytest.mark.parametrize(
    ("page", "query", "seen"),
    [
        ("playground", {}, EVERYTHING),
        ("training", {"lesson": "write"}, {"seed"}),
        ("training", {"lesson": "write", "corpus": "own"}, {"seed", "text"}),
        ("limits", {}, set()),
        ("context", {}, EVERYTHING),
        ("context", {"chapter": "sentences"}, set()),
        ("playground", {"init": "own", "text": "1", "vocab": "digits"}, {"text", "vocab", "init"}),
    ],
)
def test_a_page_shows_the_settings_with_an_effect(
    page: str, query: dict[str, str], seen: set[str]
) -> None:
    """Text field and sidebar have no other; they follow the lesson in the same run."""
    app = open_page(page, **query)
    assert frame_of(app) == seen
    if query == {"lesson": "write"}:
        app.segmented_control(key="lesson").set_value("step").run()
        assert frame_of(app) == EVERYTHING


def frame_of(app: AppTest) -> set[str]:
    """The settings of the frame that a person can change."""
    return {one.key for one in [*app.text_input, *app.selectbox, *app.number_input]} & EVERYTHING


def links(app: AppTest) -> dict[str, str]:
    """The links that the last run drew, with their addresses."""
    return {one.proto.label: one.proto.query_string for one in app.get("page_link")}


PATH = ["playground", "training", "context", "bag_of_words", "timing", "limits", "labs"]


@pytest.mark.parametrize("page", PATH)
def test_every_page_has_a_file_a_link_and_the_next_page(page: str) -> None:
    """The links have all pages in the order of the path; the last page has no next one."""
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == {*PAGES} == {*PATH}
    titles = [PAGES[name].title for name in PATH]
    found = [one.proto.label for one in open_page(page).get("page_link")]
    assert found[:7] == titles
    place = PATH.index(page) + 1
    assert [one for one in found[7:] if one in titles] == titles[place : place + 1]


def test_an_unknown_address_is_told_until_something_changes() -> None:
    """A sentence quotes it."""
    app = open_page(no_page="limits/abc")
    (note,) = app.warning
    said = "No page has the address '/limits/abc'. This page is Playground."
    assert unescaped(note.value) == said
    app.number_input(key="dim").set_value(4).run()
    assert [*app.warning] == []
    assert app.query_params == {"dim": "4"}


def test_a_change_draws_the_links_only_if_one_leads_elsewhere() -> None:
    """Among others the link at the end of the page."""
    app = open_page("training", lesson="step")
    assert len(links(app)) == 7
    app.number_input(key="dim").set_value(4).run()
    found = app.get("page_link")
    assert [one.proto.label for one in found][7:] == ["Context"]
    assert {one.proto.query_string for one in found[2::5]} == {"dim=4"}
    same = dict.fromkeys(["Bag of words", "Timing", "Where it breaks", "Labs"], "")
    changed = {"Playground": "dim=4", "Training": "dim=4&lesson=step", "Context": "dim=4"}
    assert links(app) == same | changed
    app = open_page("limits")
    app.button(key="open_max-norm").click().run()
    assert app.query_params == {"case": "max-norm"}
    assert links(app) == {}


@cache
def opened_by(page: str, address: str) -> AppTest:
    """The page that a link opens; several pages have some links."""
    return open_page(page, **parse_qs(address, keep_blank_values=True))


STARTS: list[tuple[str, dict[str, str]]] = [
    *((page, {}) for page in NAMES if page != "labs"),
    *(("training", {"lesson": one}) for one in SETTINGS["lesson"].options()),
    *(("context", {"chapter": one}) for one in SETTINGS["chapter"].options()),
    ("playground", {"input": "ids", "ids": "1 2", "init": "own", "vocab": "digits"}),
]


@pytest.mark.parametrize(("page", "query"), STARTS, ids=str)
def test_what_to_try_is_a_link_that_works(page: str, query: dict[str, str]) -> None:
    """It has settings that its page reads, without a note, leads elsewhere, and nothing is refused.

    It shows its text or ids whatever was chosen before.
    """
    app = open_page(page, **query)
    app.session_state["fold Try this"] = True
    (fold,) = (one for one in app.run().main.expander if one.label == "Try this")
    here = page, {name: [value] for name, value in query.items()}
    found = [
        (one.proto.page or "playground", one.proto.query_string) for one in fold.get("page_link")
    ]
    assert found
    for to, address in found:
        settings = parse_qs(address, keep_blank_values=True)
        assert (to, settings) != here
        assert set(settings) <= set(PAGES[to].reads)
        shown = opened_by(to, address)
        assert refused(shown) == [*shown.warning] == []
        if page == to == "playground":
            field = settings.get("input", ["text"])[0]
            assert [shown.text_input(key=field).value] == settings[field]
            assert field == "ids" or shown.selectbox(key="vocab").value == "printable"


def test_a_refusal_has_a_button_that_mends_it() -> None:
    """A link keeps what it asks for."""
    query = {"text": "Zoë", "unknown": "error"}
    app = open_page("context", **query)
    assert "'ë' (U+00EB) at index 2" in " ".join(refused(app))
    assert app.query_params == query
    take_fix(app, "Use bytes")
    assert refused(app) == []
    assert app.selectbox(key="vocab").value == "bytes"


def test_settings_that_belong_to_others() -> None:
    """Merges come with `bpe` alone and stay for later; own weights bring ids that they have."""
    app = open_page(text="a", vocab="bpe")
    app.slider(key="merges").set_value(300).run()
    app.run()
    app.selectbox(key="vocab").select("printable").run()
    assert not app.slider
    assert app.query_params == {"text": "a", "merges": "300"}
    app = open_page()
    app.selectbox(key="init").select("own").run()
    assert refused(app) == []
    assert app.query_params == {"init": "own", "input": "ids"}


def test_a_links_line_break_has_a_mark() -> None:
    """One line cannot show a line break; the mark is read as the break."""
    app = open_page(text="a\nb\r")
    assert app.text_input(key="text").value == "a↵b⏎"
    assert answer(app)["ids"] == [10, 96, 11, 97]


@pytest.mark.parametrize(
    ("page", "place", "fold", "asked"),
    [
        (
            "training",
            {"lesson": "step"},
            "And after",
            {"optimizer": "adam", "batches": "minibatch"},
        ),
        (
            "training",
            {"lesson": "step"},
            "Learning rate",
            {"rate": "10x", "loss": "next", "target": "1"},
        ),
        (
            "training",
            {"lesson": "write"},
            "The text",
            {"corpus": "own", "char_dim": "2"},
        ),
        ("context", {}, "Compare", {"edit": "x"}),
        ("bag_of_words", {}, "More routes", {"routed": "all rows"}),
    ],
)
def test_a_fold_begins_open_for_each_of_its_settings(
    page: str, place: dict[str, str], fold: str, asked: dict[str, str]
) -> None:
    """Or a link would show nothing of what it changes."""

    def is_open(**query: str) -> bool:
        app = open_page(page, **place, **query)
        found = next(one for one in app.expander if one.label.startswith(fold))
        return bool(found.proto.expanded)

    assert not is_open()
    assert [name for name, one in asked.items() if not is_open(**{name: one})] == []
