"""The frame: what it draws for each page, and what a setting draws again."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.core import tokenizers
from embviz.request.pages import PAGES
from embviz.ui.frame import body, sidebar
from tests.ui.headless import ROOT, answer, open_page, press, refused, unescaped


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the sidebar and the body were drawn."""
    count: Counter[str] = Counter()

    def counted(name: str, draw: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object) -> object:
            count[name] += 1
            return draw(*args)

        return run

    monkeypatch.setattr(sidebar, "draw", counted("frame", sidebar.draw))
    monkeypatch.setattr(body, "inputs", counted("body", body.inputs))
    return count


@pytest.mark.parametrize(
    ("kind", "key", "value", "frames"),
    [
        ("text_input", "text", "abc", 0),
        ("number_input", "dim", 4, 0),
        ("selectbox", "dtype", "float64", 0),
        ("selectbox", "init", "integers", 1),
        ("selectbox", "vocab", "letters", 1),
        ("segmented_control", "input", "ids", 1),
        ("toggle", "projector", True, 1),
    ],
)
@pytest.mark.parametrize("also", [False, True])
def test_a_setting_draws_what_depends_on_it(
    kind: str, key: str, value: Any, frames: int, also: bool, drawn: Counter[str]
) -> None:
    """The body is drawn once, and the frame where it depends; also if the text changes with it."""
    app = open_page(text="a")
    drawn.clear()
    if also:
        app.text_input(key="text").set_value("ab")
    getattr(app, kind)(key=key).set_value(value).run()
    assert (drawn["frame"], drawn["body"]) == (frames, 1)
    assert not app.exception
    assert app.query_params[key] == str(value).lower()


def test_what_ends_the_example_draws_all_once(drawn: Counter[str]) -> None:
    """Every widget of the frame has another value then; a further text draws the body alone."""
    app = open_page()
    for text, frames in (("abc", 1), ("abcd", 0)):
        drawn.clear()
        app.text_input(key="text").set_value(text).run()
        assert (drawn["frame"], drawn["body"]) == (frames, 1)
        app.run()


def test_an_open_panel_follows_the_body(drawn: Counter[str]) -> None:
    """A closed one costs no inputs."""
    for panel, bodies in (("code", 2), ("none", 1)):
        app = open_page(panel=panel, text="a")
        drawn.clear()
        app.number_input(key="dim").set_value(7).run()
        assert (drawn["frame"], drawn["body"]) == (0, bodies)
        assert ["V, D = 100, 7" in code.value for code in app.code[:1]] == [True] * (bodies - 1)
    app.run()
    app.pills(key="panel").set_value("storage").run()
    assert "copy[0, 0]" in app.code[0].value
    assert app.query_params == {"text": "a", "dim": "7", "panel": "storage"}


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
    """Text field and sidebar have no other."""
    assert frame_of(open_page(page, **query)) == seen


def frame_of(app: AppTest) -> set[str]:
    """The settings of the frame that a person can change."""
    return {one.key for one in [*app.text_input, *app.selectbox, *app.number_input]} & EVERYTHING


def test_the_frame_follows_the_lesson_in_the_same_run() -> None:
    """Text field and sidebar come and go with the lesson that needs them, both ways."""
    app = open_page("training", lesson="write")
    for lesson, seen in (("step", EVERYTHING), ("write", {"seed"})):
        app.segmented_control(key="lesson").set_value(lesson).run()
        assert frame_of(app) == seen


def test_every_page_has_a_file_a_link_and_the_next_page() -> None:
    """The links have all pages in the order of the path; the last page has no next one."""
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES)
    path = ["playground", "bag_of_words", "training", "context", "timing", "limits", "labs"]
    titles = [PAGES[name].title for name in path]
    for place, name in enumerate(path, start=1):
        links = [one.proto.label for one in open_page(name).get("page_link")]
        assert links[:7] == titles
        assert [one for one in links[7:] if one in titles] == titles[place : place + 1]


def queries(app: AppTest) -> dict[str, str]:
    """The links that the last run drew, with their addresses."""
    return {one.proto.label: one.proto.query_string for one in app.get("page_link")}


def test_a_change_draws_the_links_that_it_changes_and_no_other() -> None:
    """Among others the link at the end of the page."""
    app = open_page("training")
    assert len(queries(app)) == 7
    app.number_input(key="dim").set_value(4).run()
    new = {"Playground": "dim=4", "Bag of words": "", "Training": "dim=4", "Context": "dim=4"}
    assert queries(app) == new
    assert [one.proto.label for one in app.get("page_link")][4:] == ["Context"]
    app.run()
    assert queries(app) == new | {"Timing": "", "Where it breaks": "", "Labs": ""}
    app = open_page("limits")
    app.text_input(key="find").set_value("nan").run()
    assert app.query_params == {"find": "nan"}
    assert queries(app) == {}


@pytest.mark.parametrize(
    ("query", "opened"),
    [({}, False), ({"text": "a"}, False), ({"text": "a", "init": "integers"}, True)],
)
def test_more_opens_where_the_address_sets_one_of_it(query: dict[str, str], opened: bool) -> None:
    """A setting of the link is never folded away."""
    more = next(one for one in open_page("playground", **query).expander if one.label == "More")
    assert more.proto.expanded == opened


def test_more_stays_open_on_the_way_back_to_a_default() -> None:
    """Else it would close under the hand."""
    app = open_page(text="a", init="integers")
    app.selectbox(key="init").select("normal").run()
    assert app.query_params == {"text": "a"}
    assert next(one for one in app.expander if one.label == "More").proto.expanded


def words(of: Iterable[Any]) -> str:
    """What these elements say."""
    return unescaped(" ".join(one.value for one in of))


def test_reset_takes_the_settings_of_this_page_alone() -> None:
    """Lab work and timing of the session stay, and what is typed in the same message."""
    app = open_page("timing", vary="dim")
    app.query_params.clear()
    app.query_params.update({"dtype": "float64", "token": "2", "text": "abc"})
    app.switch_page(str(ROOT / "pages" / "playground.py")).run()
    app.text_input(key="text").set_value("abcd")
    press(app, "Reset settings")
    assert app.query_params == {"text": "abcd"}
    assert not next(one for one in app.expander if one.label == "More").proto.expanded
    timing = next(one for one in app.get("page_link") if one.proto.label == "Timing")
    assert timing.proto.query_string == "vary=dim"


def test_an_unknown_character_is_a_small_note_with_one_press() -> None:
    """Nothing turns red; `bytes` knows it."""
    app = open_page(text="Zoë 😀")
    assert not app.error
    assert "'ë', '😀'" in words(app.markdown)
    app.button(key="use_bytes").click().run()
    assert app.query_params["vocab"] == "bytes"
    assert "<unk>" not in words(app.markdown)


@pytest.mark.parametrize(
    ("query", "said", "fix"),
    [
        ({"text": "Zoë", "unknown": "error"}, "'ë' (U+00EB) at position 2", "bytes"),
        ({"vocab": "o200k"}, "pip install bpe-openai", "bpe"),
    ],
)
def test_a_refusal_has_a_button_that_mends_it(
    query: dict[str, str], said: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link keeps what it asks for, also a vocabulary that is not installed."""
    monkeypatch.setattr(tokenizers, "LIBRARIES", ())
    app = open_page("context", **query)
    assert said in words(app.error)
    assert app.query_params == query
    press(app, f"Use {fix}")
    assert words(app.error) == ""
    assert app.selectbox(key="vocab").value == fix


def test_merges_belong_to_the_vocabulary_that_reads_them() -> None:
    """The slider is there with `bpe` alone, and its value stays for later."""
    app = open_page(text="a", vocab="bpe")
    app.slider(key="merges").set_value(300).run()
    app.run()
    app.selectbox(key="vocab").select("printable").run()
    assert not app.slider
    assert app.query_params == {"text": "a", "merges": "300"}


def test_own_weights_bring_ids_that_they_have() -> None:
    """Own weights are few rows, so ids stand in for a text of a hundred characters."""
    app = open_page()
    app.selectbox(key="init").select("own").run()
    assert refused(app) == []
    assert app.query_params == {"init": "own", "input": "ids"}


@pytest.mark.parametrize(
    ("query", "field", "read"),
    [
        ({"text": "a\nb\\"}, r"a\nb\\", "a\nb\\"),
        ({"text": "a\\nb\r", "escapes": "true"}, r"a\nb\r", "a\nb\r"),
    ],
)
def test_a_links_line_break_becomes_an_escape(query: dict[str, str], field: str, read: str) -> None:
    """One line shows a line break of a link as an escape; the same characters are read."""
    app = open_page(**query)
    assert app.text_input(key="text").value == field
    assert app.toggle(key="escapes").value is True
    assert len(answer(app)["ids"]) == len(read)
