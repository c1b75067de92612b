"""The frame: what it draws for each page, and what a setting draws again."""

from collections import Counter
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from embviz.core import tokenizers
from embviz.request.pages import PAGES
from embviz.request.settings import SETTINGS
from embviz.ui.frame import body, sidebar
from tests.ui.headless import ROOT, open_page, unescaped

Change = Callable[[AppTest], object]


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


def runs(app: AppTest, drawn: Counter[str], change: Change) -> tuple[int, int]:
    """How often a change draws the frame and the body; it raises nothing.

    A whole run follows: after a run of the body, an AppTest holds the body's elements alone.
    """
    drawn.clear()
    change(app)
    app.run()
    found = drawn["frame"], drawn["body"]
    app.run()
    assert [failure.value for failure in app.exception] == []
    return found


def test_settings_of_the_body_leave_the_frame(drawn: Counter[str]) -> None:
    """Text, sizes, seed, dtype and panel draw the body once and the frame not at all."""
    app = open_page()
    changes: list[Change] = [
        lambda app: app.text_input(key="text").set_value("abc"),
        lambda app: app.number_input(key="dim").set_value(4),
        lambda app: app.selectbox(key="dtype").set_value("float64"),
        lambda app: app.segmented_control(key="panel").set_value("storage"),
    ]
    assert [runs(app, drawn, one) for one in changes] == [(0, 1)] * len(changes)
    assert app.query_params["dim"] == "4"
    assert "view = nn.Parameter" in app.code[0].value


def test_settings_of_the_frame_draw_it_again(drawn: Counter[str]) -> None:
    """The frame is drawn where it depends on the setting, also if another changes with it."""
    app = open_page()

    def both(app: AppTest) -> None:
        app.text_input(key="text").set_value("ab")
        app.selectbox(key="init").set_value("integers")

    changes: list[Change] = [
        both,
        lambda app: app.selectbox(key="vocab").set_value("letters"),
        lambda app: app.segmented_control(key="input").set_value("ids"),
        lambda app: app.toggle(key="projector").set_value(True),
    ]
    assert [runs(app, drawn, one) for one in changes] == [(1, 1)] * len(changes)


EVERYTHING = {"text", "vocab", "rows", "dim", "seed", "init"}


@pytest.mark.parametrize(
    ("page", "query", "seen"),
    [
        ("playground", {}, EVERYTHING),
        ("training", {"lesson": "characters"}, {"seed"}),
        ("training", {"lesson": "characters", "corpus": "own"}, {"seed", "text"}),
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
    widgets = [*app.text_input, *app.selectbox, *app.number_input]
    return {one.key for one in widgets} & EVERYTHING


def test_the_frame_follows_the_lesson_in_the_same_run() -> None:
    """Text field and sidebar come and go with the lesson that needs them, both ways."""
    app = open_page("training", lesson="characters")
    app.segmented_control(key="lesson").set_value("step").run()
    assert frame_of(app) == EVERYTHING
    app.segmented_control(key="lesson").set_value("characters").run()
    assert frame_of(app) == {"seed"}


def test_every_page_has_a_file_a_link_and_the_next_page() -> None:
    """The links have all pages in the order of the path; the last page has no next one."""
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES)
    path = [
        "Playground",
        "Bag of words",
        "Training",
        "Context",
        "Timing",
        "Where it breaks",
        "Labs",
    ]
    for name, page in PAGES.items():
        links = [one.proto.label for one in open_page(name).get("page_link")]
        assert links[:7] == path
        after = path[path.index(page.title) + 1 :][:1]
        assert [one for one in links[7:] if one in path] == after
        assert links[-1] in after or not after


@pytest.mark.parametrize(("query", "opened"), [({}, False), ({"dtype": "float64"}, True)])
def test_more_opens_where_the_address_sets_one_of_it(query: dict[str, str], opened: bool) -> None:
    """A setting of the link is never folded away."""
    more = next(one for one in open_page("playground", **query).expander if one.label == "More")
    assert more.proto.expanded == opened


def test_more_stays_open_on_the_way_back_to_a_default() -> None:
    """Else it would close under the hand."""
    app = open_page(init="integers")
    app.selectbox(key="init").select("normal").run()
    assert app.query_params == {}
    assert next(one for one in app.expander if one.label == "More").proto.expanded


def test_reset_takes_the_settings_of_this_page_alone() -> None:
    """Lab work and timing of the session stay; a key in the same message does not come back."""
    app = open_page("timing", vary="dim")
    app.query_params.clear()
    app.query_params.update({"dim": "8", "token": "2", "text": "abc"})
    app.switch_page(str(ROOT / "pages" / "playground.py")).run()
    app.text_input(key="text").set_value("abcd")
    next(one for one in app.button if one.label == "Reset settings").click().run()
    assert app.query_params == {}
    field = app.text_input(key="text")
    assert (field.value, field.proto.set_value) == (SETTINGS["text"].default, True)
    timing = next(one for one in app.get("page_link") if one.proto.label == "Timing")
    assert timing.proto.query_string == "vary=dim"


def test_an_unknown_character_is_a_small_note_with_one_press() -> None:
    """Nothing turns red; `bytes` knows it."""
    app = open_page(text="Zoë 😀")
    assert [one.value for one in app.error] == []
    note = " ".join(unescaped(one.value) for one in app.markdown)
    assert "'ë'" in note
    assert "'😀'" in note
    app.button(key="use_bytes").click().run()
    assert app.query_params["vocab"] == "bytes"
    assert "<unk>" not in " ".join(unescaped(one.value) for one in app.markdown)
    refused = open_page(text="Zoë", unknown="error")
    assert "'ë' (U+00EB) at position 2" in unescaped(refused.error[0].value)
    next(one for one in refused.button if one.label == "Use bytes").click().run()
    assert [one.value for one in refused.error] == []


def test_merges_belong_to_the_vocabulary_that_reads_them() -> None:
    """The slider is there with `bpe` alone, and its value stays for later."""
    app = open_page()
    assert [one.key for one in app.slider] == []
    app.selectbox(key="vocab").select("bpe").run()
    app.slider(key="merges").set_value(300).run()
    app.run()
    app.selectbox(key="vocab").select("printable").run()
    assert [one.key for one in app.slider] == []
    assert app.query_params == {"merges": "300"}


def test_a_vocabulary_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its link keeps it and says what to install; one press takes another."""
    monkeypatch.setattr(tokenizers, "LIBRARIES", ())
    app = open_page(vocab="o200k")
    assert "pip install bpe-openai" in unescaped(app.error[0].value)
    assert app.selectbox(key="vocab").value == "o200k"
    next(one for one in app.button if one.label == "Use bpe").click().run()
    assert [one.value for one in app.error] == []
    assert app.selectbox(key="vocab").value == "bpe"


def test_own_weights_bring_ids_that_they_have() -> None:
    """Own weights are few rows, so ids stand in for a text of a hundred characters."""
    app = open_page()
    app.selectbox(key="init").select("own").run()
    assert [one.value for one in app.error] == []
    assert app.query_params == {"init": "own", "input": "ids"}


@pytest.mark.parametrize(
    ("query", "field"),
    [({"text": "a\nb\\"}, r"a\nb\\"), ({"text": "a\\nb\r", "escapes": "true"}, r"a\nb\r")],
)
def test_a_links_line_break_becomes_an_escape(query: dict[str, str], field: str) -> None:
    """One line shows a line break of a link as an escape; the same characters are read."""
    app = open_page(**query)
    assert app.text_input(key="text").value == field
    assert app.toggle(key="escapes").value is True
    wanted = query["text"].replace("\\n", "\n") if "escapes" in query else query["text"]
    assert app.session_state["_embviz"]["last_inputs"].text == wanted
